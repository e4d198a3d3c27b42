#include "compiler/analysis/ClusterSync.h"

#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;

namespace tlx {

/// The op touches shared memory or barriers of another CTA.
static bool reachesPeers(Operation *op) {
  if (isa<ttng::MapToRemoteBufferOp, ttng::AsyncCLCTryCancelOp, ttg::RemoteShmemStoreOp,
          ttg::AsyncRemoteShmemStoreOp, ttg::AsyncRemoteShmemCopyOp>(op))
    return true;
  if (auto load = dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op))
    return load.getMulticastTargets() || load.getMulticast() || load.getTwoCta();
  if (auto mma = dyn_cast<ttng::TCGen5MMAOp>(op))
    return mma.getTwoCtas();
  if (auto mma = dyn_cast<ttng::TCGen5MMAScaledOp>(op))
    return mma.getTwoCtas();
  if (auto commit = dyn_cast<ttng::TCGen5CommitOp>(op))
    return !commit.getDescs().empty();
  return false;
}

Operation *entryClusterSyncAfter(tt::FuncOp kernel) {
  if (kernel.getBody().empty())
    return nullptr;
  Operation *last = nullptr;
  for (Operation &op : kernel.getBody().front())
    if (isa<ttng::InitBarrierOp>(op))
      last = &op;
  if (!last)
    return nullptr;
  bool reaches = kernel
                     .walk([](Operation *op) {
                       return reachesPeers(op) ? WalkResult::interrupt() : WalkResult::advance();
                     })
                     .wasInterrupted();
  return reaches ? last : nullptr;
}

} // namespace tlx
