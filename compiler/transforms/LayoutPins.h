//===- LayoutPins.h - calls and arithmetic agree on pinned layouts ---------===//
//
// A layout that the user pins (`tlx.no_verify_layout`, `tlx.user_layout`) is
// part of the tile's type. The front end builds the ops that follow without
// looking at it, so that the operands of one op, or a call and its callee, can
// disagree:
//
//   %s = arith.addf %pinned, %free : tensor<..., #pin>     // does not verify
//
// Here the pin flows forwards: an op with a pinned operand works in that layout,
// its other operands are required in it, and the callees of calls with pinned
// operands are cloned for them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// Makes the types of calls, callees and element-wise arithmetic agree. Fails
/// with "conflicting" where one op gets two different pins.
mlir::LogicalResult agreeOnLayoutPins(mlir::ModuleOp module);

} // namespace tlx
