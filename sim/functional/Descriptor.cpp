//===- Descriptor.cpp - boxes of a tensor in device memory -----------------===//
#include "sim/functional/Descriptor.h"

#include "sim/functional/Global.h"

#include <algorithm>
#include <cmath>

namespace tlx::sim {

namespace {
struct BoxRow {
  uint64_t address = 0; ///< of the first element inside the tensor
  int64_t first = 0;    ///< elements of the row before it
  int64_t count = 0;    ///< elements inside; 0: none
};
} // namespace

/// Outermost first.
static std::vector<BoxRow> boxRows(const DescRef &desc, const Shape &block,
                                   const std::vector<int64_t> &coords) {
  const size_t rank = block.size();
  const int64_t size = byteWidth(desc.elem);
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < rank; ++d)
    rows *= block[d];
  std::vector<BoxRow> list(rows);
  const size_t last = rank - 1;
  int64_t column = coords[last] + desc.offsets[last];
  int64_t first = std::clamp<int64_t>(-column, 0, block[last]);
  int64_t end = std::clamp<int64_t>(desc.shape[last] - column, first, block[last]);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row;
    uint64_t address = desc.address;
    bool inside = desc.predicate;
    for (size_t d = last; d-- > 0;) {
      int64_t at = coords[d] + desc.offsets[d] + rest % block[d];
      rest /= block[d];
      inside &= at >= 0 && at < desc.shape[d];
      address += uint64_t(at * desc.strides[d]);
    }
    list[row].first = first;
    list[row].count = inside ? end - first : 0;
    list[row].address = address + uint64_t((column + first) * size);
  }
  return list;
}

/// Reports a row outside device memory and says so.
static char *rowData(Exec &exec, const BoxRow &row, int64_t size, const char *what) {
  return exec.global(row.address, uint64_t(row.count * size), what);
}

bool readBox(Exec &exec, const DescRef &desc, const Shape &block,
             const std::vector<int64_t> &coords, std::vector<char> &raw, sync::Proxy proxy) {
  const int64_t size = byteWidth(desc.elem), width = block.back();
  std::vector<BoxRow> rows = boxRows(desc, block, coords);
  raw.resize(rows.size() * width * size);
  uint64_t fill = 0;
  if (desc.padNan && isFloat(desc.elem))
    fill = fromDouble(desc.elem, std::nan(""));
  bool ok = true;
  for (size_t r = 0; r < rows.size(); ++r) {
    char *to = raw.data() + r * width * size;
    const BoxRow &row = rows[r];
    if (row.count < width) {
      for (int64_t i = 0; i < width; ++i)
        std::memcpy(to + i * size, &fill, size);
    }
    if (!row.count)
      continue;
    const char *from = rowData(exec, row, size, "a TMA load");
    if (from)
      std::memcpy(to + row.first * size, from, row.count * size);
    ok &= from != nullptr;
  }
  if (exec.cluster.wantsAccesses()) {
    std::vector<ByteRange> ranges;
    for (const BoxRow &row : rows)
      if (row.count)
        ranges.push_back({row.address, uint64_t(row.count * size)});
    exec.noteGlobal(ranges.data(), ranges.size(), proxy, false);
  }
  return ok;
}

static Rmw rmwOf(ReduceKind kind, bool isUnsigned) {
  switch (kind) {
  case ReduceKind::Min: return isUnsigned ? Rmw::UMin : Rmw::Min;
  case ReduceKind::Max: return isUnsigned ? Rmw::UMax : Rmw::Max;
  case ReduceKind::And: return Rmw::And;
  case ReduceKind::Or: return Rmw::Or;
  case ReduceKind::Xor: return Rmw::Xor;
  default: return Rmw::Add;
  }
}

