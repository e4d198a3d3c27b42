//===- EventQueue.h - what happens next -----------------------------------===//
//
// Discrete events in (time, sequence) order: of two events at one time the one
// that was scheduled first happens first. That order is a contract, since ties
// decide who gets a port; it makes a run reproducible.
//
// Events are plain records, not closures: a target and a number that the target
// understands. A run of a large GEMM handles millions of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/engine/Time.h"

#include <cstddef>
#include <vector>

namespace tlx::sim {

class EventTarget {
public:
  virtual ~EventTarget() = default;
  /// Called at time `now` with the payload that was scheduled.
  virtual void onEvent(Cycles now, uint64_t payload) = 0;
};

class EventQueue {
public:
  /// Schedules an event; a time in the past counts as now.
  void schedule(Cycles time, EventTarget &target, uint64_t payload = 0);

  /// Handles events until none is left or the next one is later than `limit`.
  /// Returns the number handled.
  uint64_t run(Cycles limit = Never);

  Cycles now() const { return current; }
  bool empty() const { return heap.empty(); }
  /// Time of the next event; Never without one.
  Cycles nextTime() const { return heap.empty() ? Never : heap.front().time; }
  size_t pending() const { return heap.size(); }

private:
  struct Event {
    Cycles time;
    uint64_t sequence;
    EventTarget *target;
    uint64_t payload;

    bool before(const Event &other) const {
      return time != other.time ? time < other.time : sequence < other.sequence;
    }
  };

  Event pop();

  std::vector<Event> heap; ///< 4-ary: fewer cache misses than a binary one
  Cycles current = 0;
  uint64_t nextSequence = 0;
};

} // namespace tlx::sim
