//===- Library.h --------------------------------------------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia {

/// A call of the device library; code generation links it (codegen/Library.cpp).
Value callLibrary(Emitter &e, llvm::StringRef symbol, Type result, ValueRange operands);

} // namespace tlx::nvidia
