//===- ValueFlow.h - operands that become block arguments and results ---------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tlx {

/// Calls `f` for each operand of `op`, or of a terminator in it, that control flow
/// hands on, with each value that it becomes; in the order of the text. Returns
/// whether `op` directs control flow.
bool eachHandover(mlir::Operation *op, llvm::function_ref<void(mlir::OpOperand &, mlir::Value)> f);

} // namespace tlx
