#include "sim/views/Occupancy.h"

#include <algorithm>
#include <map>
#include <set>

namespace tlx::sim {

namespace {

/// Changes by time.
using Deltas = std::map<Cycles, int64_t>;

void add(Deltas &deltas, Cycles begin, Cycles end, int64_t size) {
  if (begin >= end)
    return;
  deltas[begin] += size;
  deltas[end] -= size;
}

StepSeries sum(const Deltas &deltas) {
  StepSeries out;
  int64_t value = 0;
  for (auto [time, delta] : deltas) {
    value += delta;
    if (delta != 0)
      out.push_back({time, value});
  }
  return out;
}

/// Accesses to one range of bytes, none of which cuts it.
void useRange(Deltas &deltas, std::vector<MemoryUse> &uses, int64_t size) {
  // What reads at the same time as a write begins reads what was there before.
  std::sort(uses.begin(), uses.end(), [](const MemoryUse &a, const MemoryUse &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.write != b.write ? b.write : a.end < b.end;
  });
  Cycles begin = 0, end = 0;
  bool written = false;
  for (const MemoryUse &use : uses) {
    if (use.write) {
      if (written)
        add(deltas, begin, std::min(end, use.begin), size);
      begin = use.begin;
      end = use.end;
      written = true;
    } else {
      end = std::max(end, use.end);
    }
  }
  if (written)
    add(deltas, begin, end, size);
}

StepSeries usedOf(const Trace &trace, bool tensor) {
  std::map<int64_t, std::vector<MemoryUse>> ctas;
  for (const MemoryUse &use : trace.recordedMemory())
    if (use.tensor == tensor && use.size > 0)
      ctas[trace.recordedTracks()[use.task].cta].push_back(use);
  Deltas deltas;
  for (const auto &[cta, uses] : ctas) {
    std::set<int64_t> cuts;
    for (const MemoryUse &use : uses)
      cuts.insert({use.offset, use.offset + use.size});
    std::map<int64_t, std::vector<MemoryUse>> ranges; // by where they begin
    for (const MemoryUse &use : uses)
      for (auto at = cuts.find(use.offset); *at < use.offset + use.size; ++at)
        ranges[*at].push_back(use);
    for (auto &[begin, accesses] : ranges)
      useRange(deltas, accesses, *cuts.upper_bound(begin) - begin);
  }
  return sum(deltas);
}

StepSeries allocatedOf(const Trace &trace, int64_t perCta) {
  std::map<int64_t, std::pair<Cycles, Cycles>> lives;
  for (const Interval &interval : trace.recordedIntervals()) {
    const TrackInfo &track = trace.recordedTracks()[interval.track];
    if (track.kind != TrackKind::Task)
      continue;
    auto [life, fresh] = lives.try_emplace(track.cta, interval.begin, interval.end);
    life->second.first = std::min(life->second.first, interval.begin);
    life->second.second = std::max(life->second.second, interval.end);
  }
  Deltas deltas;
  for (const auto &[cta, life] : lives)
    add(deltas, life.first, life.second, perCta);
  return sum(deltas);
}

} // namespace

std::vector<Occupancy> occupancyOf(const TimingReport &report, const Chip &chip,
                                   const Trace &trace) {
  std::vector<Occupancy> out;
  auto memory = [&](const char *name, const char *unit, int64_t limit, int64_t perCta,
                    bool tensor) {
    Occupancy one{name, unit, limit, allocatedOf(trace, perCta), usedOf(trace, tensor)};
    if (!one.allocated.empty())
      out.push_back(std::move(one));
  };
  memory("shared memory", "bytes", chip.integer(Param::SmSmemBytes), report.sharedBytesPerCta,
         false);
  if (report.tensorColumnsPerCta > 0)
    memory("tensor memory", "columns", chip.integer(Param::SmTmemColumns),
           report.tensorColumnsPerCta, true);
  return out;
}

} // namespace tlx::sim
