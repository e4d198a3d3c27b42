//===- Global.cpp - loads, stores and atomics on device memory ------------===//
//
// Addresses come one for each element. Neighbouring elements that are neighbours in
// memory too are moved together.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Global.h"

#include "sim/functional/Elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tlx::sim {
namespace {

/// Elements of an access. Every thread loads its own scalar; a scalar is stored by the
/// task's first thread alone.
size_t elementCount(const Exec &exec, const Type &type, std::initializer_list<unsigned> operands) {
  if (type.kind == TypeKind::Tensor)
    return size_t(type.numElements());
  size_t count = 1;
  for (unsigned i : operands)
    if (exec.has(i))
      count = std::max(count, exec.in(i).count());
  return count;
}

/// How many of `n` addresses, from the first on, are of neighbours.
size_t neighbours(const uint64_t *addresses, size_t n, size_t size) {
  constexpr size_t block = 16;
  size_t run = 1;
  for (; run + block <= n; run += block) {
    bool same = true;
    for (size_t k = run; k < run + block; ++k)
      same &= addresses[k] == addresses[0] + k * size;
    if (!same)
      break;
  }
  while (run < n && addresses[run] == addresses[0] + run * size)
    ++run;
  return run;
}

/// Calls moved(first element, elements, address) for neighbours that the mask lets through. True
/// when the mask holds some back.
template <typename F>
bool forEachRun(const Addresses &addresses, size_t size, const Value *mask, F moved) {
  thread_local std::vector<uint64_t> room;
  const uint64_t *all = addresses.all(room);
  const size_t count = addresses.count;
  if (mask && mask->count() == 1 && count != 1) {
    if (!mask->asInt())
      return true;
    mask = nullptr;
  }
  const uint8_t *on = mask ? mask->data<uint8_t>() : nullptr;
  bool masked = false;
  size_t open = on ? 0 : count; // as far as the mask lets everything through
  for (size_t i = 0; i < count;) {
    if (i == open) {
      const void *off = std::memchr(on + i, 0, count - i);
      open = off ? size_t(static_cast<const uint8_t *>(off) - on) : count;
      if (open == i) {
        masked = true;
        ++open, ++i;
        continue;
      }
    }
    size_t run = neighbours(all + i, open - i, size);
    moved(i, run, all[i]);
    i += run;
  }
  return masked;
}

} // namespace

const uint64_t *Addresses::all(std::vector<uint64_t> &room) const {
  const auto *base = pointers.data<uint64_t>();
  if (!offsets && pointers.count() == count)
    return base;
  room.resize(count);
  const size_t step = pointers.count() == 1 ? 0 : 1;
  for (size_t i = 0; i < count; ++i)
    room[i] = base[i * step];
  if (offsets)
    withStore(offsets->store(), [&](auto zero) {
      const auto *offset = offsets->data<decltype(zero)>();
      const size_t each = offsets->count() == 1 ? 0 : 1;
      for (size_t i = 0; i < count; ++i)
        room[i] += uint64_t(int64_t(offset[i * each]) * elementBytes);
    });
  return room.data();
}

bool loadElements(Exec &exec, const Addresses &addresses, const Type &type, const Value *mask,
                  const Value *other, Value &result) {
  const size_t count = addresses.count;
  const size_t size = type.pointer ? 8 : byteWidth(type.elem);
  thread_local std::vector<char> raw;
  raw.resize(count * size);
  std::vector<ByteRange> ranges;
  bool wanted = exec.cluster.wantsAccesses();
  bool ok = true;
  if (mask)
    std::memset(raw.data(), 0, raw.size());
  bool masked = forEachRun(addresses, size, mask, [&](size_t i, size_t run, uint64_t address) {
    if (const char *data = exec.global(address, run * size, "a load")) {
      std::memcpy(raw.data() + i * size, data, run * size);
    } else {
      std::memset(raw.data() + i * size, 0, run * size);
      ok = false;
    }
    if (wanted)
      ranges.push_back({address, run * size});
  });
  result = Value::elements(storeOf(type), count);
  fromMemory(type, raw.data(), result.mutableData<char>(), count);
  if (masked && other && other->kind() == Value::Kind::Elements) {
    withStore(result.store(), [&](auto zero) {
      using T = decltype(zero);
      T *r = result.mutableData<T>();
      const T *o = other->data<T>();
      const auto *on = mask->data<uint8_t>();
      const size_t step = other->count() == 1 ? 0 : 1, each = mask->count() == 1 ? 0 : 1;
      for (size_t e = 0; e < count; ++e)
        r[e] = on[e * each] ? r[e] : o[e * step];
    });
  }
  if (wanted)
    exec.noteGlobal(ranges.data(), ranges.size(), sync::Proxy::Generic, false);
  return ok;
}

