//===- Mbarrier.h - the state machine of one mbarrier -------------------------===//
//
// Phase, pending arrivals and a signed count of transaction bytes, as in the
// PTX ISA ("Parallel Synchronization and Communication Instructions: mbarrier").
// The functional and the timing machine both step this one; neither knows the
// rules itself.
//
//   init(2); arrive(1); expect(64); complete(64)   -> the phase completes
//
// Bytes may complete before they are expected. A phase completes when no
// arrival is pending and the bytes are balanced; the count then starts again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tlx::sim {

struct Mbarrier {
  bool valid = false;     ///< initialised and not invalidated
  int64_t count = 0;      ///< arrivals of a phase
  int64_t pending = 0;    ///< arrivals still to come in this phase
  int64_t txBytes = 0;    ///< expected and not yet complete; may be negative
  int64_t generation = 0; ///< phases completed

  /// Parity of the phase in progress.
  int parity() const { return int(generation & 1); }

  /// A wait for `parity` passes: the phase of that parity has completed.
  bool passed(int waitParity) const { return (waitParity & 1) != parity(); }

  void init(int64_t arrivals) {
    valid = true;
    count = pending = arrivals;
    txBytes = 0;
    generation = 0;
  }
  void invalidate() { valid = false; }

  /// Each step returns whether it completed a phase.
  bool arrive(int64_t arrivals) {
    pending -= arrivals;
    return step();
  }
  /// Adds bytes without an arrival (an expect is this and arrive(1)).
  bool expect(int64_t bytes) {
    txBytes += bytes;
    return step();
  }
  bool complete(int64_t bytes) {
    txBytes -= bytes;
    return step();
  }

  /// More arrivals than the phase has room for: undefined on the hardware.
  bool overrun() const { return pending < 0; }

private:
  bool step() {
    if (pending != 0 || txBytes != 0)
      return false;
    pending = count;
    ++generation;
    return true;
  }
};

} // namespace tlx::sim
