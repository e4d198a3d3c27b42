//===- Exec.cpp - what an operation's behaviour sees: memory and findings ---===//
#include "sim/functional/Exec.h"

#include "sim/functional/Views.h"

#include <algorithm>

namespace tlx::sim {

bool Exec::wantsValues() const { return cluster.launch().config.values; }

bool Exec::forPair() const {
  if (cluster.numCtas() < 2 || prepared.insts[pc].group != sync::Group::Tcgen05)
    return false;
  for (unsigned i = 0; i < inst.numEffects; ++i)
    if (program.effectsOf(inst)[i].pairLeader)
      return true;
  return false;
}

void Exec::fail(Finding::Kind kind, std::string message, bool fatal) {
  cluster.report({kind, std::move(message), inst.loc, task.ref, {}, 1}, fatal);
}

static std::string hex(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
  return text;
}

char *Exec::global(uint64_t address, uint64_t bytes, const char *what) {
  GlobalMemory &memory = cluster.launch().memory;
  if (char *data = memory.find(address, bytes))
    return data;
  std::string text = std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
                     hex(address) + " outside device memory";
  if (const GlobalMemory::Region *region = memory.nearest(address)) {
    int64_t beyond = int64_t(address + bytes) - int64_t(region->address + region->bytes);
    text += "; '" + region->name + "' has " + std::to_string(region->bytes) + " bytes and ends " +
            std::to_string(beyond) + " bytes before the access does";
  }
  fail(Finding::Kind::OutOfBounds, std::move(text), false);
  return nullptr;
}

std::vector<char> *Exec::storage(const MemRef &ref, sync::Space space, Cta **owner) {
  Cta *target = cluster.ctaOf(ref, cta);
  if (!target) {
    fail(Finding::Kind::OutOfBounds, "memory of CTA rank " + std::to_string(ref.rank) +
                                         " in a cluster of " + std::to_string(cluster.numCtas()));
    return nullptr;
  }
  if (target->exited && target != &cta)
    fail(Finding::Kind::Leftover,
         "touches shared memory of CTA " + std::to_string(target->rank) + ", which has exited",
         false);
  if (owner)
    *owner = target;
  return space == sync::Space::Tensor ? &target->tensor : &target->shared;
}

void Exec::noteAccess(const Cta &owner, const TileMap &map, const MemRef &ref, sync::Space space,
                      sync::Proxy proxy, bool write) {
  bool tracked =
      space == sync::Space::Tensor ? !owner.tensorWritten.empty() : !owner.sharedWritten.empty();
  if (!tracked && !cluster.wantsAccesses() && !write)
    return;
  std::vector<ByteRange> ranges = tileRanges(map, ref);
  bool split = (inst.op == Op::TmemLoad || inst.op == Op::TmemStore) && !attrs().ints.empty();
  if (!split || !cluster.wantsAccesses())
    return noteShared(owner, space, ranges, proxy, write);
  checkBytes(owner, space, ranges, write);
  int32_t warps = 0;
  for (const std::vector<ByteRange> &part : warpGroupRanges(map, ref, attrs().ints))
    tellAccess(owner, space, part, proxy, write, warps++);
}

void Exec::noteShared(const Cta &owner, sync::Space space, const std::vector<ByteRange> &ranges,
                      sync::Proxy proxy, bool write) {
  checkBytes(owner, space, ranges, write);
  tellAccess(owner, space, ranges, proxy, write);
}

void Exec::checkBytes(const Cta &owner, sync::Space space, const std::vector<ByteRange> &ranges,
                      bool write) {
  Cta &target = cluster.cta(owner.rank);
  if (write && space == sync::Space::Shared)
    for (const auto &[offset, barrier] : target.mbarriers)
      for (const ByteRange &range : ranges)
        if (barrier.state.valid && uint64_t(offset) + 8 > range.begin &&
            uint64_t(offset) < range.begin + range.bytes) {
          fail(Finding::Kind::BarrierMisuse,
               "writes over the mbarrier at byte " + hex(uint64_t(offset)) + ", which is in use",
               false);
          break;
        }
  ByteMap &bytes = space == sync::Space::Tensor ? target.tensorWritten : target.sharedWritten;
  if (!bytes.empty()) {
    for (const ByteRange &range : ranges) {
      if (write) {
        bytes.set(range.begin, range.bytes);
      } else if (!bytes.allSet(range.begin, range.bytes)) {
        // Attention kernels rescale an accumulator that the first product then
        // overwrites: reading tensor memory too early is suspicious, not wrong.
        Finding finding{Finding::Kind::Uninitialized,
                        std::string("reads bytes of ") +
                            (space == sync::Space::Tensor ? "tensor" : "shared") +
                            " memory that nobody has written, from byte " + hex(range.begin),
                        inst.loc,
                        task.ref,
                        {},
                        1};
        if (space == sync::Space::Tensor)
          cluster.warn(std::move(finding));
        else
          cluster.report(std::move(finding));
        for (const ByteRange &reported : ranges)
          bytes.set(reported.begin, reported.bytes);
        break;
      }
    }
  }
}

void Exec::tellAccess(const Cta &owner, sync::Space space, const std::vector<ByteRange> &ranges,
                      sync::Proxy proxy, bool write, int32_t warps) {
  if (!cluster.wantsAccesses())
    return;
  AccessEvent event;
  event.by = task.ref;
  event.async = async ? async->id : noAsync;
  event.op = async;
  event.pc = pc;
  event.space = space;
  event.proxy = proxy;
  event.write = write;
  event.rank = owner.rank;
  event.warps = warps;
  event.ranges = ranges.data();
  event.numRanges = ranges.size();
  cluster.observer()->onAccess(event);
}

void Exec::noteGlobal(const ByteRange *ranges, size_t count, sync::Proxy proxy, bool write,
                      bool atomic) {
  if (!cluster.wantsAccesses())
    return;
  AccessEvent event;
  event.by = task.ref;
  event.async = async ? async->id : noAsync;
  event.op = async;
  event.pc = pc;
  event.space = sync::Space::Global;
  event.proxy = proxy;
  event.write = write;
  event.atomic = atomic;
  event.ranges = ranges;
  event.numRanges = count;
  cluster.observer()->onAccess(event);
}

static std::string outside(const Type &type, const MemRef &ref, size_t bytes, const char *what) {
  return std::string(what) + " at byte " + std::to_string(ref.base) + " reaches outside " +
         (type.space == sync::Space::Tensor ? "tensor" : "shared") + " memory of " +
         std::to_string(bytes) + " bytes";
}

static sync::Space spaceOf(const Type &type) {
  return type.space == sync::Space::Tensor ? sync::Space::Tensor : sync::Space::Shared;
}

bool Exec::readTileRaw(unsigned i, std::vector<char> &raw, sync::Proxy proxy, int32_t rank) {
  const Type &memType = type(i);
  const TileMap &map = prepared.map(typeId(i));
  MemRef ref = in(i).mem();
  if (rank >= 0)
    ref.rank = rank;
  raw.resize(map.elements() * map.elementBytes);
  Cta *owner = nullptr;
  std::vector<char> *memory = storage(ref, spaceOf(memType), &owner);
  if (!memory)
    return false;
  bool inside;
  if (map.columnMajor) {
    thread_local std::vector<char> columns;
    columns.resize(raw.size());
    inside = gatherTile(map, ref, memory->data(), memory->size(), columns.data());
    size_t bufferBytes = size_t(map.rows * map.columns) * map.elementBytes;
    for (int64_t b = 0; b < map.buffers; ++b)
      transposeRaw(columns.data() + b * bufferBytes, raw.data() + b * bufferBytes, map.columns,
                   map.rows, map.elementBytes);
  } else {
    inside = gatherTile(map, ref, memory->data(), memory->size(), raw.data());
  }
  if (!inside) {
    fail(Finding::Kind::OutOfBounds, outside(memType, ref, memory->size(), "a read"));
    return false;
  }
  noteAccess(*owner, map, ref, spaceOf(memType), proxy, false);
  return true;
}

Value Exec::readTile(unsigned i, const Type &as, sync::Proxy proxy, int32_t rank) {
  thread_local std::vector<char> raw;
  const Type &memType = type(i);
  Value value = Value::elements(storeOf(as), as.numElements());
  if (!readTileRaw(i, raw, proxy, rank))
    std::fill(raw.begin(), raw.end(), 0);
  size_t count = std::min<size_t>(value.count(), raw.size() / memType.memoryElementBytes());
  Type elements = as;
  elements.elem = memType.elem;
  fromMemory(elements, raw.data(), value.mutableData<char>(), count);
  return value;
}

bool Exec::writeTileRaw(unsigned i, const char *raw, sync::Proxy proxy, int32_t rank) {
  MemRef ref = in(i).mem();
  if (rank >= 0)
    ref.rank = rank;
  return writeMemory(ref, typeId(i), raw, proxy);
}

bool Exec::writeMemory(MemRef ref, TypeId typeId, const char *raw, sync::Proxy proxy) {
  const Type &memType = program.types[typeId];
  const TileMap &map = prepared.map(typeId);
  Cta *owner = nullptr;
  std::vector<char> *memory = storage(ref, spaceOf(memType), &owner);
  if (!memory)
    return false;
  bool inside;
  if (map.columnMajor) {
    thread_local std::vector<char> columns;
    columns.resize(map.elements() * map.elementBytes);
    size_t bufferBytes = size_t(map.rows * map.columns) * map.elementBytes;
    for (int64_t b = 0; b < map.buffers; ++b)
      transposeRaw(raw + b * bufferBytes, columns.data() + b * bufferBytes, map.rows, map.columns,
                   map.elementBytes);
    inside = scatterTile(map, ref, memory->data(), memory->size(), columns.data());
  } else {
    inside = scatterTile(map, ref, memory->data(), memory->size(), raw);
  }
  if (!inside) {
    fail(Finding::Kind::OutOfBounds, outside(memType, ref, memory->size(), "a write"));
    return false;
  }
  noteAccess(*owner, map, ref, spaceOf(memType), proxy, true);
  return true;
}

bool Exec::writeTile(unsigned i, const Value &value, const Type &as, sync::Proxy proxy,
                     int32_t rank) {
  thread_local std::vector<char> raw;
  const Type &memType = type(i);
  size_t count = as.numElements();
  raw.resize(std::max<size_t>(count, memType.numElements()) * memType.memoryElementBytes());
  Type elements = as;
  elements.elem = memType.elem;
  toMemory(elements, value.expanded(count).data<char>(), raw.data(), count);
  return writeTileRaw(i, raw.data(), proxy, rank);
}

void noteDeclared(Exec &exec, sync::Moment moment) {
  const Program &program = exec.program;
  const Inst &inst = exec.inst;
  if (exec.wantsValues() || !exec.cluster.wantsAccesses())
    return;
  auto valueOf = [&](Reg reg) -> const Value & {
    for (unsigned i = 0; exec.async && i < inst.numOperands; ++i)
      if (program.operand(inst, i) == reg)
        return exec.async->operands[i];
    return exec.task.regs[reg];
  };
  for (unsigned i = 0; i < inst.numEffects; ++i) {
    const Effect &effect = program.effectsOf(inst)[i];
    bool access = effect.kind == sync::Kind::Read || effect.kind == sync::Kind::Write;
    if (!access || effect.moment != moment || effect.target == noReg)
      continue;
    auto isFalse = [&](Reg reg) {
      return reg != noReg && !valueOf(reg).isUnknown() && valueOf(reg).count() == 1 &&
             !valueOf(reg).asInt();
    };
    if (isFalse(effect.predicate) || isFalse(effect.matters))
      continue;
    const Value &target = valueOf(effect.target);
    const Type &memory = program.typeOf(effect.target);
    bool tensor = memory.space == sync::Space::Tensor;
    if (target.kind() != Value::Kind::Memory || (!tensor && effect.space == sync::Space::Global))
      continue;
    Cta *owner = nullptr;
    sync::Space space = tensor ? sync::Space::Tensor : sync::Space::Shared;
    MemRef ref = target.mem();
    bool ranked = effect.rank != noReg && !valueOf(effect.rank).isUnknown();
    if (ranked && !effect.rankIsMask)
      ref.rank = static_cast<int32_t>(valueOf(effect.rank).asInt());
    if (!exec.storage(ref, space, &owner))
      continue;
    auto mask = uint64_t(1) << owner->rank;
    if (exec.forPair()) // works on the memory of both
      mask = uint64_t(3) << (owner->rank & ~1);
    if (ranked && effect.rankIsMask) // a multicast
      mask = static_cast<uint64_t>(valueOf(effect.rank).asInt());
    for (size_t rank = 0; rank < exec.cluster.numCtas(); ++rank)
      if (mask >> rank & 1)
        exec.noteAccess(exec.cluster.cta(static_cast<int32_t>(rank)),
                        exec.prepared.map(program.regTypes[effect.target]), ref, space,
                        effect.proxy, effect.kind == sync::Kind::Write);
  }
}

bool storeThrough(Exec &exec, Reg memory, const Value &value, const Type &as) {
  const Type &memType = exec.program.typeOf(memory);
  size_t count = as.numElements();
  std::vector<char> raw(std::max<size_t>(count, memType.numElements()) *
                        memType.memoryElementBytes());
  Type elements = as;
  elements.elem = memType.elem;
  toMemory(elements, value.expanded(count).data<char>(), raw.data(), count);
  return exec.writeMemory(exec.task.regs[memory].mem(), exec.program.regTypes[memory], raw.data(),
                          sync::Proxy::Generic);
}

int64_t indexStride(const Prepared &prepared, TypeId typeId) {
  const Program &program = prepared.program;
  const Type &type = program.types[typeId];
  size_t covered = program.layouts[type.layout].bases.size();
  if (type.shape.size() <= covered)
    return indexStride(program, type);
  int64_t stride = type.bufferBytes ? type.bufferBytes : prepared.map(typeId).bufferBytes;
  for (size_t d = 1; d < type.shape.size() - covered; ++d)
    stride *= type.shape[d];
  return stride;
}

} // namespace tlx::sim