bool storeElements(Exec &exec, const Addresses &addresses, const Type &type, const Value &value,
                   const Value *mask) {
  const size_t count = addresses.count;
  const size_t size = type.pointer ? 8 : byteWidth(type.elem);
  thread_local std::vector<char> raw;
  raw.resize(count * size);
  toMemory(type, value.expanded(count).data<char>(), raw.data(), count);
  std::vector<ByteRange> ranges;
  bool wanted = exec.cluster.wantsAccesses();
  bool ok = true;
  forEachRun(addresses, size, mask, [&](size_t i, size_t run, uint64_t address) {
    char *data = exec.global(address, run * size, "a store");
    // Programs that store what is there already do not disturb each other.
    if (wanted && data && std::memcmp(data, raw.data() + i * size, run * size) != 0)
      ranges.push_back({address, run * size});
    if (data)
      std::memcpy(data, raw.data() + i * size, run * size);
    else
      ok = false;
  });
  if (wanted)
    exec.noteGlobal(ranges.data(), ranges.size(), sync::Proxy::Generic, true);
  return ok;
}

Value rmwElement(Rmw kind, const Type &type, const Value &a, const Value &b) {
  Value result = Value::elements(a.store(), 1);
  withStore(a.store(), [&](auto zero) {
    using T = decltype(zero);
    T x = *a.data<T>(), y = *b.data<T>(), r = y;
    if constexpr (std::is_floating_point_v<T>) {
      switch (kind) {
      case Rmw::FAdd:
      case Rmw::Add: r = x + y; break;
      case Rmw::Max:
      case Rmw::UMax: r = (x >= y || y != y) ? x : y; break;
      case Rmw::Min:
      case Rmw::UMin: r = (x <= y || y != y) ? x : y; break;
      default: break;
      }
    } else {
      using U = std::make_unsigned_t<T>;
      switch (kind) {
      case Rmw::And: r = T(x & y); break;
      case Rmw::Or: r = T(x | y); break;
      case Rmw::Xor: r = T(x ^ y); break;
      case Rmw::Add:
      case Rmw::FAdd: r = T(U(x) + U(y)); break;
      case Rmw::Max: r = std::max(x, y); break;
      case Rmw::Min: r = std::min(x, y); break;
      case Rmw::UMax: r = T(std::max(U(x), U(y))); break;
      case Rmw::UMin: r = T(std::min(U(x), U(y))); break;
      case Rmw::Xchg: break;
      }
    }
    *result.mutableData<T>() = r;
  });
  return rounded(std::move(result), type.elem);
}

/// One element of a value as a value.
static Value elementOf(const Value &value, size_t i) {
  Value element = Value::elements(value.store(), 1);
  size_t bytes = storeBytes(value.store());
  std::memcpy(element.mutableData<char>(),
              value.data<char>() + (value.count() == 1 ? 0 : i * bytes), bytes);
  return element;
}

Value atomicElements(Exec &exec, const Addresses &addresses, const Type &type, const Value &value,
                     const Value *mask, const Value *compare, Rmw kind) {
  const size_t size = type.pointer ? 8 : byteWidth(type.elem);
  Value result = Value::elements(storeOf(type), addresses.count);
  size_t bytes = storeBytes(result.store());
  std::vector<ByteRange> ranges;
  for (size_t i = 0; i < addresses.count; ++i) {
    char *slot = result.mutableData<char>() + i * bytes;
    std::memset(slot, 0, bytes);
    if (mask && !mask->asInt(i))
      continue;
    char *data = exec.global(addresses.at(i), size, "an atomic");
    if (!data)
      continue;
    if (exec.cluster.wantsAccesses())
      ranges.push_back({addresses.at(i), size});
    Value old = Value::elements(result.store(), 1);
    fromMemory(type, data, old.mutableData<char>(), 1);
    std::memcpy(slot, old.data<char>(), bytes);
    Value operand = elementOf(value, i);
    if (compare) {
      char raw[8];
      toMemory(type, elementOf(*compare, i).data<char>(), raw, 1);
      if (std::memcmp(raw, data, size) != 0)
        continue;
      toMemory(type, operand.data<char>(), data, 1);
    } else {
      toMemory(type, rmwElement(kind, type, old, operand).data<char>(), data, 1);
    }
  }
  exec.noteGlobal(ranges.data(), ranges.size(), sync::Proxy::Generic, true, true);
  return result;
}

