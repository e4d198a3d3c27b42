// Clusters: verifiers and synchronisation effects.
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/dialect/ttng/TTNGVerify.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttng {

static SyncEffect clusterStep(Kind kind, bool relaxed = false) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = Space::SharedCluster;
  effect.threads = Threads::PerThread;
  effect.relaxed = relaxed;
  return effect;
}

void ClusterArriveOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(clusterStep(Kind::ClusterArrive, getRelaxed()));
}

void ClusterWaitOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(clusterStep(Kind::ClusterWait));
}

LogicalResult ClusterBarrierOp::verify() {
  if (contextNumCtas(*this) <= 1)
    return emitOpError("requires ttg.num-ctas > 1");
  return success();
}

void ClusterBarrierOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(clusterStep(Kind::ClusterArrive, getRelaxed()));
  effects.push_back(clusterStep(Kind::ClusterWait));
}

LogicalResult MapToRemoteBufferOp::verify() {
  auto local = getSrc().getType(), remote = getType();
  if (!isa<ttg::SharedMemorySpaceAttr>(local.getMemorySpace()))
    return emitOpError("maps a buffer of this CTA's shared memory; got ") << local;
  if (!isa<SharedClusterMemorySpaceAttr>(remote.getMemorySpace()))
    return emitOpError("result must be in #ttng.shared_cluster_memory; got ") << remote;
  if (local.getShape() != remote.getShape() || local.getElementType() != remote.getElementType() ||
      local.getEncoding() != remote.getEncoding() ||
      local.getMutableMemory() != remote.getMutableMemory())
    return emitOpError("result must differ from the source in memory space only; got ")
           << local << " and " << remote;
  return success();
}

// Both CTAs write to the other's shared memory between two cluster barriers.
void TwoCTAPeerGatherOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect write;
  write.kind = Kind::Write;
  write.space = Space::SharedCluster;
  effects.push_back(write);
  effects.push_back(clusterStep(Kind::ClusterArrive));
  effects.push_back(clusterStep(Kind::ClusterWait));
}

} // namespace tlx::ttng
