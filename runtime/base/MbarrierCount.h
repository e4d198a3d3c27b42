//===- MbarrierCount.h - how many arrivals an mbarrier counts ---------------===//
//
// PTX ISA, "mbarrier.init": the count lies between 1 and 2^20 - 1; outside of
// that the behaviour is undefined. No target counts further.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tlx {

constexpr int64_t mostMbarrierArrivals = (int64_t(1) << 20) - 1;

constexpr bool isMbarrierCount(int64_t count) {
  return count >= 1 && count <= mostMbarrierArrivals;
}

} // namespace tlx