namespace {

const Value *optional(Exec &exec, unsigned i) { return exec.has(i) ? &exec.in(i) : nullptr; }

void load(Exec &exec) {
  const Type &type = exec.resultType();
  bool tensor = type.kind == TypeKind::Tensor;
  bool unknownMask = exec.has(1) && exec.in(1).isUnknown();
  if (exec.in(0).isUnknown() || unknownMask ||
      (!exec.wantsValues() && tensor && isFloat(type.elem) && !type.pointer)) {
    if (!exec.in(0).isUnknown() && !unknownMask && exec.cluster.wantsAccesses()) {
      // The addresses still matter to whoever listens.
      Value ignored;
      Addresses addresses{exec.in(0), nullptr, 0, elementCount(exec, exec.type(0), {0})};
      loadElements(exec, addresses, type, optional(exec, 1), nullptr, ignored);
    }
    return exec.out(0, Value::unknown());
  }
  Addresses addresses{exec.in(0), nullptr, 0, elementCount(exec, exec.type(0), {0, 1})};
  Value result;
  loadElements(exec, addresses, type, optional(exec, 1), optional(exec, 2), result);
  exec.out(0, std::move(result));
}

/// A scalar store or atomic in divergent code whose first thread took the other way.
bool idle(const Exec &exec) {
  return exec.type(0).kind == TypeKind::Scalar && !exec.task.isActive(0);
}

/// A tile stored in divergent code: the active threads store their elements. A tile of at
/// most one element for each thread is spread in order, whatever its layout.
void storeByActive(Exec &exec) {
  size_t count = size_t(exec.type(0).numElements());
  if (count > size_t(exec.task.numThreads))
    return exec.unsupported("a tile of " + std::to_string(count) +
                            " elements stored where the threads disagree");
  Value mask = Value::elements(Store::B1, count);
  for (size_t i = 0; i < count; ++i)
    mask.mutableData<uint8_t>()[i] = exec.task.isActive(i) && (!exec.has(2) || exec.in(2).asInt(i));
  Addresses addresses{exec.in(0), nullptr, 0, count};
  storeElements(exec, addresses, exec.type(1), exec.in(1), &mask);
}

void store(Exec &exec) {
  bool unknownMask = exec.has(2) && exec.in(2).isUnknown();
  if (exec.in(0).isUnknown() || unknownMask || idle(exec))
    return;
  if (exec.type(0).kind == TypeKind::Tensor && !exec.task.active.empty())
    return storeByActive(exec);
  Addresses addresses{exec.in(0), nullptr, 0, elementCount(exec, exec.type(0), {})};
  Type type = exec.type(1);
  if (exec.in(1).isUnknown()) {
    if (exec.cluster.wantsAccesses()) {
      std::vector<ByteRange> ranges;
      size_t size = type.pointer ? 8 : byteWidth(type.elem);
      for (size_t i = 0; i < addresses.count; ++i)
        if (!exec.has(2) || exec.in(2).asInt(i)) {
          uint64_t at = addresses.at(i);
          if (!ranges.empty() && ranges.back().begin + ranges.back().bytes == at)
            ranges.back().bytes += size;
          else
            ranges.push_back({at, size});
        }
      exec.noteGlobal(ranges.data(), ranges.size(), sync::Proxy::Generic, true);
    }
    return;
  }
  storeElements(exec, addresses, type, exec.in(1), optional(exec, 2));
}

void atomicRmw(Exec &exec) {
  if (exec.in(1).isUnknown() || exec.in(0).isUnknown())
    return exec.out(0, Value::unknown());
  if (idle(exec))
    return exec.out(0, Value::integer(storeOf(exec.resultType()), 0));
  Addresses addresses{exec.in(0), nullptr, 0, elementCount(exec, exec.type(0), {})};
  exec.out(0, atomicElements(exec, addresses, exec.type(1), exec.in(1), optional(exec, 2), nullptr,
                             exec.attrs().rmw));
}

void atomicCas(Exec &exec) {
  if (skipUnknown(exec))
    return;
  if (idle(exec))
    return exec.out(0, Value::integer(storeOf(exec.resultType()), 0));
  Addresses addresses{exec.in(0), nullptr, 0, elementCount(exec, exec.type(0), {})};
  exec.out(0, atomicElements(exec, addresses, exec.type(2), exec.in(2), nullptr, &exec.in(1),
                             Rmw::Xchg));
}

void globalScratchAlloc(Exec &exec) {
  exec.out(0, Value::integer(Store::I64,
                             int64_t(exec.cta.scratch) + exec.prepared.scratchOffsets[exec.pc]));
}

void nothing(Exec &) {}

} // namespace

void registerGlobal(HandlerTable &table) {
  table.set(Op::Load, load);
  table.set(Op::Store, store);
  table.set(Op::AtomicRmw, atomicRmw);
  table.set(Op::AtomicCas, atomicCas);
  table.set(Op::GlobalScratchAlloc, globalScratchAlloc);
  table.set(Op::Prefetch, nothing);
}

} // namespace tlx::sim
