//===- Copies.cpp - cp.async and bulk copies between device and shared memory ---===//
#include "sim/functional/Elementwise.h"
#include "sim/functional/Global.h"

namespace tlx::sim {
namespace {

/// Gathers elements and stores them as a tile; masked-off elements are `other` or zero.
void copyIn(Exec &exec, const Addresses &addresses, unsigned result, const Value *mask,
            const Value *other) {
  Type type = exec.type(result);
  type.kind = TypeKind::Tensor;
  Value elements;
  loadElements(exec, addresses, type, mask, other, elements);
  if (exec.wantsValues())
    exec.writeTile(result, elements, type, sync::Proxy::Generic);
}

const Value *optional(Exec &exec, unsigned i) { return exec.has(i) ? &exec.in(i) : nullptr; }

bool anyUnknown(const Exec &exec) {
  for (unsigned i = 0; i < exec.numOperands(); ++i)
    if (exec.has(i) && exec.in(i).isUnknown())
      return true;
  return false;
}

void asyncCopy(Exec &exec) {
  if (anyUnknown(exec))
    return;
  Addresses addresses{exec.in(0), nullptr, 0, size_t(exec.type(1).numElements())};
  copyIn(exec, addresses, 1, optional(exec, 2), optional(exec, 3));
}

void bufferLoadToLocal(Exec &exec) {
  if (anyUnknown(exec))
    return;
  Addresses addresses{exec.in(1), &exec.in(2), int64_t(byteWidth(exec.type(1).elem)),
                      size_t(exec.type(0).numElements())};
  copyIn(exec, addresses, 0, optional(exec, 3), optional(exec, 4));
}

void asyncCopyOut(Exec &exec) {
  if (anyUnknown(exec) || !exec.wantsValues())
    return;
  Type type = exec.type(0);
  type.kind = TypeKind::Tensor;
  Value elements = exec.readTile(0, type, sync::Proxy::Generic);
  Addresses addresses{exec.in(1), nullptr, 0, size_t(type.numElements())};
  storeElements(exec, addresses, type, elements, optional(exec, 2));
}

/// The bytes of a rank-1 buffer, contiguous on both sides.
void bulkCopy(Exec &exec) {
  if (!exec.wantsValues())
    return;
  const MemRef &ref = exec.in(1).mem();
  uint64_t bytes = uint64_t(exec.in(2).asInt()), address = uint64_t(exec.in(0).asInt());
  Cta *owner = nullptr;
  std::vector<char> *memory = exec.storage(ref, sync::Space::Shared, &owner);
  if (!memory)
    return;
  if (ref.base < 0 || uint64_t(ref.base) + bytes > memory->size())
    return exec.fail(Finding::Kind::OutOfBounds, "a bulk copy of " + std::to_string(bytes) +
                                                     " bytes reaches outside shared memory");
  if (const char *from = exec.global(address, bytes, "a bulk copy"))
    std::memcpy(memory->data() + ref.base, from, bytes);
  ByteRange range{address, bytes};
  exec.noteGlobal(&range, 1, sync::Proxy::Async, false);
  exec.noteShared(*owner, sync::Space::Shared, {{uint64_t(ref.base), bytes}}, sync::Proxy::Async,
                  true);
}

} // namespace

void registerCopies(HandlerTable &table) {
  table.set(Op::AsyncCopy, asyncCopy);
  table.set(Op::BulkCopy, bulkCopy);
  table.set(Op::AsyncCopyLocalToGlobal, asyncCopyOut);
  table.set(Op::BufferLoadToLocal, bufferLoadToLocal);
}

} // namespace tlx::sim
