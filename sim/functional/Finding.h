//===- Finding.h - what a run found wrong ----------------------------------------------===//
#pragma once

#include "sim/functional/Observer.h"

#include <string>
#include <vector>

namespace tlx::sim {

/// Something that the program did wrong, at a place, with related places.
struct Finding {
  enum class Kind : uint8_t {
    Deadlock,
    OverArrival,   ///< more arrivals than the barrier's phase expects
    LostPhase,     ///< a phase completed while a waiter had not seen the one before
    BarrierMisuse, ///< uninitialised or invalidated barrier, mismatched counts
    OutOfBounds,   ///< access outside device memory or outside a buffer
    Uninitialized, ///< reads bytes of shared or tensor memory that nobody wrote
    EarlyRead,     ///< reads a register tile before its asynchronous product is waited for
    Race,          ///< accesses to the same bytes that nothing orders
    MissingFence,  ///< ordered, but through different proxies without a fence
    Leftover,      ///< asynchronous work still pending at exit
    AssertFailed,
    Divergence,  ///< threads of a task disagree about a branch
    Unsupported, ///< the simulator cannot execute the operation
    BadLaunch,   ///< arguments and program do not fit
    StepLimit,   ///< a task ran longer than the limit allows
  };
  struct Note {
    LocId loc = -1;
    std::string text;
  };
  Kind kind = Kind::Unsupported;
  std::string message; ///< lower case, no full stop
  LocId loc = -1;
  TaskRef by;
  std::vector<Note> notes;
  int64_t count = 1; ///< how often the same thing happened at this place
};

const char *name(Finding::Kind kind);
/// "file:line:col: error: message" and a note on a line of its own for each note.
std::string render(const Program &program, const Finding &finding);

} // namespace tlx::sim
