// Verifiers of reduce and scan.
#include "compiler/dialect/tt/TT.h"

using namespace mlir;

namespace tlx::tt {

static LogicalResult verifyCombine(Operation *op, int64_t axis, Region &region) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("needs at least one operand");
  auto first = cast<RankedTensorType>(op->getOperand(0).getType());
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError("axis must be in [0, ") << first.getRank() << "); got " << axis;
  for (Value operand : op->getOperands())
    if (cast<RankedTensorType>(operand.getType()).getShape() != first.getShape())
      return op->emitOpError("operands must have one shape");
  if (op->getNumResults() != op->getNumOperands())
    return op->emitOpError("must have as many results as operands");
  Block &block = region.front();
  if (block.getNumArguments() != 2 * op->getNumOperands())
    return op->emitOpError("region must take ")
           << 2 * op->getNumOperands() << " arguments; got " << block.getNumArguments();
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    Type element = elementTypeOrSelf(op->getOperand(index % op->getNumOperands()).getType());
    if (argument.getType() != element)
      return op->emitOpError("region argument ")
             << index << " must have type " << element << "; got " << argument.getType();
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombine(*this, getAxis(), getCombineOp())))
    return failure();
  auto input = cast<RankedTensorType>(getOperand(0).getType());
  SmallVector<int64_t> expected(input.getShape());
  expected.erase(expected.begin() + getAxis());
  for (Type type : getResultTypes()) {
    auto result = dyn_cast<RankedTensorType>(type);
    ArrayRef<int64_t> shape = result ? result.getShape() : ArrayRef<int64_t>();
    if (shape != ArrayRef<int64_t>(expected))
      return emitOpError("result must have the operand's shape without axis ") << getAxis();
  }
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombine(*this, getAxis(), getCombineOp())))
    return failure();
  for (auto [operand, result] : llvm::zip(getOperands(), getResults()))
    if (operand.getType() != result.getType())
      return emitOpError("results must have the operands' types");
  return success();
}

} // namespace tlx::tt
