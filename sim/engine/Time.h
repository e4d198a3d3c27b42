//===- Time.h - time in the simulator -------------------------------------===//
#pragma once

#include <cstdint>

namespace tlx::sim {

/// SM cycles since the launch began. Simulated time is integer, so that two runs
/// agree bit for bit.
using Cycles = int64_t;

/// No such time: later than every event.
inline constexpr Cycles Never = INT64_MAX / 4;

} // namespace tlx::sim
