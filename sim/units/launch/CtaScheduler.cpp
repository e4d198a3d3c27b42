#include "sim/units/launch/CtaScheduler.h"

#include <algorithm>
#include <numeric>

namespace tlx::sim {

CtaScheduler::Spec CtaScheduler::Spec::of(const Chip &chip) {
  Spec spec;
  spec.gpcs = chip.gpcs();
  spec.clusterSms = int(chip.integer(Param::ClusterSms));
  spec.clusterCtas = int(chip.integer(Param::ClusterSmCtas));
  spec.maxCtas = int(chip.integer(Param::SmMaxCtas));
  spec.maxWarps = int(chip.integer(Param::SmMaxWarps));
  spec.maxCluster = int(chip.integer(Param::ClusterMaxCtas));
  spec.smemBytes = chip.integer(Param::SmSmemBytes);
  spec.smemPerCta = chip.integer(Param::SmSmemPerCta);
  spec.smemReserved = chip.integer(Param::SmSmemReserved);
  spec.registers = chip.integer(Param::SmRegisters);
  spec.interval = chip[Param::LaunchCtaInterval];
  spec.clusterInterval = chip[Param::LaunchClusterCtaInterval];
  return spec;
}

/// The SMs of each GPC that clusters of `size` find room on. Of larger ones than two, the first of
/// the smallest GPCs takes fewer, as occupancies by size and CTAs of an SM show.
static std::vector<CtaScheduler::Range> clusterRanges(const CtaScheduler::Spec &spec, int size) {
  std::vector<CtaScheduler::Range> ranges;
  int sms = int(spec.gpcs.size());
  for (int sm = 0; sm < sms; ++sm) {
    if (sm == 0 || spec.gpcs[sm] != spec.gpcs[sm - 1])
      ranges.push_back({sm, sm});
    ++ranges.back().end;
  }
  if (size > 2 && spec.clusterSms > 0) {
    auto smallest =
        std::min_element(ranges.begin(), ranges.end(),
                         [](const auto &a, const auto &b) { return a.size() < b.size(); });
    smallest->end -= std::min(smallest->size(), std::max(0, sms - spec.clusterSms));
  }
  return ranges;
}

Result<CtaScheduler> CtaScheduler::create(const Spec &spec, const Demand &demand, int64_t clusters,
                                          int clusterSize) {
  if (demand.smemBytes > spec.smemPerCta)
    return Error("a CTA of this launch needs " + std::to_string(demand.smemBytes) +
                 " bytes of shared memory; the chip gives " + std::to_string(spec.smemPerCta));
  if (demand.warps > spec.maxWarps)
    return Error("a CTA of this launch has " + std::to_string(demand.warps) +
                 " warps; an SM of the chip holds " + std::to_string(spec.maxWarps));
  std::vector<Range> ranges;
  if (clusterSize > 1)
    ranges = clusterRanges(spec, clusterSize);
  int widest = 1;
  for (const Range &range : ranges)
    widest = std::max(widest, range.size());
  if (clusterSize > std::min(spec.maxCluster, widest))
    return Error("a cluster of this launch has " + std::to_string(clusterSize) +
                 " CTAs; the chip allows " +
                 std::to_string(std::min(spec.maxCluster, int(spec.gpcs.size()))));
  int64_t fit = spec.maxCtas;
  if (clusterSize > 1 && spec.clusterCtas > 0)
    fit = std::min<int64_t>(fit, spec.clusterCtas);
  fit = std::min<int64_t>(fit, spec.maxWarps / std::max(1, demand.warps));
  if (demand.smemBytes + spec.smemReserved > 0)
    fit = std::min(fit, spec.smemBytes / (demand.smemBytes + spec.smemReserved));
  if (demand.registersPerThread > 0) {
    int64_t registers = int64_t(demand.registersPerThread) * demand.warps * demand.warpSize;
    if (registers > spec.registers)
      return Error("a CTA of this launch needs " + std::to_string(registers) +
                   " registers; an SM of the chip has " + std::to_string(spec.registers));
    fit = std::min(fit, spec.registers / registers);
  }
  CtaScheduler scheduler;
  scheduler.perSm = int(std::max<int64_t>(1, fit));
  scheduler.clusterSize = clusterSize;
  scheduler.clusters = clusters;
  scheduler.ranges = std::move(ranges);
  double interval = clusterSize > 1 ? spec.clusterInterval : spec.interval;
  scheduler.starts = Port(1 / std::max(interval, 1e-3));
  scheduler.resident.assign(spec.gpcs.size(), 0);
  scheduler.used.assign(spec.gpcs.size(), false);
  return scheduler;
}

CtaScheduler::Placement CtaScheduler::next(Cycles now) {
  Placement placement;
  if (allStarted())
    return placement;
  if (clusterSize == 1) {
    int best = int(std::min_element(resident.begin(), resident.end()) - resident.begin());
    if (resident[best] >= perSm)
      return placement;
    placement.sms = {best};
  } else {
    placement.sms = placeCluster();
    if (placement.sms.empty())
      return placement;
  }
  for (int sm : placement.sms) {
    ++resident[sm];
    used[sm] = true;
  }
  placement.cluster = started++;
  placement.time = starts.commit(now, clusterSize).start;
  return placement;
}

/// The SMs with the fewest CTAs of one GPC: of the GPC that has the least there, and then in all.
/// Empty: none has room.
std::vector<int> CtaScheduler::placeCluster() const {
  std::vector<int> best;
  std::pair<int, int> bestLoad(INT32_MAX, 0);
  for (const Range &range : ranges) {
    std::vector<int> load(resident.begin() + range.begin, resident.begin() + range.end);
    int total = std::accumulate(load.begin(), load.end(), 0);
    if (range.size() * perSm - total < clusterSize)
      continue;
    std::vector<int> sms;
    int most = 0;
    while (int(sms.size()) < clusterSize) {
      auto least = std::min_element(load.begin(), load.end());
      most = std::max(most, (*least)++);
      sms.push_back(range.begin + int(least - load.begin()));
    }
    if (std::pair(most, total) < bestLoad) {
      bestLoad = {most, total};
      best = std::move(sms);
    }
  }
  return best;
}

int CtaScheduler::smsUsed() const { return int(std::count(used.begin(), used.end(), true)); }

} // namespace tlx::sim
