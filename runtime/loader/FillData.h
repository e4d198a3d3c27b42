//===- FillData.h - the contents of an allocation before a launch ---------===//
//
// Makes the elements that a manifest's `data` describes. Every implementation of
// the schema must agree bit for bit, since results are compared by hash:
//
//   u(i) = (splitmix64(seed * 2^40 + i) >> 40) * 2^-24       (seed, i modulo 2^64)
//   uniform(i) = lo + (hi - lo) * u(i), in double, each step rounded
//
// and then one rounding to the element type, to nearest even; fp8, fp4 and e8m0
// saturate. bf16 is rounded to f32 first, because the measured data were.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Dtype.h"
#include "runtime/base/Result.h"
#include "runtime/loader/Manifest.h"

#include <cstddef>
#include <cstdint>

namespace tlx {

uint64_t splitmix64(uint64_t z);

/// A value as an element of a fill.
uint64_t fillElement(DType type, double value);

/// Writes the `count` elements of a view, contiguous and row-major, to `to`.
/// Reads the .npy file of a File fill, whose errors are located at the manifest.
Result<void> fillElements(const Fill &fill, DType type, void *to, size_t count);

} // namespace tlx
