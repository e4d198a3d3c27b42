//===- Parameter.h - the parameters of a kernel's function ----------------===//
#pragma once

#include "runtime/base/Dtype.h"
#include "runtime/base/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tlx {

/// A parameter of a kernel's function, as its type says.
struct ParameterType {
  enum class Kind : uint8_t { Pointer, TensorDesc, Scalar, Other };
  Kind kind = Kind::Other;
  DType element = DType::i32; ///< pointee, descriptor element, or the scalar
  std::vector<int64_t> block; ///< TensorDesc
  int64_t divisibility = 1;   ///< Pointer: what the compiler relies on, of the address in bytes
  std::string name;           ///< may be empty
  std::string spelling;       ///< "!tt.ptr<f16>", for messages; may be empty
  SourceLocation location;
};

} // namespace tlx
