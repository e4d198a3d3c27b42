//===- Tma.cpp - tensor descriptors and the copies that use them ----------===//
#include "sim/functional/Descriptor.h"
#include "sim/functional/Elementwise.h"

#include <algorithm>

namespace tlx::sim {
namespace {

/// The coordinates of a copy: operands from `first` on.
bool coordinates(Exec &exec, unsigned first, std::vector<int64_t> &coords) {
  for (unsigned i = first; i < exec.numOperands(); ++i) {
    if (exec.in(i).isUnknown()) {
      exec.unsupported("a coordinate that a run without values does not compute");
      return false;
    }
    coords.push_back(exec.in(i).asInt());
  }
  return true;
}

/// What the hardware demands of a tiled descriptor: 16-byte alignment.
bool aligned(Exec &exec, const DescRef &desc) {
  auto bad = [&](std::string text) {
    exec.fail(Finding::Kind::BadLaunch, std::move(text));
    return false;
  };
  if (desc.address % 16)
    return bad("a TMA descriptor's address must be a multiple of 16 bytes; got one that is " +
               std::to_string(desc.address % 16) + " beyond");
  for (int d = 0; d + 1 < desc.rank; ++d)
    if (desc.strides[d] % 16)
      return bad("a TMA descriptor's strides must be multiples of 16 bytes; got " +
                 std::to_string(desc.strides[d]) + " along dimension " + std::to_string(d));
  return true;
}

/// The descriptor of operand 0, and coordinates that fit it.
const DescRef *checked(Exec &exec, const std::vector<int64_t> &coords) {
  thread_local DescRef desc;
  if (!currentDescriptor(exec, desc))
    return nullptr;
  if (coords.size() != exec.type(0).shape.size() || desc.rank != int32_t(coords.size())) {
    exec.fail(Finding::Kind::BadLaunch, "a descriptor of rank " + std::to_string(desc.rank) +
                                            " used with " + std::to_string(coords.size()) +
                                            " coordinates");
    return nullptr;
  }
  return &desc;
}

void storeDescriptor(Exec &exec, uint64_t address, const DescRef &desc) {
  char *bytes = exec.global(address, 128, "a descriptor store");
  if (!bytes)
    return;
  packDescriptor(desc, bytes);
  ByteRange range{address, 128};
  exec.noteGlobal(&range, 1, sync::Proxy::Generic, true);
}

void makeTensorDescriptor(Exec &exec) {
  int64_t rank = exec.attrs().count;
  const Type &type = exec.resultType();
  DescRef desc;
  desc.rank = int32_t(rank);
  desc.elem = type.elem;
  desc.padNan = exec.attrs().padNan;
  for (unsigned i = 0; i < exec.numOperands(); ++i)
    if (exec.has(i) && exec.in(i).isUnknown())
      return exec.unsupported("a descriptor that a run without values does not compute");
  desc.address = uint64_t(exec.in(0).asInt());
  for (int64_t d = 0; d < rank; ++d) {
    desc.shape[d] = exec.in(unsigned(2 + d)).asInt();
    desc.strides[d] = exec.in(unsigned(2 + rank + d)).asInt() * int64_t(byteWidth(type.elem));
  }
  exec.out(0, Value::descriptor(desc));
  if (exec.has(1))
    storeDescriptor(exec, uint64_t(exec.in(1).asInt()), desc);
}

/// A view of memory: the descriptor may be written there later.
void reinterpretTensorDescriptor(Exec &exec) {
  DescRef desc;
  desc.stored = uint64_t(exec.in(0).asInt());
  exec.out(0, Value::descriptor(desc));
}

/// Dimensions come innermost first, strides in bytes, as in the tensor map itself.
void tensormapCreate(Exec &exec) {
  int64_t rank = exec.attrs().count;
  const std::vector<int64_t> &ints = exec.attrs().ints;
  // PTX's tensormap.replace.elemtype; 8, 11 and 12 are f32 flushed or as tf32.
  static const DType types[] = {DType::u8,   DType::u16, DType::u32, DType::i32, DType::u64,
                                DType::i64,  DType::f16, DType::f32, DType::f32, DType::f64,
                                DType::bf16, DType::f32, DType::f32};
  int64_t elem = ints.empty() ? 0 : ints[0];
  if (elem < 0 || elem > 12)
    return exec.unsupported("a tensor map of element type " + std::to_string(elem));
  DescRef desc;
  desc.rank = int32_t(rank);
  desc.elem = types[elem];
  desc.padNan = ints.size() > 1 && ints[1] == 1;
  desc.address = uint64_t(exec.in(1).asInt());
  unsigned dims = unsigned(2 + rank), strides = unsigned(2 + 2 * rank);
  for (int64_t d = 0; d < rank; ++d) {
    desc.shape[rank - 1 - d] = exec.in(unsigned(dims + d)).asInt();
    desc.strides[rank - 1 - d] =
        d ? exec.in(unsigned(strides + d - 1)).asInt() : int64_t(byteWidth(desc.elem));
  }
  storeDescriptor(exec, uint64_t(exec.in(0).asInt()), desc);
}

void updateTensorDescriptor(Exec &exec) {
  DescRef desc = exec.in(0).desc();
  const std::vector<int64_t> &ints = exec.attrs().ints;
  unsigned offsets = ints.size() > 0 ? unsigned(ints[0]) : 0;
  unsigned bounds = ints.size() > 1 ? unsigned(ints[1]) : 0;
  bool clamp = ints.size() > 2 && ints[2];
  if (exec.has(1))
    desc.predicate = exec.in(1).asInt() != 0;
  for (unsigned d = 0; d < offsets; ++d)
    desc.offsets[d] += exec.in(2 + d).asInt();
  for (unsigned d = 0; d < bounds; ++d)
    desc.shape[d] = desc.offsets[d] + exec.in(2 + offsets + d).asInt();
  (void)clamp; // bounds stay where they are: the offset moves within them
  exec.out(0, Value::descriptor(desc));
}

void descriptorLoad(Exec &exec) {
  const Type &type = exec.resultType();
  if (!exec.wantsValues() && isFloat(type.elem))
    return exec.out(0, Value::unknown());
  std::vector<int64_t> coords;
  if (!coordinates(exec, 1, coords))
    return;
  const DescRef *desc = checked(exec, coords);
  if (!desc)
    return;
  std::vector<char> raw;
  readBox(exec, *desc, exec.type(0).shape, coords, raw, sync::Proxy::Async);
  size_t count = type.numElements();
  Value result = Value::elements(storeOf(type), count);
  fromMemory(type, raw.data(), result.mutableData<char>(), count);
  exec.out(0, std::move(result));
}

std::vector<char> rawOf(const Value &value, const Type &type, DType elem) {
  Type as = type;
  as.elem = elem;
  size_t count = type.numElements();
  std::vector<char> raw(count * 8);
  toMemory(as, value.expanded(count).data<char>(), raw.data(), count);
  return raw;
}

void descriptorStore(Exec &exec) {
  // Without values the access is noted and nothing is stored.
  bool known = !exec.in(1).isUnknown();
  for (unsigned i = 0; !known && i < exec.numOperands(); ++i)
    if (i != 1 && exec.in(i).isUnknown())
      return;
  std::vector<int64_t> coords;
  if (!coordinates(exec, 2, coords))
    return;
  const DescRef *desc = checked(exec, coords);
  if (!desc)
    return;
  std::vector<char> raw;
  if (known)
    raw = rawOf(exec.in(1), exec.type(1), exec.type(1).elem);
  writeBox(exec, *desc, exec.type(0).shape, coords, known ? raw.data() : nullptr,
           sync::Proxy::Async, exec.attrs().reduceKind);
}

/// One row of the block for each row index; the column is common.
template <typename F> bool forEachRow(Exec &exec, unsigned rowsOperand, F f) {
  DescRef desc;
  if (!currentDescriptor(exec, desc))
    return false;
  Shape block = exec.type(0).shape;
  if (desc.rank != 2 || block.size() != 2) {
    exec.fail(Finding::Kind::BadLaunch, "gather and scatter need a descriptor of rank 2");
    return false;
  }
  block[0] = 1;
  int64_t column = exec.in(rowsOperand + 1).asInt();
  size_t rows = size_t(exec.type(rowsOperand).numElements());
  for (size_t r = 0; r < rows; ++r)
    f(r, desc, block, std::vector<int64_t>{exec.in(rowsOperand).asInt(r), column});
  return true;
}

std::vector<char> gatherRows(Exec &exec, unsigned rowsOperand) {
  std::vector<char> all, one;
  forEachRow(
      exec, rowsOperand,
      [&](size_t, const DescRef &desc, const Shape &block, const std::vector<int64_t> &coords) {
        readBox(exec, desc, block, coords, one, sync::Proxy::Async);
        all.insert(all.end(), one.begin(), one.end());
      });
  return all;
}

void scatterRows(Exec &exec, unsigned rowsOperand, const std::vector<char> &raw) {
  forEachRow(
      exec, rowsOperand,
      [&](size_t r, const DescRef &desc, const Shape &block, const std::vector<int64_t> &coords) {
        size_t rowBytes = block[1] * byteWidth(desc.elem);
        writeBox(exec, desc, block, coords, raw.data() + r * rowBytes, sync::Proxy::Async);
      });
}

void descriptorGather(Exec &exec) {
  if (skipUnknown(exec))
    return;
  std::vector<char> raw = gatherRows(exec, 1);
  const Type &type = exec.resultType();
  size_t count = type.numElements();
  raw.resize(std::max(raw.size(), count * byteWidth(type.elem)));
  Value result = Value::elements(storeOf(type), count);
  fromMemory(type, raw.data(), result.mutableData<char>(), count);
  exec.out(0, std::move(result));
}

void descriptorScatter(Exec &exec) {
  if (skipUnknown(exec))
    return;
  scatterRows(exec, 1, rawOf(exec.in(3), exec.type(3), exec.type(3).elem));
}

void tmaLoad(Exec &exec) {
  if (!exec.wantsValues() && !exec.cluster.wantsAccesses())
    return;
  std::vector<int64_t> coords;
  if (!coordinates(exec, 5, coords))
    return;
  const DescRef *desc = checked(exec, coords);
  if (!desc || !aligned(exec, *desc))
    return;
  thread_local std::vector<char> raw;
  readBox(exec, *desc, exec.type(0).shape, coords, raw, sync::Proxy::Async);
  if (!exec.wantsValues())
    return;
  const Type &to = exec.type(2);
  size_t bytes = size_t(to.numElements() * to.memoryElementBytes());
  if (raw.size() != bytes)
    return exec.fail(Finding::Kind::BadLaunch, "a box of " + std::to_string(raw.size()) +
                                                   " bytes loaded into a buffer of " +
                                                   std::to_string(bytes));
  if (!exec.has(4)) {
    exec.writeTileRaw(2, raw.data(), sync::Proxy::Async);
    return;
  }
  int64_t mask = exec.in(4).asInt();
  for (int32_t rank = 0; rank < 16; ++rank)
    if (mask >> rank & 1)
      exec.writeTileRaw(2, raw.data(), sync::Proxy::Async, rank);
}

void tmaStore(Exec &exec) {
  std::vector<int64_t> coords;
  if (!exec.wantsValues() || !coordinates(exec, 2, coords))
    return;
  const DescRef *desc = checked(exec, coords);
  if (!desc || !aligned(exec, *desc))
    return;
  thread_local std::vector<char> raw;
  if (!exec.readTileRaw(1, raw, sync::Proxy::Async))
    return;
  writeBox(exec, *desc, exec.type(0).shape, coords, raw.data(), sync::Proxy::Async,
           exec.inst.op == Op::TmaReduce ? exec.attrs().reduceKind : ReduceKind::None);
}

void tmaGather(Exec &exec) {
  if (!exec.wantsValues() || skipUnknown(exec))
    return;
  std::vector<char> raw = gatherRows(exec, 1);
  const Type &to = exec.type(4);
  raw.resize(size_t(to.numElements() * to.memoryElementBytes()));
  exec.writeTileRaw(4, raw.data(), sync::Proxy::Async);
}

void tmaScatter(Exec &exec) {
  if (!exec.wantsValues() || skipUnknown(exec))
    return;
  std::vector<char> raw;
  if (exec.readTileRaw(3, raw, sync::Proxy::Async))
    scatterRows(exec, 1, raw);
}

/// The first bytes of a buffer as they lie in memory.
void bulkStore(Exec &exec) {
  if (!exec.wantsValues())
    return;
  const MemRef &ref = exec.in(0).mem();
  uint64_t bytes = uint64_t(exec.in(2).asInt());
  Cta *owner = nullptr;
  std::vector<char> *memory = exec.storage(ref, sync::Space::Shared, &owner);
  if (!memory)
    return;
  if (ref.base < 0 || uint64_t(ref.base) + bytes > memory->size())
    return exec.fail(Finding::Kind::OutOfBounds, "a bulk store of " + std::to_string(bytes) +
                                                     " bytes reaches outside shared memory");
  uint64_t address = uint64_t(exec.in(1).asInt());
  if (char *to = exec.global(address, bytes, "a bulk store"))
    std::memcpy(to, memory->data() + ref.base, bytes);
  exec.noteShared(*owner, sync::Space::Shared, {{uint64_t(ref.base), bytes}}, sync::Proxy::Async,
                  false);
  ByteRange range{address, bytes};
  exec.noteGlobal(&range, 1, sync::Proxy::Async, true);
}

} // namespace

void registerTma(HandlerTable &table) {
  table.set(Op::MakeTensorDescriptor, makeTensorDescriptor);
  table.set(Op::ReinterpretTensorDescriptor, reinterpretTensorDescriptor);
  table.set(Op::TensormapCreate, tensormapCreate);
  table.set(Op::UpdateTensorDescriptor, updateTensorDescriptor);
  table.set(Op::DescriptorLoad, descriptorLoad);
  table.set(Op::DescriptorStore, descriptorStore);
  table.set(Op::DescriptorGather, descriptorGather);
  table.set(Op::DescriptorScatter, descriptorScatter);
  table.set(Op::TmaLoad, tmaLoad);
  table.set(Op::TmaStore, tmaStore);
  table.set(Op::TmaReduce, tmaStore);
  table.set(Op::TmaGather, tmaGather);
  table.set(Op::TmaScatter, tmaScatter);
  table.set(Op::BulkStore, bulkStore);
}

} // namespace tlx::sim
