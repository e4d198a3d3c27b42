//===- TileMap.h - where the elements of a memory tile lie, as runs --------------------------===//
//
// A layout maps each element on its own; copying wants stretches. A TileMap lists, for
// the buffer that a memory type describes, runs of elements that are consecutive in the
// tile and in memory: a 128-byte swizzle of f16 gives runs of 8, plain rows give
// whole rows. A tile that is contiguous along its other dimension (a transposed view) is
// listed column by column, so that its runs are long too.
//
// Offsets of a sub-slice are XORed in: its coordinates never carry into the slice's own bits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Value.h"
#include "sim/program/Program.h"

#include <vector>

namespace tlx::sim {

struct TileMap {
  int64_t rows = 1; ///< product of all dimensions but the last
  int64_t columns = 1;
  int64_t buffers = 1;      ///< leading dimensions that the layout does not cover
  int64_t bufferBytes = 0;  ///< distance between them
  bool columnMajor = false; ///< runs go down the rows
  uint32_t run = 1;         ///< elements in a run
  uint32_t elementBytes = 1;
  uint32_t extent = 0;           ///< bytes from the base to behind the last element
  std::vector<uint32_t> offsets; ///< of each run, in elements before padding
  std::vector<ByteRange> ranges; ///< of the whole buffer, from its base
  const MemLayout *layout = nullptr;

  int64_t elements() const { return buffers * rows * columns; }
  uint32_t pad(uint32_t offset) const {
    if (layout->paddings.empty())
      return offset;
    uint32_t padded = offset;
    for (const MemLayout::Padding &padding : layout->paddings)
      padded += offset / padding.interval * padding.amount;
    return padded;
  }
};

TileMap makeTileMap(const Program &program, const Type &type);

/// Distance in bytes between neighbours of a memory type's first dimension.
int64_t indexStride(const Program &program, const Type &type);

/// XOR of the layout's bases for the offsets of a sub-slice.
uint32_t sliceOffset(const MemLayout &layout, const MemRef &ref);

/// Reads a tile as raw elements in row-major order, or (`asStored` set by the
/// caller and map.columnMajor) column by column. False: outside `bytes`.
bool gatherTile(const TileMap &map, const MemRef &ref, const char *memory, size_t bytes, char *raw);
bool scatterTile(const TileMap &map, const MemRef &ref, char *memory, size_t bytes,
                 const char *raw);
/// Byte ranges that a tile covers, merged, sorted.
std::vector<ByteRange> tileRanges(const TileMap &map, const MemRef &ref);

/// The same for each four warps of a task, told apart by bits of the row-major element.
std::vector<std::vector<ByteRange>> warpGroupRanges(const TileMap &map, const MemRef &ref,
                                                    const std::vector<int64_t> &bits);

/// Swaps rows and columns: [rows][columns] to [columns][rows].
void transposeRaw(const char *from, char *to, int64_t rows, int64_t columns, size_t elementBytes);

} // namespace tlx::sim
