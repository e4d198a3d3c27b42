#include "compiler/transforms/ValueFlow.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace tlx {

bool eachHandover(Operation *op, llvm::function_ref<void(OpOperand &, Value)> f) {
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    for (unsigned index = 0; index < op->getNumSuccessors(); ++index) {
      SuccessorOperands passed = branch.getSuccessorOperands(index);
      unsigned first = passed.getProducedOperandCount();
      MutableOperandRange operands = passed.getMutableForwardedOperands();
      for (auto [number, operand] : llvm::enumerate(operands))
        f(operand, op->getSuccessor(index)->getArgument(first + number));
    }
    return true;
  }
  auto regions = dyn_cast<RegionBranchOpInterface>(op);
  if (!regions)
    return isa<RegionBranchTerminatorOpInterface>(op);
  RegionBranchSuccessorMapping mapping;
  regions.getSuccessorOperandInputMapping(mapping);
  auto hand = [&](Operation *from) {
    for (OpOperand &operand : from->getOpOperands())
      for (Value value : mapping.lookup(&operand))
        f(operand, value);
  };
  hand(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
        hand(block.getTerminator());
  return true;
}

} // namespace tlx
