#include "sim/units/launch/CtaScheduler.h"

#include <algorithm>

namespace tlx::sim {

CtaScheduler::Spec CtaScheduler::Spec::of(const Chip &chip) {
  Spec spec;
  spec.gpcs = chip.gpcs();
  spec.clusterSms = int(chip.integer(Param::ClusterSms));
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

/// First SMs of all places for clusters, in the order in which they are taken.
static std::vector<int> clusterPlaces(const CtaScheduler::Spec &spec, int size) {
  std::vector<int> begins;
  for (int sm = 0; sm < int(spec.gpcs.size()); ++sm)
    if (sm == 0 || spec.gpcs[sm] != spec.gpcs[sm - 1])
      begins.push_back(sm);
  begins.push_back(int(spec.gpcs.size()));
  std::vector<int> places;
  for (int round = 0; round * size < int(spec.gpcs.size()); ++round)
    for (size_t gpc = 0; gpc + 1 < begins.size(); ++gpc)
      if (int first = begins[gpc] + round * size; first + size <= begins[gpc + 1])
        places.push_back(first);
  if (size > 2 && spec.clusterSms > 0)
    places.resize(std::min(places.size(), size_t(std::max(1, spec.clusterSms / size))));
  return places;
}

Result<CtaScheduler> CtaScheduler::create(const Spec &spec, const Demand &demand, int64_t clusters,
                                          int clusterSize) {
  if (demand.smemBytes > spec.smemPerCta)
    return Error("a CTA of this launch needs " + std::to_string(demand.smemBytes) +
                 " bytes of shared memory; the chip gives " + std::to_string(spec.smemPerCta));
  if (demand.warps > spec.maxWarps)
    return Error("a CTA of this launch has " + std::to_string(demand.warps) +
                 " warps; an SM of the chip holds " + std::to_string(spec.maxWarps));
  std::vector<int> places;
  if (clusterSize > 1)
    places = clusterPlaces(spec, clusterSize);
  if (clusterSize > spec.maxCluster || (clusterSize > 1 && places.empty()))
    return Error("a cluster of this launch has " + std::to_string(clusterSize) +
                 " CTAs; the chip allows " +
                 std::to_string(std::min(spec.maxCluster, int(spec.gpcs.size()))));
  int64_t fit = spec.maxCtas;
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
  scheduler.places = std::move(places);
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
    // The place with the least load.
    int bestLoad = INT32_MAX, bestBase = -1;
    for (int base : places) {
      int load = *std::max_element(resident.begin() + base, resident.begin() + base + clusterSize);
      if (load < perSm && load < bestLoad) {
        bestLoad = load;
        bestBase = base;
      }
    }
    if (bestBase < 0)
      return placement;
    for (int rank = 0; rank < clusterSize; ++rank)
      placement.sms.push_back(bestBase + rank);
  }
  for (int sm : placement.sms) {
    ++resident[sm];
    used[sm] = true;
  }
  placement.cluster = started++;
  placement.time = starts.commit(now, clusterSize).start;
  return placement;
}

int CtaScheduler::smsUsed() const { return int(std::count(used.begin(), used.end(), true)); }

} // namespace tlx::sim
