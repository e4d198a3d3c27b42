// Cluster launch control: verifiers and synchronisation effects.
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/dialect/ttng/TTNGVerify.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttng {

/// Every CTA of the cluster, as a constant mask of ranks.
static constexpr int64_t allRanks = -1;

/// A request whose answer is written, and completes 16 bytes on `barrier`, at
/// the same place in the CTAs of `ranks`.
static void request(SyncEffects &effects, Value answer, Value barrier, int64_t ranks) {
  SyncEffect ask;
  ask.kind = Kind::ClcRequest;
  ask.threads = Threads::Elected;
  ask.target = answer;
  ask.barrier = barrier;
  effects.push_back(ask);

  SyncEffect write;
  write.kind = Kind::Write;
  write.space = spaceOf(answer);
  write.proxy = Proxy::Async;
  write.moment = Moment::Completion;
  write.threads = Threads::Elected;
  write.target = answer;
  write.barrier = barrier;
  write.rankMask = ranks;
  effects.push_back(write);

  SyncEffect complete;
  complete.kind = Kind::BarrierComplete;
  complete.space = spaceOf(barrier);
  complete.moment = Moment::Completion;
  complete.threads = Threads::Elected;
  complete.target = barrier;
  complete.amount = 16;
  complete.rankMask = ranks;
  effects.push_back(complete);
}

static void readAnswer(SyncEffects &effects, Value answer) {
  SyncEffect read;
  read.kind = Kind::Read;
  read.space = spaceOf(answer);
  read.target = answer;
  effects.push_back(read);
}

void AsyncCLCTryCancelOp::getSyncEffects(SyncEffects &effects) {
  request(effects, getClcResAlloc(), getMbarAlloc(), allRanks);
}

void CLCQueryCancelOp::getSyncEffects(SyncEffects &effects) {
  readAnswer(effects, getClcResAlloc());
}

static LogicalResult verifyAnswer(Operation *op, ttg::MemDescType type) {
  if (!type.getElementType().isInteger(64) || type.getShape().size() != 1)
    return op->emitOpError("answer must be a rank-1 memdesc of i64; got ") << type;
  return success();
}

LogicalResult CLCTryCancelOp::verify() {
  if (failed(verifyAnswer(*this, getResult().getType())))
    return failure();
  return verifyBarrier(*this, getMbarrier());
}

void CLCTryCancelOp::getSyncEffects(SyncEffects &effects) {
  bool multicast = getMulticast().value_or(false);
  request(effects, getResult(), getMbarrier(), multicast ? allRanks : 0);
}

LogicalResult CLCLoadResultOp::verify() { return verifyAnswer(*this, getSrc().getType()); }

void CLCLoadResultOp::getSyncEffects(SyncEffects &effects) { readAnswer(effects, getSrc()); }

static void requestWithoutBuffer(SyncEffects &effects, Moment moment) {
  SyncEffect ask;
  ask.kind = Kind::ClcRequest;
  ask.threads = Threads::Elected;
  ask.moment = moment;
  effects.push_back(ask);
}

void CLCAdvanceOp::getSyncEffects(SyncEffects &effects) {
  requestWithoutBuffer(effects, Moment::Issue);
}

void CLCTryCancelAsyncOp::getSyncEffects(SyncEffects &effects) {
  requestWithoutBuffer(effects, Moment::Completion);
}

void CLCReadOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect wait;
  wait.kind = Kind::BarrierWait;
  wait.target = getToken();
  effects.push_back(wait);
}

} // namespace tlx::ttng
