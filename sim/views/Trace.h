//===- Trace.h - a run as a time line -------------------------------------===//
//
// Collects what the hooks say and writes it in the Chrome trace format, which
// ui.perfetto.dev opens: a process for every SM, a track for every warp group,
// TMA engine, tensor core and port, a counter for every mbarrier's phase, and
// arrows from an arrival to the wait that it released. One cycle is shown as one
// nanosecond.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"
#include "sim/engine/Hooks.h"
#include "sim/program/Program.h"

#include <string>
#include <vector>

namespace tlx::sim {

class Trace final : public Hooks {
public:
  /// Keeps at most `maxEvents`; what comes later is dropped and said so.
  explicit Trace(const Program &program, size_t maxEvents = 2'000'000)
      : program(program), maxEvents(maxEvents) {}

  void onTrack(TrackId track, const TrackInfo &info) override;
  void onTask(const Interval &interval) override { keep(intervals, interval); }
  void onUnit(const Interval &interval) override { keep(intervals, interval); }
  void onPhase(const PhaseChange &change) override { keep(phases, change); }
  void onFlow(const Flow &flow) override { keep(flows, flow); }
  void onMemory(const MemoryUse &use) override { keep(uses, use); }

  /// The whole trace as JSON.
  std::string json() const;
  Result<void> write(const std::string &path) const;

  // What was recorded, for other pictures.
  const std::vector<TrackInfo> &recordedTracks() const { return tracks; }
  const std::vector<Interval> &recordedIntervals() const { return intervals; }
  const std::vector<MemoryUse> &recordedMemory() const { return uses; }

  size_t events() const { return intervals.size() + phases.size() + flows.size() + uses.size(); }
  bool truncated() const { return dropped > 0; }

private:
  template <typename T> void keep(std::vector<T> &list, const T &event) {
    if (events() < maxEvents)
      list.push_back(event);
    else
      ++dropped;
  }

  const Program &program;
  size_t maxEvents, dropped = 0;
  std::vector<TrackInfo> tracks;
  std::vector<Interval> intervals;
  std::vector<PhaseChange> phases;
  std::vector<Flow> flows;
  std::vector<MemoryUse> uses;
};

} // namespace tlx::sim
