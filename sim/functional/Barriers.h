//===- Barriers.h - mbarriers, named barriers, the cluster barrier ----------------------===//
//
// The rules of an mbarrier are those of sim/program/Mbarrier.h. A task that must wait
// sleeps until the flip; it never polls. Pure state: who wakes up is the cluster's business.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Observer.h"
#include "sim/program/Mbarrier.h"

#include <vector>

namespace tlx::sim {

/// An mbarrier in shared memory with whoever sleeps at it.
struct BarrierCell {
  Mbarrier state;
  bool invalidated = false;

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

  std::vector<int32_t> waiters; ///< tasks of the cluster that sleep here
  /// Waiters that the last flip released and that have not gone on yet.
  std::vector<int32_t> released;
};

/// bar.sync / bar.arrive id, count.
struct NamedBarrier {
  int64_t expected = 0; ///< threads; 0: nobody is here
  int64_t arrived = 0;
  int64_t generation = 0;
  std::vector<int32_t> waiters;
  std::vector<BarrierCell::Past> history;
};

/// barrier.cluster: every thread of every CTA that has not exited.
struct ClusterBarrier {
  int64_t arrived = 0;
  int64_t generation = 0;
  std::vector<int32_t> waiters;
};

} // namespace tlx::sim
