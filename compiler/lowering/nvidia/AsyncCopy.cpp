// cp.async, bulk copies, and stores to the shared memory of other CTAs.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Global.h"
#include "compiler/lowering/nvidia/Ptx.h"
#include "compiler/lowering/nvidia/SharedAccess.h"

#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace LL = mlir::LLVM;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {
namespace {

int64_t bytesOfBuffer(Value buffer) { return bytesOf(buffer.getType()); }

LogicalResult lowerBulk(ttg::AsyncCopyGlobalToLocalOp op, Emitter &e) {
  Value bytes =
      op.getBulkSize() ? e.scalar(op.getBulkSize()) : e.i32(bytesOfBuffer(op.getResult()));
  ptx::bulkCopyToShared(e, e.isElected(), e.buffer(op.getResult()).base, e.scalar(op.getSrc()),
                        bytes, e.buffer(op.getBarrier()).base);
  e.set(op.getToken(), Registers());
  return success();
}

/// The registers of a tile of pointers in the layout of the copy's destination.
SharedAccess accessFor(Emitter &e, RankedTensorType tile, ttg::MemDescType buffer, Type element) {
  LinearLayout registers = e.layout(tile);
  const LinearLayout &shared = e.layout(buffer);
  for (const LinearLayout::Dim &dim : shared.outs())
    registers = registers.resizeOut(dim.name, dim.bits);
  return SharedAccess(e, registers, shared, element);
}

/// Less than 4 bytes, which cp.async lacks, go through a register: at once, which is
/// earlier than the group that the program waits for.
void copyThroughRegister(Emitter &e, Value address, Value pointer, Value mask, Value other,
                         Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  Type word = e.b.getIntegerType(bits);
  Value otherwise = other ? e.cast(other, word) : e.constant(word, 0);
  Value loaded = ptx::loadGlobal(e, mask, pointer, {otherwise}, {}).front();
  e.storeShared(loaded, address);
}

bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

LogicalResult lowerCopy(ttg::AsyncCopyGlobalToLocalOp op, Emitter &e) {
  if (op.getUseBulk())
    return lowerBulk(op, e);
  auto pointers = dyn_cast<RankedTensorType>(op.getSrc().getType());
  if (!pointers)
    return op.emitError("'ttg.async_copy_global_to_local' of a scalar pointer must be a bulk copy");
  auto buffer = cast<ttg::MemDescType>(op.getResult().getType());
  Type element = e.scalarType(buffer.getElementType());
  int64_t bytes = Emitter::memoryBits(buffer.getElementType()) / 8;
  const Registers sources = e.get(op.getSrc());
  SharedAccess access = accessFor(e, pointers, buffer, element);
  access.limit(pointerVector(e, op.getSrc(), op.getMask(), bytes * 8));
  // Of threads with the same elements one copies: nothing orders two copies to one place.
  Value owner = isOwner(e, pointers);
  access.each(e.buffer(op.getResult()), [&](Value address, ArrayRef<int64_t> registers) {
    int64_t size = bytes * int64_t(registers.size()), first = registers.front();
    Value mask = op.getMask() ? e.get(op.getMask())[first] : Value();
    if (size < 4) {
      for (auto [index, reg] : llvm::enumerate(registers))
        copyThroughRegister(e, e.add(address, e.i32(int64_t(index) * bytes)), sources[reg], mask,
                            op.getOther() ? e.get(op.getOther())[reg] : Value(), element);
      return;
    }
    SmallVector<Value> others;
    for (int64_t reg : registers)
      if (mask && op.getOther())
        others.push_back(e.get(op.getOther())[reg]);
    bool fills = !llvm::all_of(others, isZero);
    // A source of no bytes fills the destination with zeros, at any time until the wait: not
    // where something else is stored.
    Value copies = !fills ? owner : owner ? e.band(owner, mask) : mask;
    Value sourceBytes = mask && !fills ? e.select(mask, e.i32(size), e.i32(0)) : Value();
    auto copy = [&] { ptx::copyAsync(e, address, sources[first], size, sourceBytes, ""); };
    copies ? e.ifThen(copies, copy) : copy();
    if (!fills)
      return;
    e.ifThen(e.bxor(mask, e.boolean(true)), [&] {
      for (auto [index, other] : llvm::enumerate(others))
        e.storeShared(other, e.add(address, e.i32(int64_t(index) * bytes)));
    });
  });
  e.set(op.getToken(), Registers());
  return success();
}

LogicalResult lowerCommit(ttg::AsyncCommitGroupOp op, Emitter &e) {
  NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
  e.set(op.getAsyncToken(), Registers());
  return success();
}

LogicalResult lowerWait(ttg::AsyncWaitOp op, Emitter &e) {
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, op.getNum());
  e.set(op.getRetToken(), Registers());
  return success();
}

