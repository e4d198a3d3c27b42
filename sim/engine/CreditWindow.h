//===- CreditWindow.h - a bounded amount in flight ------------------------===//
//
// A request of `amount` may start when it fits beside what is in flight. Since
// the time at which each request leaves is known when it is committed, no event
// is needed: query() looks at the departures.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/engine/Time.h"

#include <cstddef>
#include <vector>

namespace tlx::sim {

class CreditWindow {
public:
  explicit CreditWindow(int64_t capacity = 1) : capacity(capacity) {}

  /// The first time, not before `now`, at which `amount` fits. An amount above
  /// the capacity fits when nothing else is in flight.
  Cycles query(Cycles now, int64_t amount) const;

  /// Takes `amount` from `start` (which query() gave) until `release`.
  void commit(Cycles start, int64_t amount, Cycles release);

  /// In flight at `now`.
  int64_t inFlight(Cycles now) const;

private:
  struct Entry {
    Cycles release;
    int64_t amount;
  };
  int64_t capacity;
  std::vector<Entry> entries; ///< sorted by release
  size_t first = 0;           ///< entries before it have left for good
};

} // namespace tlx::sim
