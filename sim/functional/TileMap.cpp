//===- TileMap.cpp - where the elements of a memory tile lie, as runs -----===//
#include "sim/functional/TileMap.h"

#include <algorithm>

namespace tlx::sim {

uint32_t sliceOffset(const MemLayout &layout, const MemRef &ref) {
  uint32_t offset = 0;
  for (size_t d = 0; d < layout.bases.size() && d < 6; ++d)
    for (size_t bit = 0; bit < layout.bases[d].size() && ref.offsets[d] >> bit; ++bit)
      if (ref.offsets[d] >> bit & 1)
        offset ^= layout.bases[d][bit];
  return offset;
}

/// Offset tables of one dimension: entry c is the XOR of the bases of c's bits.
static std::vector<uint32_t> dimTable(const std::vector<uint32_t> &bases, int64_t size) {
  std::vector<uint32_t> table(size, 0);
  for (int64_t c = 1; c < size; ++c) {
    int bit = 63 - __builtin_clzll(uint64_t(c));
    uint32_t basis = bit < int(bases.size()) ? bases[bit] : 0;
    table[c] = table[c ^ (int64_t(1) << bit)] ^ basis;
  }
  return table;
}

/// How many leading entries of a table count up by one, as a power of two such
/// that every aligned group of that size does.
static uint32_t runOf(const std::vector<uint32_t> &table, uint32_t limit) {
  uint32_t run = 1;
  while (run * 2 <= table.size() && table.size() % (run * 2) == 0 && run * 2 <= limit) {
    for (uint32_t i = run; i < run * 2; ++i)
      if (table[i] != i)
        return run;
    run *= 2;
  }
  return run;
}

/// The largest power of two that divides every basis except the dimension's own
/// leading 1, 2, 4, ...: an aligned group of so many elements moves as a whole.
static uint32_t alignment(const MemLayout &layout, size_t dim) {
  uint32_t all = 0;
  for (size_t d = 0; d < layout.bases.size(); ++d) {
    bool leading = d == dim;
    for (size_t bit = 0; bit < layout.bases[d].size(); ++bit) {
      leading = leading && layout.bases[d][bit] == uint32_t(1) << bit;
      if (!leading)
        all |= layout.bases[d][bit];
    }
  }
  for (const MemLayout::Padding &padding : layout.paddings)
    all |= padding.interval;
  return all ? all & -all : uint32_t(1) << 31;
}

int64_t indexStride(const Program &program, const Type &type) {
  const MemLayout &layout = program.layouts[type.layout];
  int64_t covered = int64_t(layout.bases.size());
  int64_t leading = int64_t(type.shape.size()) - covered;
  if (leading <= 0) {
    // The layout covers the dimension itself.
    std::vector<int64_t> coords(std::max<int64_t>(covered, 1), 0);
    coords[0] = 1;
    return int64_t(layout.offset(coords.data())) * type.memoryElementBytes();
  }
  int64_t stride = type.bufferBytes;
  if (!stride) {
    TileMap map = makeTileMap(program, type);
    stride = map.bufferBytes;
  }
  for (int64_t d = 1; d < leading; ++d)
    stride *= type.shape[d];
  return stride;
}

template <typename F>
static bool forEachRun(const TileMap &map, const MemRef &ref, size_t bytes, F &&f) {
  uint32_t slice = sliceOffset(*map.layout, ref);
  size_t runBytes = size_t(map.run) * map.elementBytes;
  size_t raw = 0;
  for (int64_t buffer = 0; buffer < map.buffers; ++buffer) {
    int64_t base = ref.base + buffer * map.bufferBytes;
    for (uint32_t offset : map.offsets) {
      int64_t at = base + int64_t(map.pad(offset ^ slice)) * map.elementBytes;
      if (at < 0 || size_t(at) + runBytes > bytes)
        return false;
      f(size_t(at), raw, runBytes);
      raw += runBytes;
    }
  }
  return true;
}

/// Adds a range behind the others, which it may continue.
static void append(std::vector<ByteRange> &ranges, uint64_t at, uint64_t bytes) {
  if (!ranges.empty() && ranges.back().begin + ranges.back().bytes == at)
    ranges.back().bytes += bytes;
  else
    ranges.push_back({at, bytes});
}

static std::vector<ByteRange> merged(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  std::vector<ByteRange> merged;
  for (const ByteRange &range : ranges) {
    if (!merged.empty() && merged.back().begin + merged.back().bytes >= range.begin)
      merged.back().bytes =
          std::max(merged.back().bytes, range.begin + range.bytes - merged.back().begin);
    else
      merged.push_back(range);
  }
  return merged;
}

static std::vector<ByteRange> rangesOf(const TileMap &map, const MemRef &ref) {
  std::vector<ByteRange> ranges;
  forEachRun(map, ref, SIZE_MAX,
             [&](size_t at, size_t, size_t bytes) { append(ranges, at, bytes); });
  return merged(std::move(ranges));
}

std::vector<ByteRange> tileRanges(const TileMap &map, const MemRef &ref) {
  if (ref.base < 0 || sliceOffset(*map.layout, ref) != 0)
    return rangesOf(map, ref);
  std::vector<ByteRange> ranges = map.ranges;
  for (ByteRange &range : ranges)
    range.begin += uint64_t(ref.base);
  return ranges;
}

TileMap makeTileMap(const Program &program, const Type &type) {
  TileMap map;
  const MemLayout &layout = program.layouts[type.layout];
  map.layout = &layout;
  map.elementBytes = uint32_t(type.memoryElementBytes());
  size_t covered = std::min(layout.bases.size(), type.shape.size());
  size_t skip = layout.bases.size() - covered; // layout dims that the view dropped
  size_t leading = type.shape.size() - covered;
  Shape shape(type.shape.begin() + leading, type.shape.end());
  for (size_t d = 0; d < leading; ++d)
    map.buffers *= type.shape[d];
  std::vector<std::vector<uint32_t>> tables;
  for (size_t d = 0; d < covered; ++d)
    tables.push_back(dimTable(layout.bases[skip + d], shape[d]));
  if (tables.empty()) {
    tables.push_back({0});
    shape = {1};
  }
  size_t last = tables.size() - 1;
  map.columns = shape[last];
  for (size_t d = 0; d < last; ++d)
    map.rows *= shape[d];

  uint32_t run = 1, columnRun = 1;
  if (covered) {
    run = runOf(tables[last], alignment(layout, skip + last));
    if (covered == 2)
      columnRun = runOf(tables[0], alignment(layout, skip));
  }
  map.columnMajor = columnRun > run;
  map.run = std::max(run, columnRun);

  // Row offsets: the XOR over all dimensions but the last.
  std::vector<uint32_t> rowTable{0};
  for (size_t d = 0; d < last; ++d) {
    std::vector<uint32_t> next;
    next.reserve(rowTable.size() * tables[d].size());
    for (uint32_t row : rowTable)
      for (uint32_t offset : tables[d])
        next.push_back(row ^ offset);
    rowTable = std::move(next);
  }
  const std::vector<uint32_t> &outer = map.columnMajor ? tables[last] : rowTable;
  const std::vector<uint32_t> &inner = map.columnMajor ? rowTable : tables[last];
  map.offsets.reserve(outer.size() * (inner.size() / map.run));
  uint32_t highest = 0;
  for (uint32_t a : outer)
    for (size_t i = 0; i < inner.size(); i += map.run) {
      uint32_t offset = a ^ inner[i];
      map.offsets.push_back(offset);
      highest = std::max(highest, map.pad(offset) + map.run);
    }
  for (uint32_t replica : layout.replicas)
    highest = std::max(highest, highest + replica);
  map.extent = highest * map.elementBytes;

  map.bufferBytes = type.bufferBytes;
  if (!map.bufferBytes) {
    if (type.space == sync::Space::Tensor) {
      uint32_t columns = 0; // bytes of one lane that the buffer takes
      for (uint32_t offset : map.offsets)
        columns = std::max(columns, (map.pad(offset) * map.elementBytes) % tmemLaneBytes +
                                        map.run * map.elementBytes);
      map.bufferBytes = (columns + 3) / 4 * 4;
    } else {
      map.bufferBytes = map.extent;
    }
  }
  map.ranges = rangesOf(map, {});
  return map;
}

namespace {
/// Calls copy(bytes of the tile, bytes in memory, count) for each run of `size` bytes; a size
/// known here (not 0) makes the copies instructions instead of calls.
template <size_t size, typename F>
bool copyRuns(const TileMap &map, const MemRef &ref, size_t bytes, F copy) {
  if (!map.layout->paddings.empty() || size == 0)
    return forEachRun(map, ref, bytes,
                      [&](size_t at, size_t raw, size_t count) { copy(raw, at, count); });
  const uint32_t slice = sliceOffset(*map.layout, ref);
  const int64_t last = ref.base + (map.buffers - 1) * map.bufferBytes;
  const bool inside = slice == 0 && ref.base >= 0 && uint64_t(last) + map.extent <= bytes;
  size_t raw = 0;
  for (int64_t buffer = 0; buffer < map.buffers; ++buffer) {
    const int64_t base = ref.base + buffer * map.bufferBytes;
    for (uint32_t offset : map.offsets) {
      int64_t at = base + int64_t(offset ^ slice) * map.elementBytes;
      if (!inside && (at < 0 || size_t(at) + size > bytes))
        return false;
      copy(raw, size_t(at), size);
      raw += size;
    }
  }
  return true;
}

template <typename F> bool copyTile(const TileMap &map, const MemRef &ref, size_t bytes, F copy) {
  switch (size_t(map.run) * map.elementBytes) {
  case 1: return copyRuns<1>(map, ref, bytes, copy);
  case 2: return copyRuns<2>(map, ref, bytes, copy);
  case 4: return copyRuns<4>(map, ref, bytes, copy);
  case 8: return copyRuns<8>(map, ref, bytes, copy);
  case 16: return copyRuns<16>(map, ref, bytes, copy);
  case 32: return copyRuns<32>(map, ref, bytes, copy);
  case 64: return copyRuns<64>(map, ref, bytes, copy);
  case 128: return copyRuns<128>(map, ref, bytes, copy);
  default: return copyRuns<0>(map, ref, bytes, copy);
  }
}
} // namespace

bool gatherTile(const TileMap &map, const MemRef &ref, const char *memory, size_t bytes,
                char *raw) {
  return copyTile(map, ref, bytes, [&](size_t element, size_t at, size_t count) {
    std::memcpy(raw + element, memory + at, count);
  });
}

bool scatterTile(const TileMap &map, const MemRef &ref, char *memory, size_t bytes,
                 const char *raw) {
  bool inside = copyTile(map, ref, bytes, [&](size_t element, size_t at, size_t count) {
    std::memcpy(memory + at, raw + element, count);
  });
  for (uint32_t replica : map.layout->replicas) {
    // A replica's offset is XORed before the base is added, as a slice's is.
    TileMap shifted = map;
    MemLayout plain = *map.layout;
    plain.replicas.clear();
    shifted.layout = &plain;
    for (uint32_t &offset : shifted.offsets)
      offset ^= replica;
    inside = scatterTile(shifted, ref, memory, bytes, raw) && inside;
  }
  return inside;
}

std::vector<std::vector<ByteRange>> warpGroupRanges(const TileMap &map, const MemRef &ref,
                                                    const std::vector<int64_t> &bits) {
  std::vector<std::vector<ByteRange>> groups(size_t(1) << bits.size());
  const int64_t inBuffer = map.rows * map.columns;
  forEachRun(map, ref, SIZE_MAX, [&](size_t at, size_t raw, size_t) {
    for (uint32_t i = 0; i < map.run; ++i) {
      int64_t element = int64_t(raw / map.elementBytes) + i;
      if (map.columnMajor) {
        int64_t within = element % inBuffer;
        element += within % map.rows * map.columns + within / map.rows - within;
      }
      size_t group = 0;
      for (size_t bit = 0; bit < bits.size(); ++bit)
        group |= size_t((element & bits[bit]) != 0) << bit;
      append(groups[group], at + size_t(i) * map.elementBytes, map.elementBytes);
    }
  });
  for (std::vector<ByteRange> &ranges : groups)
    ranges = merged(std::move(ranges));
  return groups;
}

template <typename T> static void transposeAs(const T *from, T *to, int64_t rows, int64_t columns) {
  constexpr int64_t block = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += block)
    for (int64_t c0 = 0; c0 < columns; c0 += block)
      for (int64_t r = r0; r < std::min(rows, r0 + block); ++r)
        for (int64_t c = c0; c < std::min(columns, c0 + block); ++c)
          to[c * rows + r] = from[r * columns + c];
}

void transposeRaw(const char *from, char *to, int64_t rows, int64_t columns, size_t elementBytes) {
  switch (elementBytes) {
  case 1: return transposeAs<uint8_t>((const uint8_t *)from, (uint8_t *)to, rows, columns);
  case 2: return transposeAs<uint16_t>((const uint16_t *)from, (uint16_t *)to, rows, columns);
  case 4: return transposeAs<uint32_t>((const uint32_t *)from, (uint32_t *)to, rows, columns);
  case 8: return transposeAs<uint64_t>((const uint64_t *)from, (uint64_t *)to, rows, columns);
  default:
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        std::memcpy(to + (c * rows + r) * elementBytes, from + (r * columns + c) * elementBytes,
                    elementBytes);
  }
}

} // namespace tlx::sim
