// mbarriers, named barriers and fences: verifiers and synchronisation effects.
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/dialect/ttng/TTNGVerify.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttng {

/// An effect on the mbarrier in `barrier`, here or in the CTA it is mapped to.
static SyncEffect onBarrier(Kind kind, Value barrier, int64_t amount = 0) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = spaceOf(barrier);
  effect.target = barrier;
  effect.rank = remoteRankOf(barrier);
  effect.amount = amount;
  return effect;
}

LogicalResult InitBarrierOp::verify() {
  if (failed(verifyBarrier(*this, getAlloc())))
    return failure();
  return verifyArrivals(*this, getCount());
}

void InitBarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect init = onBarrier(Kind::BarrierInit, getAlloc(), getCount());
  init.threads = Threads::Elected;
  effects.push_back(init);
}

LogicalResult InvalBarrierOp::verify() { return verifyBarrier(*this, getAlloc()); }

void InvalBarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect inval = onBarrier(Kind::BarrierInval, getAlloc());
  inval.threads = Threads::Elected;
  effects.push_back(inval);
}

LogicalResult BarrierExpectOp::verify() { return verifyBarrier(*this, getAlloc()); }

// mbarrier.arrive.expect_tx: the bytes first, then the arrival.
void BarrierExpectOp::getSyncEffects(SyncEffects &effects) {
  for (auto [kind, amount] : {std::pair<Kind, int64_t>(Kind::BarrierExpect, int32_t(getSize())),
                              std::pair<Kind, int64_t>(Kind::BarrierArrive, 1)}) {
    SyncEffect effect = onBarrier(kind, getAlloc(), amount);
    effect.threads = Threads::Elected;
    effect.predicate = getPred();
    effect.taskBarrierBefore = true;
    effects.push_back(effect);
  }
}

LogicalResult WaitBarrierOp::verify() { return verifyBarrier(*this, getAlloc()); }

void WaitBarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect wait = onBarrier(Kind::BarrierWait, getAlloc());
  wait.phase = getPhase();
  wait.predicate = getPred();
  effects.push_back(wait);
}

LogicalResult ArriveBarrierOp::verify() {
  if (failed(verifyBarrier(*this, getAlloc())) || failed(verifyArrivals(*this, getCount())))
    return failure();
  if (!getCtaMask().value_or(0))
    return success();
  if (getPerThread())
    return emitOpError("cannot both arrive in several CTAs (ctaMask) and perThread");
  if (contextNumCtas(*this) <= 1)
    return emitOpError("ctaMask requires ttg.num-ctas > 1");
  return success();
}

void ArriveBarrierOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect arrive = onBarrier(Kind::BarrierArrive, getAlloc(), getCount());
  arrive.predicate = getPred();
  arrive.threads = getPerThread() ? Threads::PerThread : Threads::Elected;
  arrive.taskBarrierBefore = !getPerThread();
  arrive.rankMask = getCtaMask().value_or(0);
  effects.push_back(arrive);
}

LogicalResult AsyncCopyMbarrierArriveOp::verify() { return verifyBarrier(*this, getBarrier()); }

void AsyncCopyMbarrierArriveOp::getSyncEffects(SyncEffects &effects) {
  // Incrementing the pending count first makes the arrival count for nothing,
  // but the phase cannot complete before it.
  SyncEffect arrive = onBarrier(Kind::BarrierArrive, getBarrier(), getNoIncrement() ? 1 : 0);
  arrive.threads = Threads::PerThread;
  arrive.moment = Moment::Completion;
  arrive.group = Group::CpAsync;
  effects.push_back(arrive);
}

static SyncEffect onNamedBarrier(Kind kind, Value id, Value threads) {
  SyncEffect effect;
  effect.kind = kind;
  effect.target = id;
  effect.amountValue = threads;
  return effect;
}

void NamedBarrierArriveOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(onNamedBarrier(Kind::NamedBarrierArrive, getBar(), getNumThreads()));
}

void NamedBarrierWaitOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(onNamedBarrier(Kind::NamedBarrierSync, getBar(), getNumThreads()));
}

void FenceAsyncSharedOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect fence;
  fence.kind = Kind::ProxyFence;
  fence.space = getBCluster() ? Space::SharedCluster : Space::Shared;
  fence.threads = Threads::PerThread;
  effects.push_back(fence);
}

LogicalResult FenceOp::verify() {
  if (getScope() != "gpu" && getScope() != "sys" && getScope() != "cta")
    return emitOpError("scope must be cta, gpu or sys; got ") << getScope();
  return success();
}

void FenceOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect fence;
  fence.kind = Kind::MemoryFence;
  fence.space = getScope() == "cta" ? Space::Shared : Space::Global;
  fence.threads = Threads::PerThread;
  effects.push_back(fence);
}

void FenceMBarrierInitReleaseClusterOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect fence;
  fence.kind = Kind::BarrierInitFence;
  fence.space = Space::SharedCluster;
  fence.threads = Threads::PerThread;
  effects.push_back(fence);
}

} // namespace tlx::ttng
