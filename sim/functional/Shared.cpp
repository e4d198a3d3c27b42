//===- Shared.cpp - shared memory: allocation, views, loads and stores ----===//
//
// A view is a base byte and the coordinates of a slice within the layout; the layout itself
// comes with the register's type.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Elementwise.h"
#include "sim/functional/Global.h"
#include "sim/functional/Views.h"

#include <algorithm>

namespace tlx::sim {

void allocate(Exec &exec) {
  int32_t allocation = exec.attrs().allocation;
  MemRef ref;
  ref.allocation = allocation;
  ref.base = exec.prepared.allocOffsets[allocation];
  Value memory = Value::memory(ref);
  exec.out(0, memory);
}

namespace {

void localAlloc(Exec &exec) {
  allocate(exec);
  if (!exec.has(0) || exec.in(0).isUnknown() || !exec.wantsValues())
    return;
  // Storing through the result: its type describes the memory.
  storeThrough(exec, exec.program.result(exec.inst, 0), exec.in(0), exec.type(0));
}

/// Shared memory stays the CTA's. Tensor memory is given back: whoever uses it must be
/// done, as before a write.
void localDealloc(Exec &exec) {
  if (exec.type(0).space != sync::Space::Tensor)
    return;
  const MemRef &ref = exec.in(0).mem();
  Cta *owner = nullptr;
  if (exec.storage(ref, sync::Space::Tensor, &owner))
    exec.noteAccess(*owner, exec.prepared.map(exec.typeId(0)), ref, sync::Space::Tensor,
                    sync::Proxy::Generic, true);
}

void index(Exec &exec) {
  MemRef ref = exec.in(0).mem();
  const Type &type = exec.type(0);
  int64_t i = exec.in(1).asInt();
  if (exec.in(1).isUnknown())
    return exec.unsupported("a buffer index that a run without values does not compute");
  if (i < 0 || i >= type.shape[0])
    return exec.fail(Finding::Kind::OutOfBounds, "index " + std::to_string(i) + " into " +
                                                     std::to_string(type.shape[0]) + " buffers");
  if (const std::vector<int64_t> &turns = exec.attrs().ints; !turns.empty())
    ref.base += turns[0] * (turns[1] * i + turns[2] + i % turns[3]);
  else
    ref.base += i * indexStride(exec.prepared, exec.typeId(0));
  exec.out(0, Value::memory(ref));
}

/// Dimensions of a memory type that lie before those the layout covers.
size_t leadingDims(const Exec &exec, const Type &type) {
  size_t covered = exec.program.layouts[type.layout].bases.size();
  return type.shape.size() > covered ? type.shape.size() - covered : 0;
}

void subslice(Exec &exec) {
  MemRef ref = exec.in(0).mem();
  const Type &type = exec.type(0), &to = exec.resultType();
  const size_t leading = leadingDims(exec, type);
  const size_t covered = exec.program.layouts[type.layout].bases.size();
  const size_t dropped = covered > type.shape.size() ? covered - type.shape.size() : 0;
  for (size_t d = 0; d < type.shape.size(); ++d) {
    int64_t offset;
    if (exec.inst.op == Op::MemDescSubslice) {
      offset = d < exec.attrs().ints.size() ? exec.attrs().ints[d] : 0;
    } else {
      if (exec.in(unsigned(d + 1)).isUnknown())
        return exec.unsupported("a slice offset that a run without values does not compute");
      offset = exec.in(unsigned(d + 1)).asInt();
    }
    if (offset < 0 || offset + to.shape[d] > type.shape[d])
      return exec.fail(Finding::Kind::OutOfBounds, "slice [" + std::to_string(offset) + ", " +
                                                       std::to_string(offset + to.shape[d]) +
                                                       ") of a dimension of " +
                                                       std::to_string(type.shape[d]));
    if (d < leading) {
      int64_t stride = indexStride(exec.prepared, exec.typeId(0));
      for (size_t e = 1; e <= d; ++e)
        stride /= type.shape[e];
      ref.base += offset * stride;
      continue;
    }
    if (offset % to.shape[d])
      return exec.unsupported("a slice at " + std::to_string(offset) +
                              ", which is not a multiple of its size of " +
                              std::to_string(to.shape[d]));
    ref.offsets[d - leading + dropped] += offset;
  }
  exec.out(0, Value::memory(ref));
}

void transView(Exec &exec) {
  MemRef ref = exec.in(0).mem(), result = ref;
  const std::vector<int64_t> &order = exec.attrs().ints;
  for (size_t d = 0; d < order.size() && d < 6; ++d)
    result.offsets[d] = ref.offsets[order[d]];
  exec.out(0, Value::memory(result));
}

/// reshape and reinterpret: the same bytes under another type. A slice keeps its place
/// as a byte offset, which is what its base pointer is.
void sameMemory(Exec &exec) {
  MemRef ref = exec.in(0).mem();
  const Type &type = exec.type(0);
  const MemLayout &layout = exec.program.layouts[type.layout];
  ref.base += int64_t(sliceOffset(layout, ref)) * type.memoryElementBytes();
  std::fill(std::begin(ref.offsets), std::end(ref.offsets), 0);
  exec.out(0, Value::memory(ref));
}

void localLoad(Exec &exec) {
  if (!exec.wantsValues())
    return exec.out(0, Value::unknown());
  exec.out(0, exec.readTile(0, exec.resultType(), sync::Proxy::Generic));
}

void localStore(Exec &exec) {
  if (exec.in(0).isUnknown() || !exec.wantsValues())
    return;
  exec.writeTile(1, exec.in(0), exec.type(0), sync::Proxy::Generic);
}

/// Byte offset of an element of a memory tile.
int64_t elementAt(const Exec &exec, const Type &type, const MemRef &ref, const int64_t *coords) {
  const MemLayout &layout = exec.program.layouts[type.layout];
  int64_t full[6] = {};
  for (size_t d = 0; d < layout.bases.size() && d < 6; ++d)
    full[d] = ref.offsets[d] ^ coords[d];
  return ref.base + int64_t(layout.offset(full)) * type.memoryElementBytes();
}

/// Calls f(element, byte offset) for every element of an index tensor, the index
/// replacing its coordinate along the axis. False: a finding was made.
template <typename F>
bool forEachIndexed(Exec &exec, unsigned memOperand, unsigned indexOperand, F f) {
  const Type &memType = exec.type(memOperand), &indexType = exec.type(indexOperand);
  const MemRef &ref = exec.in(memOperand).mem();
  const Value &indices = exec.in(indexOperand);
  int64_t axis = exec.attrs().axis, count = indexType.numElements();
  std::vector<int64_t> coords(std::max<size_t>(indexType.shape.size(), 1));
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = indexType.shape.size(); d-- > 0;) {
      coords[d] = rest % indexType.shape[d];
      rest /= indexType.shape[d];
    }
    int64_t at = indices.asInt(size_t(i));
    if (at < 0 || at >= memType.shape[axis]) {
      exec.fail(Finding::Kind::OutOfBounds, "index " + std::to_string(at) +
                                                " along a dimension of " +
                                                std::to_string(memType.shape[axis]));
      return false;
    }
    coords[axis] = at;
    f(size_t(i), elementAt(exec, memType, ref, coords.data()));
  }
  return true;
}

