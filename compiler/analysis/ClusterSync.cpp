#include "compiler/analysis/ClusterSync.h"

#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tlx {

/// Does it do anything that others can see, but for initialising a barrier?
static bool acts(Operation &op) {
  SmallVector<SyncEffect> effects;
  collectSyncEffects(&op, effects);
  return op.getNumRegions() != 0 || !effects.empty();
}

/// Moves a barrier's initialisation, and what it is computed from, ahead of `place`.
/// Returns the place for the next.
static Operation *hoist(Operation *init, Operation *place) {
  llvm::SetVector<Operation *> slice;
  slice.insert(init);
  for (size_t i = 0; i < slice.size(); ++i)
    for (Value operand : slice[i]->getOperands())
      if (Operation *from = operand.getDefiningOp();
          from && from->getBlock() == place->getBlock() && !from->isBeforeInBlock(place))
        slice.insert(from);
  while (slice.remove(place))
    place = place->getNextNode();
  SmallVector<Operation *> ordered(slice.begin(), slice.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    op->moveBefore(place);
  return place;
}

/// The last of the entry block's initialisations once all stand ahead of what acts.
/// Structured control flow ends the entry block.
static Operation *gatherInits(Block &entry) {
  Operation *last = nullptr, *place = nullptr;
  for (Operation &op : llvm::make_early_inc_range(entry)) {
    if (isa_and_present<scf::SCFDialect>(op.getDialect()))
      break;
    if (isa<ttng::InitBarrierOp>(op)) {
      if (place)
        place = hoist(&op, place);
      last = &op;
    } else if (!place && acts(op)) {
      place = &op;
    }
  }
  return last;
}

LoweredClusterSync lowerClusterSync(tt::FuncOp kernel) {
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
    result.entryAfter = gatherInits(kernel.getBody().front());
  if (result.pairsCtas && !kernel->getParentOp()->hasAttr("tlx.user_post_ws_sync"))
    result.exitBefore = kernel.getBody().back().getTerminator();
  return result;
}

} // namespace tlx
