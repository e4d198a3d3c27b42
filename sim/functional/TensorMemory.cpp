//===- TensorMemory.cpp - tcgen05: tensor memory and the products into it ---===//
#include "sim/functional/Elementwise.h"
#include "sim/functional/Matrix.h"
#include "sim/functional/Views.h"

#include <cmath>

namespace tlx::sim {
namespace {

void tmemAlloc(Exec &exec) {
  allocate(exec);
  if (!exec.has(0) || exec.in(0).isUnknown() || !exec.wantsValues())
    return;
  storeThrough(exec, exec.program.result(exec.inst, 0), exec.in(0), exec.type(0));
}

/// `count` columns in units of the element's width: the layout says where column `count` is.
void tmemSubslice(Exec &exec) {
  MemRef ref = exec.in(0).mem();
  const Type &type = exec.type(0);
  const MemLayout &layout = exec.program.layouts[type.layout];
  int64_t offset = exec.attrs().count, size = exec.resultType().shape.back();
  if (offset < 0 || offset + size > type.shape.back())
    return exec.fail(Finding::Kind::OutOfBounds, "columns [" + std::to_string(offset) + ", " +
                                                     std::to_string(offset + size) + ") of " +
                                                     std::to_string(type.shape.back()));
  int64_t coords[6] = {};
  coords[layout.bases.size() - 1] = offset;
  ref.base += int64_t(layout.offset(coords)) * type.memoryElementBytes();
  exec.out(0, Value::memory(ref));
}

void tmemLoad(Exec &exec) {
  if (!exec.wantsValues()) {
    for (unsigned i = 0; i < exec.inst.numResults; ++i)
      if (exec.resultType(i).kind == TypeKind::Tensor)
        exec.out(i, Value::unknown());
    return;
  }
  const Type &type = exec.resultType();
  Value tile = exec.readTile(0, type, sync::Proxy::Generic);
  const Attrs &attrs = exec.attrs();
  if (attrs.tmemReduce != ReduceKind::None && exec.inst.numResults > 1) {
    // A reduction over each row, with the tile.
    unsigned at = exec.inst.numResults - 1;
    int64_t columns = type.shape.back(), rows = type.numElements() / columns;
    Value reduced = Value::elements(tile.store(), rows);
    withStore(tile.store(), [&](auto zero) {
      using T = decltype(zero);
      const T *x = tile.data<T>();
      T *r = reduced.mutableData<T>();
      for (int64_t row = 0; row < rows; ++row) {
        auto element = [&](int64_t c) {
          T value = x[row * columns + c];
          return attrs.abs && value < T(0) ? T(-value) : value;
        };
        T best = element(0);
        for (int64_t c = 1; c < columns; ++c) {
          T value = element(c);
          bool better = attrs.tmemReduce == ReduceKind::Max ? value > best : value < best;
          bool take = better || (attrs.propagateNan ? value != value : best != best);
          if (take && !(attrs.propagateNan && best != best))
            best = value;
        }
        r[row] = best;
      }
    });
    exec.out(at, std::move(reduced));
  }
  exec.out(0, std::move(tile));
}

void tmemStore(Exec &exec) {
  if (!exec.flag(2) || !exec.wantsValues() || exec.in(1).isUnknown())
    return;
  exec.writeTile(0, exec.in(1), exec.type(1), sync::Proxy::Generic);
}

/// Shared to tensor memory. Scale factors lie in shared memory as blocks of
/// 32 x 4 x 4 and become rows and columns.
void copyIn(Exec &exec, int32_t rank) {
  const Type &from = exec.type(0), &to = exec.type(1);
  std::vector<char> raw;
  if (!exec.readTileRaw(0, raw, sync::Proxy::Async, rank))
    return;
  if (from.numElements() != to.numElements())
    return exec.fail(Finding::Kind::BadLaunch, "copies " + std::to_string(from.numElements()) +
                                                   " elements into " +
                                                   std::to_string(to.numElements()));
  if (from.shape != to.shape && to.shape.size() == 2 && to.memoryElementBytes() == 1) {
    int64_t rows = to.shape[0], columns = to.shape[1];
    int64_t blocks = std::max<int64_t>(1, columns / 4);
    std::vector<char> ordered(raw.size());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        size_t at = size_t((r / 128 * blocks + c / 4) * 512 + r % 32 * 16 + r / 32 % 4 * 4 + c % 4);
        if (at < raw.size())
          ordered[size_t(r * columns + c)] = raw[at];
      }
    raw = std::move(ordered);
  }
  exec.writeTileRaw(1, raw.data(), sync::Proxy::Async, rank);
}

void tmemCopy(Exec &exec) {
  if (!exec.wantsValues())
    return;
  copyIn(exec, exec.cta.rank);
  if (exec.forPair())
    copyIn(exec, exec.cta.rank | 1);
}

/// Where a tile of f32 or i32 lies as plain rows, so that a product can go straight into it.
struct PlainRows {
  char *data = nullptr;
  int64_t ld = 0; ///< elements
};

bool plainRows(const TileMap &map, const MemRef &ref, std::vector<char> &memory, PlainRows &rows) {
  if (map.columnMajor || map.buffers != 1 || map.run != map.columns ||
      !map.layout->paddings.empty() || !map.layout->replicas.empty())
    return false;
  int64_t ld = map.rows > 1 ? int64_t(map.offsets[1]) - map.offsets[0] : map.columns;
  for (int64_t r = 0; r < map.rows; ++r)
    if (int64_t(map.offsets[r]) != r * ld)
      return false;
  int64_t base = ref.base + int64_t(sliceOffset(*map.layout, ref)) * map.elementBytes;
  int64_t end = base + ((map.rows - 1) * ld + map.columns) * map.elementBytes;
  if (base < 0 || end > int64_t(memory.size()) || base % 4)
    return false;
  rows = {memory.data() + base, ld};
  return true;
}

/// D of one CTA: d (+)= a * b.
void productInto(Exec &exec, const Matrix &a, const Matrix &b, bool keep, int32_t rank) {
  const unsigned d = 2;
  const Type &type = exec.type(d);
  const TileMap &map = exec.prepared.map(exec.typeId(d));
  MemRef ref = exec.in(d).mem();
  ref.rank = rank;
  Cta *owner = nullptr;
  std::vector<char> *memory = exec.storage(ref, sync::Space::Tensor, &owner);
  if (!memory)
    return;
  bool isInt = isInteger(type.elem);
  if (a.rows != map.rows || b.columns != map.columns || a.columns != b.rows)
    return exec.fail(Finding::Kind::BadLaunch,
                     "multiplies " + std::to_string(a.rows) + " x " + std::to_string(a.columns) +
                         " by " + std::to_string(b.rows) + " x " + std::to_string(b.columns) +
                         " into " + std::to_string(map.rows) + " x " + std::to_string(map.columns));
  PlainRows rows;
  if (type.elem == DType::f32 && plainRows(map, ref, *memory, rows)) {
    if (keep)
      exec.noteAccess(*owner, map, ref, sync::Space::Tensor, sync::Proxy::Async, false);
    multiply(a, b, reinterpret_cast<float *>(rows.data), rows.ld, keep);
    return exec.noteAccess(*owner, map, ref, sync::Space::Tensor, sync::Proxy::Async, true);
  }
  Type as = type;
  as.kind = TypeKind::Tensor;
  Value c = keep ? exec.readTile(d, as, sync::Proxy::Async, rank)
                 : Value::integer(storeOf(as), 0).expanded(size_t(as.numElements()));
  if (isInt)
    multiplyInt(a, b, c.mutableData<int32_t>(), keep);
  else
    multiply(a, b, c.mutableData<float>(), b.columns, keep);
  exec.writeTile(d, c, as, sync::Proxy::Async, rank);
}

/// B of a pair: each CTA holds half of the columns.
Matrix sideBySide(const Matrix &left, const Matrix &right) {
  Matrix whole;
  whole.rows = left.rows;
  whole.columns = left.columns + right.columns;
  float *elements = whole.allocate();
  for (int64_t r = 0; r < whole.rows; ++r)
    for (int64_t c = 0; c < whole.columns; ++c)
      elements[r * whole.columns + c] =
          c < left.columns ? left.at(r, c) : right.at(r, c - left.columns);
  return whole;
}

/// Runs a product for this CTA, or for both of its pair. `readA` and `readB` read the
/// operands in the CTA of a rank.
template <typename ReadA, typename ReadB>
void mma(Exec &exec, bool keep, ReadA readA, ReadB readB) {
  if (!exec.forPair()) {
    Matrix a, b;
    if (readA(a, exec.cta.rank) && readB(b, exec.cta.rank))
      productInto(exec, a, b, keep, exec.cta.rank);
    return;
  }
  int32_t leader = exec.cta.rank & ~1, peer = leader + 1;
  Matrix a0, a1, b0, b1;
  if (!readA(a0, leader) || !readA(a1, peer) || !readB(b0, leader) || !readB(b1, peer))
    return;
  if (b0.columns == exec.type(2).shape.back()) { // every CTA has all columns
    productInto(exec, a0, b0, keep, leader);
    return productInto(exec, a1, b1, keep, peer);
  }
  Matrix b = sideBySide(b0, b1);
  productInto(exec, a0, b, keep, leader);
  productInto(exec, a1, b, keep, peer);
}

void tcgen05Mma(Exec &exec) {
  if (!exec.wantsValues() || !exec.flag(4))
    return;
  const Attrs &attrs = exec.attrs();
  DType elem = exec.type(0).elem;
  auto read = [&](unsigned i) {
    return [&exec, &attrs, elem, i](Matrix &matrix, int32_t rank) {
      if (!readMatrix(exec, i, matrix, attrs.isUnsigned, rank))
        return false;
      roundOperand(matrix, elem, Precision::Tf32);
      return true;
    };
  };
  mma(exec, exec.flag(3), read(0), read(1));
}

void tcgen05MmaScaled(Exec &exec) {
  if (!exec.wantsValues() || !exec.flag(6))
    return;
  const Attrs &attrs = exec.attrs();
  mma(
      exec, exec.flag(5),
      [&](Matrix &matrix, int32_t rank) {
        return readScaledMatrix(exec, 0, 3, attrs.aType, attrs.aKPack, true, matrix, rank);
      },
      [&](Matrix &matrix, int32_t rank) {
        return readScaledMatrix(exec, 1, 4, attrs.bType, attrs.bKPack, false, matrix, rank);
      });
}

} // namespace

void registerTensorMemory(HandlerTable &table) {
  table.set(Op::TmemAlloc, tmemAlloc);
  table.set(Op::TmemSubslice, tmemSubslice);
  table.set(Op::TmemLoad, tmemLoad);
  table.set(Op::TmemStore, tmemStore);
  table.set(Op::TmemCopy, tmemCopy);
  table.set(Op::Tcgen05Mma, tcgen05Mma);
  table.set(Op::Tcgen05MmaScaled, tcgen05MmaScaled);
}

} // namespace tlx::sim
