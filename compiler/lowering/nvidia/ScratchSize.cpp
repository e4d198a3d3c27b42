// What operations need of their task's scratch memory.
#include "compiler/lowering/nvidia/Reduce.h"
#include "compiler/lowering/nvidia/SharedPlan.h"

using namespace mlir;

namespace tlx::nvidia {

int64_t scratchBytes(Operation *op) {
  if (std::optional<Movement> movement = movementOf(op)) {
    Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    return conversionScratch(movement->from, movement->to, Emitter::memoryBits(element));
  }
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return reductionScratch(reduce);
  return 0;
}

} // namespace tlx::nvidia