void localGather(Exec &exec) {
  if (skipUnknown(exec))
    return;
  if (!exec.wantsValues())
    return exec.out(0, Value::unknown());
  const Type &type = exec.resultType();
  Cta *owner = nullptr;
  std::vector<char> *memory = exec.storage(exec.in(0).mem(), sync::Space::Shared, &owner);
  if (!memory)
    return;
  size_t size = exec.type(0).memoryElementBytes();
  std::vector<char> raw(type.numElements() * size);
  std::vector<ByteRange> ranges;
  forEachIndexed(exec, 0, 1, [&](size_t i, int64_t at) {
    if (at >= 0 && at + size <= memory->size())
      std::memcpy(raw.data() + i * size, memory->data() + at, size);
    ranges.push_back({uint64_t(at), size});
  });
  Value result = Value::elements(storeOf(type), type.numElements());
  fromMemory(type, raw.data(), result.mutableData<char>(), type.numElements());
  exec.noteShared(*owner, sync::Space::Shared, ranges, sync::Proxy::Generic, false);
  exec.out(0, std::move(result));
}

void localScatter(Exec &exec) {
  if (skipUnknown(exec) || !exec.wantsValues())
    return;
  const Type &type = exec.type(1);
  Cta *owner = nullptr;
  std::vector<char> *memory = exec.storage(exec.in(0).mem(), sync::Space::Shared, &owner);
  if (!memory)
    return;
  size_t size = exec.type(0).memoryElementBytes(), count = type.numElements();
  std::vector<char> raw(count * 8);
  toMemory(type, exec.in(1).expanded(count).data<char>(), raw.data(), count);
  std::vector<ByteRange> ranges;
  forEachIndexed(exec, 0, 2, [&](size_t i, int64_t at) {
    if (at >= 0 && at + size <= memory->size())
      std::memcpy(memory->data() + at, raw.data() + i * size, size);
    ranges.push_back({uint64_t(at), size});
  });
  exec.noteShared(*owner, sync::Space::Shared, ranges, sync::Proxy::Generic, true);
}

