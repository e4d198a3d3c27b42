// What operations need of their task's scratch memory.
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/lowering/nvidia/Atomics.h"
#include "compiler/lowering/nvidia/Gather.h"
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
  if (isa<ttng::TensormapCreateOp>(op))
    return 128;
  if (int64_t bytes = atomicScratch(op))
    return bytes;
  return gatherScratch(op);
}

} // namespace tlx::nvidia
