//===- Hooks.h - what a run tells its observers ---------------------------===//
//
// Summary, JSON and traces are built from these calls and from nothing else.
// A track is a line of the picture: a warp group, a TMA engine, a tensor core,
// a port, an mbarrier. Intervals of a task are disjoint and in order; each one
// that is no progress carries exactly one Reason. All names and places are ids;
// whoever wants text asks the program.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/engine/Reason.h"
#include "sim/engine/Time.h"

#include <string>

namespace tlx::sim {

using TrackId = uint32_t;
inline constexpr TrackId NoTrack = UINT32_MAX;
inline constexpr uint32_t NoLocation = UINT32_MAX;

enum class TrackKind : uint8_t { Task, Tma, TensorCore, SmemPort, TmemPort, Mbarrier };

/// Where a track belongs.
struct TrackInfo {
  TrackKind kind;
  int sm;           ///< SM that it is part of
  int64_t cta;      ///< linear CTA id; -1: of the SM
  std::string name; ///< e.g. "consumer 1", "tensor core"
};

/// A stretch of a task's or unit's time.
struct Interval {
  TrackId track;
  Cycles begin, end;
  Reason reason = Reason::None;   ///< None: progress
  uint32_t location = NoLocation; ///< of the program
  uint32_t opcode = 0;
  int64_t detail = -1; ///< mbarrier waits: its address; units: bytes or FLOP
};

/// One phase of an mbarrier has completed.
struct PhaseChange {
  TrackId track;
  Cycles time;
  int64_t phase; ///< phases completed so far
};

/// Bytes of a CTA's shared memory, or columns of its tensor memory, are read or written.
struct MemoryUse {
  TrackId task; ///< who asks for it
  bool tensor, write;
  int64_t offset, size;
  Cycles begin, end; ///< asked for; all of it done
};

/// Something at `fromTime` on one track let another go on.
struct Flow {
  TrackId from;
  Cycles fromTime;
  TrackId to;
  Cycles toTime;
};

class Hooks {
public:
  virtual ~Hooks() = default;
  /// Announces a track before its first use; ids count up from 0.
  virtual void onTrack(TrackId track, const TrackInfo &info) {}
  /// Time of a task.
  virtual void onTask(const Interval &interval) {}
  /// Service of a unit.
  virtual void onUnit(const Interval &interval) {}
  virtual void onPhase(const PhaseChange &change) {}
  virtual void onMemory(const MemoryUse &use) {}
  virtual void onFlow(const Flow &flow) {}
};

} // namespace tlx::sim
