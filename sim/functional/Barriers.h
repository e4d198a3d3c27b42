//===- Barriers.h - mbarriers, named barriers, the cluster barrier ----------------------===//
//
// An mbarrier as PTX describes it: a phase, the arrivals still to come in it and a
// signed count of transaction bytes; complete_tx may come before expect_tx. The phase
// completes when both are zero. wait(P) passes when the phase of parity P has completed,
// that is, when the phase in progress has the other parity. A task that must wait sleeps
// until the flip; it never polls.
//
// Pure state: who wakes up is the cluster's business.
//
//===--------------------------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Observer.h"

#include <vector>

namespace tlx::sim {

struct Mbarrier {
  enum class State : uint8_t { Uninitialized, Live, Invalid };
  State state = State::Uninitialized;
  int64_t count = 0;      ///< arrivals of a phase
  int64_t pending = 0;    ///< arrivals still to come
  int64_t tx = 0;         ///< bytes expected minus bytes complete
  int64_t generation = 0; ///< completed phases
  /// Parity of the phase in progress.
  int32_t parity() const { return int32_t(generation & 1); }
  bool passes(int32_t phase) const { return parity() != (phase & 1); }

  struct Past {
    BarrierEvent::What what;
    TaskRef by;
    Pc pc;
    int64_t amount;
    int64_t generation; ///< before the event
  };
  std::vector<Past> history; ///< the last ones, oldest first
  void remember(const Past &past) {
    if (history.size() >= 64)
      history.erase(history.begin(), history.begin() + 32);
    history.push_back(past);
  }

  std::vector<int32_t> waiters; ///< cluster-wide task ids that sleep here
  /// Waiters that the last flip released and that have not gone on yet.
  std::vector<int32_t> released;

  void init(int64_t arrivals) {
    state = State::Live;
    count = pending = arrivals;
    tx = 0;
    generation = 0;
  }
  /// True if the phase completed: the caller wakes the waiters.
  bool settle() {
    if (pending != 0 || tx != 0)
      return false;
    ++generation;
    pending = count;
    return true;
  }
};

/// bar.sync / bar.arrive id, count.
struct NamedBarrier {
  int64_t expected = 0; ///< threads; 0: nobody is here
  int64_t arrived = 0;
  int64_t generation = 0;
  std::vector<int32_t> waiters;
  std::vector<Mbarrier::Past> history;
};

/// barrier.cluster: every thread of every CTA that has not exited.
struct ClusterBarrier {
  int64_t arrived = 0;
  int64_t generation = 0;
  std::vector<int32_t> waiters;
};

} // namespace tlx::sim
