#include "compiler/analysis/ClusterSync.h"

#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;

namespace tlx {

LoweredClusterSync loweredClusterSync(tt::FuncOp kernel) {
  LoweredClusterSync result;
  if (kernel.getBody().empty())
    return result;
  bool reachesPeers = false;
  kernel.walk([&](Operation *op) {
    reachesPeers |= isa<ttng::MapToRemoteBufferOp>(op);
    SmallVector<SyncEffect> effects;
    collectSyncEffects(op, effects);
    for (const SyncEffect &effect : effects) {
      reachesPeers |= effect.rankIsMask || effect.rankMask != 0 || effect.pairLeader ||
                      effect.kind == sync::Kind::ClcRequest;
      result.pairsCtas |= effect.pairLeader && effect.group == sync::Group::Tcgen05;
    }
  });
  if (reachesPeers)
    for (Operation &op : kernel.getBody().front())
      if (isa<ttng::InitBarrierOp>(op))
        result.entryAfter = &op;
  if (result.pairsCtas && !kernel->getParentOp()->hasAttr("tlx.user_post_ws_sync"))
    result.exitBefore = kernel.getBody().back().getTerminator();
  return result;
}

} // namespace tlx
