//===- Cost.h - the work an instruction asks of the hardware ------------------===//
//
// Counted over the whole tile by the exporter; a chip's units turn it into time.
// Values do not depend on it. The units are those of the compiler's TileCost.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/CostUnit.h"

#include <cstdint>

namespace tlx::sim {

using tlx::CostUnit;

struct Cost {
  CostUnit unit = CostUnit::None;
  int64_t elements = 0;        ///< processed, over the whole tile; copies count where layouts tell
  int64_t bytes = 0;           ///< moved, over the whole tile
  int64_t m = 0, n = 0, k = 0; ///< matrix products
  int32_t operandBits = 0;     ///< width of A's elements
  // Refined by register and memory layouts; zero: unknown.
  int64_t warpInstructions = 0;   ///< issued, over all warps of the task
  int64_t sharedWavefronts = 0;   ///< 128-byte shared-memory passes, conflicts included
  int64_t sectors = 0;            ///< 32-byte global sectors when coalesced as laid out
  int32_t boxes = 0;              ///< TMA boxes
  int32_t registersPerThread = 0; ///< elements of the result that a thread holds
};

} // namespace tlx::sim