void localAtomicScatter(Exec &exec) {
  if (skipUnknown(exec) || !exec.wantsValues())
    return exec.out(0, Value::unknown());
  const Type &type = exec.type(1);
  Cta *owner = nullptr;
  std::vector<char> *memory = exec.storage(exec.in(0).mem(), sync::Space::Shared, &owner);
  if (!memory)
    return;
  size_t size = exec.type(0).memoryElementBytes(), count = type.numElements();
  Value values = exec.in(1).expanded(count);
  Value result = Value::elements(storeOf(type), count);
  size_t bytes = storeBytes(result.store());
  std::vector<ByteRange> ranges;
  forEachIndexed(exec, 0, 2, [&](size_t i, int64_t at) {
    std::memset(result.mutableData<char>() + i * bytes, 0, bytes);
    if ((exec.has(3) && !exec.in(3).asInt(i)) || at < 0 || at + size > memory->size())
      return;
    Value old = Value::elements(result.store(), 1), operand = Value::elements(result.store(), 1);
    fromMemory(type, memory->data() + at, old.mutableData<char>(), 1);
    std::memcpy(operand.mutableData<char>(), values.data<char>() + i * bytes, bytes);
    std::memcpy(result.mutableData<char>() + i * bytes, old.data<char>(), bytes);
    toMemory(type, rmwElement(exec.attrs().rmw, type, old, operand).data<char>(),
             memory->data() + at, 1);
    ranges.push_back({uint64_t(at), size});
  });
  exec.noteShared(*owner, sync::Space::Shared, ranges, sync::Proxy::Generic, true);
  exec.out(0, std::move(result));
}

} // namespace

void registerShared(HandlerTable &table) {
  table.set(Op::LocalAlloc, localAlloc);
  table.set(Op::LocalDealloc, localDealloc);
  table.set(Op::MemDescIndex, index);
  table.set(Op::MemDescSubslice, subslice);
  table.set(Op::MemDescDynamicSubslice, subslice);
  table.set(Op::MemDescTrans, transView);
  table.set(Op::MemDescReshape, sameMemory);
  table.set(Op::MemDescReinterpret, sameMemory);
  table.set(Op::LocalLoad, localLoad);
  table.set(Op::LocalStore, localStore);
  table.set(Op::LocalGather, localGather);
  table.set(Op::LocalScatter, localScatter);
  table.set(Op::LocalAtomicScatterRmw, localAtomicScatter);
}

} // namespace tlx::sim
