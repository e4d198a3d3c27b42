//===- Passes.h - passes on TLX IR -----------------------------------------===//
#pragma once

#include "compiler/dialect/tlx/TLX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace tlx {

#define GEN_PASS_DECL
#include "compiler/transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/transforms/Passes.h.inc"

} // namespace tlx
