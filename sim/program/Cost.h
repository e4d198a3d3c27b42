//===- Cost.h - the work an instruction asks of the hardware ------------------===//
//
// Counted over the whole tile by the exporter; a chip's units turn it into time.
// Values do not depend on it. The units are those of the compiler's TileCost.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/CostUnit.h"

#include <cstdint>
#include <vector>

namespace tlx::sim {

using tlx::CostUnit;

/// Which element of a tile a thread's register holds: coordinates add up (xor) over the
/// bits of its register, lane and warp number that are set. Without bits: not known.
struct TileLayout {
  using Bits = std::vector<std::vector<int32_t>>; ///< by bit, coordinates by dimension
  Bits registers, lanes, warps;
  bool known() const { return !lanes.empty(); }
};

struct Cost {
  CostUnit unit = CostUnit::None;
  int64_t elements = 0;        ///< processed, over the whole tile; copies count where layouts tell
  int64_t bytes = 0;           ///< moved, over the whole tile
  int64_t m = 0, n = 0, k = 0; ///< matrix products
  int32_t operandBits = 0;     ///< width of A's elements
  // Refined by register and memory layouts; zero: unknown.
  int64_t warpInstructions = 0;   ///< issued, over all warps of the task
  int64_t sharedWavefronts = 0;   ///< 128-byte shared-memory passes, conflicts included
  int32_t boxes = 0;              ///< TMA boxes
  int32_t registersPerThread = 0; ///< elements of the result that a thread holds
  TileLayout layout;              ///< accesses: of the addresses; reductions: of the operand
};

} // namespace tlx::sim
