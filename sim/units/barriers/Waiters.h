//===- Waiters.h - barriers with those who sleep on them ------------------===//
//
// State of the three kinds of barrier as the timing machine keeps it: the
// mbarrier's rules are Mbarrier.h's, here are its sleepers. A barrier knows
// nothing about time; the machine wakes whom a step releases.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/engine/Hooks.h"
#include "sim/program/Mbarrier.h"

#include <vector>

namespace tlx::sim {

struct TimedTask;

/// One who waits for the phase of a parity.
struct MbarrierWaiter {
  TimedTask *task;
  int parity;
};

struct TimedMbarrier {
  Mbarrier state;
  TrackId track = NoTrack;
  Cycles lastArrival = 0; ///< for flows: when the completing step happened
  std::vector<MbarrierWaiter> waiters;
};

/// A hardware barrier: complete when `threads` have arrived.
struct TimedNamedBarrier {
  int64_t arrived = 0;
  int64_t generation = 0;
  std::vector<TimedTask *> waiters;

  /// Counts `threads` towards `total`; returns whether that completes it.
  bool arrive(int64_t threads, int64_t total) {
    arrived += threads;
    if (arrived < total)
      return false;
    arrived = 0;
    ++generation;
    return true;
  }
};

} // namespace tlx::sim
