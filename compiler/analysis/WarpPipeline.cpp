#include "compiler/analysis/WarpPipeline.h"

#include "compiler/dialect/interfaces/SyncEffects.h"

using namespace mlir;

namespace tlx {

bool isStageBorder(Operation *op) { return op->hasAttr("triton.warp_pipeline.border"); }

bool isStage(Operation *op) { return op->hasAttr("triton.warp_pipeline.stage"); }

bool isWarpPipelined(scf::ForOp loop) {
  return loop->hasAttr("triton.warp_pipeline.pipelined_for") ||
         llvm::any_of(*loop.getBody(), [](Operation &op) { return isStageBorder(&op); });
}

/// Waits and barriers separate stages; they are not part of one.
static bool separatesStages(Operation &op) {
  SmallVector<SyncEffect> effects;
  collectSyncEffects(&op, effects);
  return llvm::any_of(effects, [](const SyncEffect &effect) {
    return effect.kind == sync::Kind::GroupWait || effect.kind == sync::Kind::TaskBarrier;
  });
}

bool endsInOpenStage(scf::ForOp loop) {
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    if (isStageBorder(&op) || isStage(&op))
      return false;
    if (!separatesStages(op) && !op.hasTrait<OpTrait::ConstantLike>())
      return true;
  }
  return false;
}

} // namespace tlx
