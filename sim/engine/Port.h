//===- Port.h - servers that serve one at a time --------------------------===//
//
// Most of a chip is a server with a rate and a queue: it serves requests in the
// order in which they are committed, each for (units / rate). query() says when
// a request could start without changing anything; commit() takes the turn.
//
//   Port smem(128);                       // 128 bytes a cycle
//   smem.commit(0, 256);                  // {start 0, done 2}
//   smem.query(1, 128);                   // {start 2, done 3}
//
// Rates are seldom whole, so a port keeps its time in 1/1024 of a cycle and
// rounds up what it tells; the arithmetic is integer and hence reproducible.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/engine/Time.h"

#include <algorithm>
#include <cmath>

namespace tlx::sim {

class Port {
public:
  struct Turn {
    Cycles start; ///< first cycle of service
    Cycles done;  ///< first cycle after it
  };

  /// `unitsPerClk` > 0; every request also takes at least `minCycles`.
  explicit Port(double unitsPerClk = 1, Cycles minCycles = 0)
      : scaled(std::llround(TicksPerCycle * double(1 << ScaleBits) / unitsPerClk)),
        minTicks(minCycles * TicksPerCycle) {}

  Turn query(Cycles now, int64_t units) const {
    int64_t start = std::max(now * TicksPerCycle, freeAt);
    return {start / TicksPerCycle, ceilCycles(start + ticks(units))};
  }

  Turn commit(Cycles now, int64_t units) {
    int64_t start = std::max(now * TicksPerCycle, freeAt);
    int64_t length = ticks(units);
    freeAt = start + length;
    busyTicks += length;
    return {start / TicksPerCycle, ceilCycles(freeAt)};
  }

  /// When a request committed now could start.
  Cycles free() const { return ceilCycles(freeAt); }
  /// Cycles of service given so far.
  Cycles busy() const { return busyTicks / TicksPerCycle; }
  /// Cycles that `units` take alone.
  Cycles duration(int64_t units) const { return ceilCycles(ticks(units)); }

private:
  static constexpr int64_t TicksPerCycle = 1024;
  static constexpr int ScaleBits = 16;

  static Cycles ceilCycles(int64_t ticks) { return (ticks + TicksPerCycle - 1) / TicksPerCycle; }
  int64_t ticks(int64_t units) const {
    return std::max(minTicks, (units * scaled + (1 << (ScaleBits - 1))) >> ScaleBits);
  }

  int64_t scaled; ///< ticks per unit, times 2^ScaleBits
  int64_t minTicks;
  int64_t freeAt = 0;
  int64_t busyTicks = 0;
};

} // namespace tlx::sim