bool writeBox(Exec &exec, const DescRef &desc, const Shape &block,
              const std::vector<int64_t> &coords, const char *raw, sync::Proxy proxy,
              ReduceKind reduce) {
  const int64_t size = byteWidth(desc.elem), width = block.back();
  if (reduce == ReduceKind::Inc || reduce == ReduceKind::Dec) {
    exec.unsupported("a TMA reduction of kind inc or dec");
    return false;
  }
  // The hardware bounds a store's rows in units of 16 bytes (seen on an H200: with an
  // inner extent of 119 halves, the 120th is written as well).
  DescRef rounded = desc;
  if (reduce == ReduceKind::None && exec.program.facts.target.rfind("cuda", 0) == 0 && size <= 16) {
    int64_t unit = 16 / size, last = int64_t(block.size()) - 1;
    rounded.shape[last] = (desc.shape[last] + unit - 1) / unit * unit;
  }
  std::vector<BoxRow> rows = boxRows(rounded, block, coords);
  Type type = Type::scalar(desc.elem);
  bool isUnsigned = isInteger(desc.elem) && !isSigned(desc.elem);
  bool ok = true;
  for (size_t r = 0; r < rows.size(); ++r) {
    const BoxRow &row = rows[r];
    if (!row.count || !raw)
      continue;
    const char *from = raw + (r * width + row.first) * size;
    char *to = rowData(exec, row, size, "a TMA store");
    ok &= to != nullptr;
    if (!to)
      continue;
    if (reduce == ReduceKind::None) {
      std::memcpy(to, from, row.count * size);
      continue;
    }
    for (int64_t i = 0; i < row.count; ++i) {
      Value old = Value::elements(storeOf(type), 1), operand = Value::elements(storeOf(type), 1);
      fromMemory(type, to + i * size, old.mutableData<char>(), 1);
      fromMemory(type, from + i * size, operand.mutableData<char>(), 1);
      toMemory(type, rmwElement(rmwOf(reduce, isUnsigned), type, old, operand).data<char>(),
               to + i * size, 1);
    }
  }
  if (exec.cluster.wantsAccesses()) {
    std::vector<ByteRange> ranges;
    for (const BoxRow &row : rows)
      if (row.count)
        ranges.push_back({row.address, uint64_t(row.count * size)});
    exec.noteGlobal(ranges.data(), ranges.size(), proxy, true, reduce != ReduceKind::None);
  }
  return ok;
}

namespace {
struct Packed {
  uint32_t magic;
  uint8_t rank, elem, padNan, unused;
  uint64_t address;
  int64_t strides[4]; // all but the innermost
  int32_t shape[5];
};
constexpr uint32_t descriptorMagic = 0x544D4150; // "TMAP"
static_assert(sizeof(Packed) <= 128);
} // namespace

void packDescriptor(const DescRef &desc, char *bytes) {
  Packed packed = {};
  packed.magic = descriptorMagic;
  packed.rank = uint8_t(desc.rank);
  packed.elem = uint8_t(desc.elem);
  packed.padNan = desc.padNan;
  packed.address = desc.address;
  for (int d = 0; d + 1 < desc.rank; ++d)
    packed.strides[d] = desc.strides[d];
  for (int d = 0; d < desc.rank; ++d)
    packed.shape[d] = int32_t(desc.shape[d]);
  std::memset(bytes, 0, 128);
  std::memcpy(bytes, &packed, sizeof(packed));
}

bool unpackDescriptor(const char *bytes, DescRef &desc) {
  Packed packed;
  std::memcpy(&packed, bytes, sizeof(packed));
  if (packed.magic != descriptorMagic || packed.rank < 1 || packed.rank > 5)
    return false;
  desc = {};
  desc.address = packed.address;
  desc.rank = packed.rank;
  desc.elem = DType(packed.elem);
  desc.padNan = packed.padNan;
  for (int d = 0; d < desc.rank; ++d) {
    desc.shape[d] = packed.shape[d];
    desc.strides[d] = d + 1 < desc.rank ? packed.strides[d] : int64_t(byteWidth(desc.elem));
  }
  return true;
}

bool currentDescriptor(Exec &exec, DescRef &desc) {
  desc = exec.in(0).desc();
  if (!desc.stored)
    return true;
  const char *bytes = exec.global(desc.stored, 128, "a descriptor load");
  if (!bytes)
    return false;
  ByteRange range{desc.stored, 128};
  exec.noteGlobal(&range, 1, sync::Proxy::Async, false);
  if (!unpackDescriptor(bytes, desc)) {
    exec.fail(Finding::Kind::Uninitialized,
              "the memory holds no tensor descriptor: nothing has created one there");
    return false;
  }
  desc.elem = exec.type(0).elem;
  desc.strides[desc.rank - 1] = byteWidth(desc.elem);
  return true;
}

} // namespace tlx::sim
