//===- Amd.cpp - buffer operations and the tensor data mover --------------===//
//
// A buffer operation addresses base + offset, offsets in elements. Descriptors of the
// tensor data mover are those of TMA, with a predicate and offsets of their own.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Descriptor.h"
#include "sim/functional/Elementwise.h"
#include "sim/functional/Global.h"

namespace tlx::sim {
namespace {

const Value *optional(Exec &exec, unsigned i) { return exec.has(i) ? &exec.in(i) : nullptr; }

Addresses addressesOf(Exec &exec, unsigned base) {
  const Type &offsets = exec.type(base + 1);
  size_t count =
      offsets.kind == TypeKind::Tensor ? size_t(offsets.numElements()) : exec.in(base + 1).count();
  return {exec.in(base), &exec.in(base + 1), int64_t(byteWidth(exec.type(base).elem)), count};
}

void bufferLoad(Exec &exec) {
  if (skipUnknown(exec))
    return;
  Value result;
  loadElements(exec, addressesOf(exec, 0), exec.resultType(), optional(exec, 2), optional(exec, 3),
               result);
  exec.out(0, std::move(result));
}

void bufferStore(Exec &exec) {
  if (skipUnknown(exec))
    return;
  storeElements(exec, addressesOf(exec, 1), exec.type(0), exec.in(0), optional(exec, 3));
}

void bufferAtomicRmw(Exec &exec) {
  if (skipUnknown(exec))
    return;
  exec.out(0, atomicElements(exec, addressesOf(exec, 0), exec.type(2), exec.in(2),
                             optional(exec, 3), nullptr, exec.attrs().rmw));
}

void bufferAtomicCas(Exec &exec) {
  if (skipUnknown(exec))
    return;
  exec.out(0, atomicElements(exec, addressesOf(exec, 0), exec.type(3), exec.in(3), nullptr,
                             &exec.in(2), Rmw::Xchg));
}

bool coordinates(Exec &exec, unsigned first, std::vector<int64_t> &coords) {
  for (unsigned i = first; i < exec.numOperands(); ++i)
    coords.push_back(exec.in(i).asInt());
  const DescRef &desc = exec.in(0).desc();
  if (coords.empty())
    coords.assign(size_t(desc.rank), 0); // the descriptor's own offsets alone
  if (coords.size() == exec.type(0).shape.size() && desc.rank == int32_t(coords.size()))
    return true;
  exec.fail(Finding::Kind::BadLaunch, "a descriptor of rank " + std::to_string(desc.rank) +
                                          " used with " + std::to_string(coords.size()) +
                                          " coordinates");
  return false;
}

void tdmLoad(Exec &exec) {
  std::vector<int64_t> coords;
  if (!exec.wantsValues() || !coordinates(exec, 4, coords))
    return;
  std::vector<char> raw;
  readBox(exec, exec.in(0).desc(), exec.type(0).shape, coords, raw, sync::Proxy::Async);
  const Type &to = exec.type(1);
  raw.resize(size_t(to.numElements() * to.memoryElementBytes()));
  exec.writeTileRaw(1, raw.data(), sync::Proxy::Async);
}

void tdmStore(Exec &exec) {
  std::vector<int64_t> coords;
  if (!exec.wantsValues() || !coordinates(exec, 3, coords))
    return;
  std::vector<char> raw;
  if (exec.readTileRaw(1, raw, sync::Proxy::Async))
    writeBox(exec, exec.in(0).desc(), exec.type(0).shape, coords, raw.data(), sync::Proxy::Async);
}

void tdmPrefetch(Exec &exec) {
  if (exec.inst.numResults)
    exec.unsupported("'amdg.tdm_prefetch' with returned offsets is not supported");
}

} // namespace

void registerAmd(HandlerTable &table) {
  table.set(Op::BufferLoad, bufferLoad);
  table.set(Op::BufferStore, bufferStore);
  table.set(Op::BufferAtomicRmw, bufferAtomicRmw);
  table.set(Op::BufferAtomicCas, bufferAtomicCas);
  table.set(Op::TdmLoad, tdmLoad);
  table.set(Op::TdmStore, tdmStore);
  table.set(Op::TdmPrefetch, tdmPrefetch);
}

} // namespace tlx::sim
