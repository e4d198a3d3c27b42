// Asynchronous copies and remote stores: verifiers and synchronisation effects.
#include "compiler/dialect/ttg/TTG.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttg {

LogicalResult AsyncCopyGlobalToLocalOp::verify() {
  if (!getResult().getType().getMutableMemory())
    return emitOpError("writes a buffer that is not mutable: ") << getResult().getType();
  if (!getUseBulk()) {
    auto values = dyn_cast<RankedTensorType>(tt::pointeeSameShape(getSrc().getType()));
    if (!values)
      return emitOpError("needs a tensor of pointers unless useBulk is set");
    MemDescType buffer = getResult().getType();
    if (values.getShape() != buffer.getShape() ||
        values.getElementType() != buffer.getElementType())
      return emitOpError("values of type ") << values << " do not fit a buffer of type " << buffer;
    return success();
  }
  if (!getBulkSize() || !getBarrier())
    return emitOpError("with useBulk needs bulk_size and barrier");
  if (getMask() || getOther())
    return emitOpError("with useBulk takes neither mask nor other");
  return success();
}

void AsyncCopyGlobalToLocalOp::getSyncEffects(SyncEffects &effects) {
  bool bulk = getUseBulk();
  SyncEffect read;
  read.kind = Kind::Read;
  read.space = Space::Global;
  read.moment = Moment::Completion;
  read.proxy = bulk ? Proxy::Async : Proxy::Generic;
  read.threads = bulk ? Threads::Elected : Threads::PerThread;
  read.group = bulk ? Group::None : Group::CpAsync;
  read.target = getSrc();
  read.barrier = getBarrier();
  SyncEffect write = read;
  write.kind = Kind::Write;
  write.space = Space::Shared;
  write.target = getResult();
  effects.push_back(read);
  effects.push_back(write);
  if (!bulk)
    return;
  SyncEffect complete;
  complete.kind = Kind::BarrierComplete;
  complete.space = Space::Shared;
  complete.moment = Moment::Completion;
  complete.target = getBarrier();
  complete.amountValue = getBulkSize();
  effects.push_back(complete);
}

void AsyncCommitGroupOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect commit;
  commit.kind = Kind::GroupCommit;
  commit.group = Group::CpAsync;
  commit.threads = Threads::PerThread;
  effects.push_back(commit);
}

void AsyncWaitOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect wait;
  wait.kind = Kind::GroupWait;
  wait.group = Group::CpAsync;
  wait.threads = Threads::PerThread;
  wait.amount = getNum();
  effects.push_back(wait);
}

//===----------------------------------------------------------------------===//
// Remote shared memory
//===----------------------------------------------------------------------===//

static LogicalResult verifyRemote(Operation *op, MemDescType dst, ShapedType src) {
  if (!dst.getMutableMemory())
    return op->emitOpError("writes a buffer that is not mutable: ") << dst;
  if (dst.getShape() != src.getShape() || dst.getElementType() != src.getElementType())
    return op->emitOpError("source of type ") << src << " does not fit a buffer of type " << dst;
  return success();
}

LogicalResult RemoteShmemStoreOp::verify() {
  return verifyRemote(*this, getDst().getType(), cast<ShapedType>(getSrc().getType()));
}
LogicalResult AsyncRemoteShmemStoreOp::verify() {
  return verifyRemote(*this, getDst().getType(), cast<ShapedType>(getSrc().getType()));
}
LogicalResult AsyncRemoteShmemCopyOp::verify() {
  return verifyRemote(*this, getDst().getType(), getSrc().getType());
}

static SyncEffect remoteWrite(Value dst, Value rank) {
  SyncEffect write;
  write.kind = Kind::Write;
  write.space = Space::SharedCluster;
  write.target = dst;
  write.rank = rank;
  return write;
}

static SyncEffect remoteComplete(Value barrier, Value rank, int64_t bytes) {
  SyncEffect complete;
  complete.kind = Kind::BarrierComplete;
  complete.space = Space::SharedCluster;
  complete.moment = Moment::Completion;
  complete.target = barrier;
  complete.rank = rank;
  complete.amount = bytes;
  return complete;
}

void RemoteShmemStoreOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(remoteWrite(getDst(), getCtaRank()));
}

void AsyncRemoteShmemStoreOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect write = remoteWrite(getDst(), getCtaRank());
  write.moment = Moment::Completion;
  write.barrier = getBarrier();
  effects.push_back(write);
  effects.push_back(remoteComplete(getBarrier(), getCtaRank(), bytesOf(getDst().getType())));
}

void AsyncRemoteShmemCopyOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect read;
  read.kind = Kind::Read;
  read.space = Space::Shared;
  read.proxy = Proxy::Async;
  read.moment = Moment::Completion;
  read.threads = Threads::Elected;
  read.target = getSrc();
  // Completion shows on the remote CTA's copy of the barrier; what is read is the own.
  read.barrier = getBarrier();
  SyncEffect write = remoteWrite(getDst(), getCtaRank());
  write.proxy = Proxy::Async;
  write.moment = Moment::Completion;
  write.threads = Threads::Elected;
  write.barrier = getBarrier();
  effects.push_back(read);
  effects.push_back(write);
  effects.push_back(remoteComplete(getBarrier(), getCtaRank(), bytesOf(getDst().getType())));
}

} // namespace tlx::ttg
