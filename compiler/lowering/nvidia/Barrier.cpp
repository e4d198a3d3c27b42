// mbarriers, named barriers and fences.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;

namespace tlx::nvidia {

static Value both(Emitter &e, Value thread, Value predicate) {
  return predicate ? e.band(thread, e.scalar(predicate)) : thread;
}

static LogicalResult lowerInit(ttng::InitBarrierOp op, Emitter &e) {
  ptx::mbarrierInit(e, e.isFirstThread(), e.buffer(op.getAlloc()).base, op.getCount());
  return success();
}

static LogicalResult lowerInval(ttng::InvalBarrierOp op, Emitter &e) {
  ptx::mbarrierInval(e, e.isFirstThread(), e.buffer(op.getAlloc()).base);
  return success();
}

static LogicalResult lowerExpect(ttng::BarrierExpectOp op, Emitter &e) {
  ptx::mbarrierExpect(e, both(e, e.isFirstThread(), op.getPred()), e.buffer(op.getAlloc()).base,
                      op.getSize());
  return success();
}

/// A hint on the warp_specialize around a wait: how long one try may sleep.
static int64_t suspendHint(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto hint = op->getAttrOfType<IntegerAttr>("tlx.mbarrier_try_wait_suspend_ns"))
      return hint.getInt();
  return 0;
}

static LogicalResult lowerWait(ttng::WaitBarrierOp op, Emitter &e) {
  Value predicate = op.getPred() ? e.scalar(op.getPred()) : Value();
  if (predicate && Emitter::constantOf(predicate).value_or(0) != 0)
    predicate = Value();
  ptx::mbarrierWait(e, predicate, e.buffer(op.getAlloc()).base, e.scalar(op.getPhase()),
                    suspendHint(op));
  return success();
}

static LogicalResult lowerArrive(ttng::ArriveBarrierOp op, Emitter &e) {
  bool remote = ttng::spaceOf(op.getAlloc()) == sync::Space::SharedCluster;
  Value predicate = op.getPred() ? e.scalar(op.getPred()) : Value();
  if (!op.getPerThread())
    predicate = both(e, e.isFirstThread(), op.getPred());
  Value address = e.buffer(op.getAlloc()).base;
  uint32_t mask = op.getCtaMask().value_or(0);
  if (!mask) {
    ptx::mbarrierArrive(e, predicate, address, op.getCount(), remote);
    return success();
  }
  for (int64_t rank = 0; rank < 32; ++rank)
    if (mask >> rank & 1)
      ptx::mbarrierArrive(e, predicate, ptx::mapToRank(e, address, e.i32(rank)), op.getCount(),
                          true);
  return success();
}

static LogicalResult lowerCopyArrive(ttng::AsyncCopyMbarrierArriveOp op, Emitter &e) {
  Value barrier = e.pointer(e.buffer(op.getBarrier()).base, 3);
  NVVM::CpAsyncMBarrierArriveOp::create(e.b, e.loc, barrier, op.getNoIncrement());
  return success();
}

static LogicalResult lowerNamedArrive(ttng::NamedBarrierArriveOp op, Emitter &e) {
  ptx::namedBarrierArrive(e, e.scalar(op.getBar()), e.scalar(op.getNumThreads()));
  return success();
}

static LogicalResult lowerNamedWait(ttng::NamedBarrierWaitOp op, Emitter &e) {
  e.namedBarrier(e.scalar(op.getBar()), e.scalar(op.getNumThreads()));
  return success();
}

static LogicalResult lowerProxyFence(ttng::FenceAsyncSharedOp op, Emitter &e) {
  e.proxyFence(op.getBCluster());
  return success();
}

static LogicalResult lowerFence(ttng::FenceOp op, Emitter &e) {
  std::string scope = op.getScope().str();
  ptx::raw(e, "fence.acq_rel." + scope + ";", "~{memory}", {}, {});
  return success();
}

static LogicalResult lowerInitFence(ttng::FenceMBarrierInitReleaseClusterOp, Emitter &e) {
  ptx::fenceMbarrierInit(e, Value());
  return success();
}

static LogicalResult lowerTaskBarrier(ttg::BarrierOp, Emitter &e) {
  e.taskBarrier();
  return success();
}

void addBarriers(LoweringTable &table) {
  table.add<ttng::InitBarrierOp>(lowerInit);
  table.add<ttng::InvalBarrierOp>(lowerInval);
  table.add<ttng::BarrierExpectOp>(lowerExpect);
  table.add<ttng::WaitBarrierOp>(lowerWait);
  table.add<ttng::ArriveBarrierOp>(lowerArrive);
  table.add<ttng::AsyncCopyMbarrierArriveOp>(lowerCopyArrive);
  table.add<ttng::NamedBarrierArriveOp>(lowerNamedArrive);
  table.add<ttng::NamedBarrierWaitOp>(lowerNamedWait);
  table.add<ttng::FenceAsyncSharedOp>(lowerProxyFence);
  table.add<ttng::FenceOp>(lowerFence);
  table.add<ttng::FenceMBarrierInitReleaseClusterOp>(lowerInitFence);
  table.add<ttg::BarrierOp>(lowerTaskBarrier);
}

} // namespace tlx::nvidia
