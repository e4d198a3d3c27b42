//===- Occupancy.h - what shared and tensor memory hold over time ---------===//
//
// Of the SMs that were recorded. Allocated: what the CTAs running at that time
// have. In use: what has been asked to be written and is still to be read, that
// is from the beginning of a write to the end of the last access before the next.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/chips/Chip.h"
#include "sim/views/Report.h"
#include "sim/views/Trace.h"

#include <string>
#include <utility>
#include <vector>

namespace tlx::sim {

/// A value from a time on, until the next.
using StepSeries = std::vector<std::pair<Cycles, int64_t>>;

struct Occupancy {
  std::string name, unit;
  int64_t limit = 0; ///< of an SM
  StepSeries allocated, used;
};

/// Shared memory, and tensor memory where the kernel has some; nothing when
/// nothing was recorded.
std::vector<Occupancy> occupancyOf(const TimingReport &report, const Chip &chip,
                                   const Trace &trace);

} // namespace tlx::sim
