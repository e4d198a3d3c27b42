//===- Arguments.h - a manifest's memory and its fit to a kernel ----------===//
//
// Two steps between a manifest and a launch. buildArguments makes the
// allocations, one for each storage number, with their initial contents.
// bindParameters lays the arguments over the parameters of a kernel's function
// and says where they do not fit:
//
//   args:  tensordesc a (2-D), scalar M        function: (desc, i32, i32, i64, i64, i32)
//   bound: a, a.shape[0], a.shape[1], a.strides[0], a.strides[1], M
//
// Where several arguments view one storage, the view that reaches furthest (the
// first of equals) says what the allocation holds, and what its gaps and ends
// hold is zero: that is how the measured data were made.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/HostBuffer.h"
#include "runtime/base/Result.h"
#include "runtime/device/Parameter.h"
#include "runtime/loader/Manifest.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tlx {

/// One allocation.
struct Storage {
  int64_t id = 0;
  DType dtype = DType::u8;    ///< of the view that says what it holds
  std::vector<int64_t> shape; ///< that view's when it is all, contiguous; else [elements]
  int64_t elements = 0;
  HostBuffer memory;
  size_t argument = 0; ///< index of that view in Manifest::arguments
};

struct BuildOptions {
  /// A larger storage is an error; 0: no limit.
  int64_t maxBytes = 0;
  /// False: only integers get their data. Time needs those (a grouped GEMM reads
  /// its sizes from memory), and no others.
  bool fillFloats = true;
  /// Storages larger than this are left zero; 0: no limit.
  uint64_t maxFillBytes = 0;
};

/// Ordered by id.
Result<std::vector<Storage>> buildArguments(const Manifest &manifest, BuildOptions options = {});

/// Refuses host descriptors that the target's TMA unit cannot address.
Result<void> checkDescriptors(const Manifest &manifest);

/// What one parameter receives.
struct ParameterValue {
  enum class Kind : uint8_t { Pointer, Descriptor, Scalar };
  Kind kind = Kind::Scalar;
  size_t argument = 0;     ///< index into Manifest::arguments
  int64_t storage = 0;     ///< Pointer, Descriptor
  int64_t byteOffset = 0;  ///< Pointer, Descriptor: from the storage's beginning
  DType type = DType::i32; ///< Scalar
  uint64_t bits = 0;       ///< Scalar
};

/// One value for each parameter, in order.
Result<std::vector<ParameterValue>> bindParameters(const Manifest &manifest,
                                                   const std::vector<ParameterType> &parameters);

} // namespace tlx
