// Barriers, counters and hints: verifiers, synchronisation effects.
#include "compiler/dialect/amdg/AMDG.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::amdg {

static LogicalResult verifyBarrier(Operation *op, ttg::MemDescType type) {
  if (!type.getElementType().isInteger(64) || type.getShape().size() != 1 ||
      type.getShape()[0] != 1)
    return op->emitOpError("barrier must be a memdesc of 1xi64; got ") << type;
  return success();
}

static LogicalResult verifyArrivals(Operation *op, int32_t count) {
  if (count < 1)
    return op->emitOpError("count must be at least 1; got ") << count;
  return success();
}

LogicalResult InitBarrierOp::verify() {
  return failure(failed(verifyBarrier(*this, getAlloc().getType())) ||
                 failed(verifyArrivals(*this, getCount())));
}
LogicalResult ArriveBarrierOp::verify() {
  return failure(failed(verifyBarrier(*this, getAlloc().getType())) ||
                 failed(verifyArrivals(*this, getCount())));
}
LogicalResult WaitBarrierOp::verify() { return verifyBarrier(*this, getAlloc().getType()); }
LogicalResult AsyncCopyMbarrierArriveOp::verify() {
  return verifyBarrier(*this, getBarrier().getType());
}

static LogicalResult verifyCluster(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto ctas = module ? module->getAttrOfType<IntegerAttr>("ttg.num-ctas") : IntegerAttr();
  if (!ctas || ctas.getInt() <= 1)
    return op->emitOpError("requires ttg.num-ctas > 1");
  return success();
}
LogicalResult ClusterBarrierArriveOp::verify() { return verifyCluster(*this); }
LogicalResult ClusterBarrierWaitOp::verify() { return verifyCluster(*this); }

static SyncEffect onBarrier(Kind kind, Value barrier, int64_t amount = 0) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = Space::Shared;
  effect.target = barrier;
  effect.amount = amount;
  return effect;
}

void InitBarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect init = onBarrier(Kind::BarrierInit, getAlloc(), getCount());
  init.threads = Threads::Elected;
  effects.push_back(init);
}

void ReadBarrierPhaseOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(onBarrier(Kind::Read, getAlloc()));
}

// The threads that arrive are picked by the control flow around the op.
void ArriveBarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect arrive = onBarrier(Kind::BarrierArrive, getAlloc(), getCount());
  arrive.threads = Threads::PerThread;
  effects.push_back(arrive);
}

void WaitBarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect wait = onBarrier(Kind::BarrierWait, getAlloc());
  wait.phase = getPhase();
  effects.push_back(wait);
}

void AsyncCopyMbarrierArriveOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect arrive = onBarrier(Kind::BarrierArrive, getBarrier(), 1);
  arrive.threads = Threads::PerThread;
  arrive.moment = Moment::Completion;
  arrive.group = Group::AmdAsync;
  effects.push_back(arrive);
}

void CondBarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect barrier;
  barrier.kind = Kind::TaskBarrier;
  barrier.predicate = getPred();
  barrier.threads = Threads::EachWarp;
  effects.push_back(barrier);
}

void ClusterBarrierArriveOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect arrive;
  arrive.kind = Kind::ClusterArrive;
  arrive.space = Space::SharedCluster;
  effects.push_back(arrive);
}

void ClusterBarrierWaitOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect wait;
  wait.kind = Kind::ClusterWait;
  wait.space = Space::SharedCluster;
  effects.push_back(wait);
}

static void waitForCopies(SyncEffects &effects, int64_t pending) {
  SyncEffect wait;
  wait.kind = Kind::GroupWait;
  wait.threads = Threads::PerThread;
  wait.group = Group::AmdAsync;
  wait.amount = pending;
  effects.push_back(wait);
}

void AsyncWaitOp::getSyncEffects(SyncEffects &effects) { waitForCopies(effects, getNumInst()); }

// Stores and LDS accesses of a thread complete in order for that thread itself;
// only copies to LDS are asynchronous to it.
void MemoryCounterWaitOp::getSyncEffects(SyncEffects &effects) {
  if (std::optional<uint32_t> loads = getLoad())
    waitForCopies(effects, *loads);
}

void InstructionSchedHint::getSyncEffects(SyncEffects &effects) { effects.push_back(SyncEffect{}); }

} // namespace tlx::amdg