/// Integers of 32 or 64 bits that hold neighbouring registers.
SmallVector<Value> words(Emitter &e, ArrayRef<Value> elements) {
  unsigned total = elements.front().getType().getIntOrFloatBitWidth() * elements.size();
  if (elements.size() == 1)
    return {e.cast(elements.front(), e.b.getIntegerType(total))};
  Value all = e.undefined(VectorType::get({int64_t(elements.size())}, elements.front().getType()));
  for (auto [index, element] : llvm::enumerate(elements))
    all = LL::InsertElementOp::create(e.b, e.loc, all, element, e.i32(index));
  if (total <= 64)
    return {e.cast(all, e.b.getIntegerType(total))};
  SmallVector<Value> result;
  Value pairs = e.cast(all, VectorType::get({int64_t(total / 64)}, e.b.getI64Type()));
  for (unsigned index = 0; index < total / 64; ++index)
    result.push_back(LL::ExtractElementOp::create(e.b, e.loc, pairs, e.i32(index)));
  return result;
}

LogicalResult storeRemote(Operation *op, Emitter &e, Value source, Value destination, Value rank,
                          Value barrier) {
  auto tile = cast<RankedTensorType>(source.getType());
  auto buffer = cast<ttg::MemDescType>(destination.getType());
  const Registers registers = e.get(source);
  Value owner = isOwner(e, tile);
  Value remoteBarrier = barrier ? ptx::mapToRank(e, e.buffer(barrier).base, rank) : Value();
  uint64_t copies = e.layout(tile).freeVariableMask(layout::kRegister);
  bool tooSmall = false;
  accessFor(e, tile, buffer, e.scalarType(tile))
      .each(e.buffer(destination), [&](Value address, ArrayRef<int64_t> numbers) {
        if (numbers.front() & copies)
          return;
        SmallVector<Value> elements;
        for (int64_t reg : numbers)
          elements.push_back(registers[reg]);
        Value there = ptx::mapToRank(e, address, rank);
        for (auto [index, word] : llvm::enumerate(words(e, elements))) {
          Value at = e.add(there, e.i32(int64_t(index) * 8));
          tooSmall |= barrier && word.getType().getIntOrFloatBitWidth() < 32;
          if (barrier)
            ptx::storeClusterAsync(e, owner, at, word, remoteBarrier);
          else
            ptx::storeCluster(e, owner, at, word);
        }
      });
  if (tooSmall)
    return op->emitError("'") << op->getName()
                              << "' of fewer than 4 consecutive bytes has no "
                                 "instruction";
  return success();
}

LogicalResult lowerRemoteStore(ttg::RemoteShmemStoreOp op, Emitter &e) {
  return storeRemote(op, e, op.getSrc(), op.getDst(), e.scalar(op.getCtaRank()), Value());
}

LogicalResult lowerAsyncRemoteStore(ttg::AsyncRemoteShmemStoreOp op, Emitter &e) {
  return storeRemote(op, e, op.getSrc(), op.getDst(), e.scalar(op.getCtaRank()), op.getBarrier());
}

LogicalResult lowerRemoteCopy(ttg::AsyncRemoteShmemCopyOp op, Emitter &e) {
  Value rank = e.scalar(op.getCtaRank());
  ptx::bulkCopyToCluster(e, e.isElected(), ptx::mapToRank(e, e.buffer(op.getDst()).base, rank),
                         e.buffer(op.getSrc()).base, e.i32(bytesOfBuffer(op.getSrc())),
                         ptx::mapToRank(e, e.buffer(op.getBarrier()).base, rank));
  return success();
}

LogicalResult lowerAsyncStore(ttng::AsyncStoreOp op, Emitter &e) {
  ptx::bulkCopyToGlobal(e, e.isElected(), e.scalar(op.getDst()), e.buffer(op.getSrc()).base,
                        e.scalar(op.getSize()));
  NVVM::CpAsyncBulkCommitGroupOp::create(e.b, e.loc);
  return success();
}

} // namespace

void addAsyncCopy(LoweringTable &table) {
  table.add<ttg::AsyncCopyGlobalToLocalOp>(lowerCopy);
  table.add<ttg::AsyncCommitGroupOp>(lowerCommit);
  table.add<ttg::AsyncWaitOp>(lowerWait);
  table.add<ttg::RemoteShmemStoreOp>(lowerRemoteStore);
  table.add<ttg::AsyncRemoteShmemStoreOp>(lowerAsyncRemoteStore);
  table.add<ttg::AsyncRemoteShmemCopyOp>(lowerRemoteCopy);
  table.add<ttng::AsyncStoreOp>(lowerAsyncStore);
}

} // namespace tlx::nvidia
