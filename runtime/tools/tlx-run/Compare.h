//===- Compare.h - an output against one that is known ------------------------===//
//
// Integers must be equal. Floats may differ by a tolerance, relative to the
// largest value that is expected: results that were summed in another order do.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Npy.h"
#include "runtime/base/Result.h"

#include <optional>
#include <string_view>

namespace tlx::run {

struct Comparison {
  int64_t elements = 0, differing = 0; ///< bit by bit
  double largestError = 0;             ///< absolute
  double rmsError = 0;
  double largestExpected = 0; ///< of finite values
  double tolerance = 0;
  bool matches = false;
};

/// Of 16-bit floats 2^-8 or 2^-6, of f32 2^-14, of eight-bit floats 2^-3.
double defaultTolerance(DType type);

/// An Error when sizes or types differ.
Result<Comparison> compare(DType type, std::string_view bytes, const npy::Array &expected,
                           double tolerance);

} // namespace tlx::run
