//===- Library.h --------------------------------------------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia {

/// A call of the device library; code generation links it (codegen/Library.cpp).
Value callLibrary(Emitter &e, llvm::StringRef symbol, Type result, ValueRange operands);

/// The library's `name` of f64, with "f" behind it of f32; half precision is computed in f32.
LogicalResult lowerFunction(Operation *op, Emitter &e, llvm::StringRef name);

} // namespace tlx::nvidia
