//===- CtaScheduler.h - which CTA runs where, and when --------------------===//
//
// Clusters start in order of their index. Each goes to the SMs with the fewest
// resident CTAs as long as shared memory, warps, registers and CTA slots allow;
// the others wait for CTAs to exit. Of equal SMs single CTAs take the first, so
// that neighbours share a GPC; clusters lie in one GPC and go round the GPCs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"
#include "sim/chips/Chip.h"
#include "sim/engine/Port.h"

#include <vector>

namespace tlx::sim {

class CtaScheduler {
public:
  struct Spec {
    std::vector<int> gpcs; ///< by SM
    int maxCtas, maxWarps, maxCluster;
    int clusterSms;  ///< SMs with room for clusters of more than two; 0: all
    int clusterCtas; ///< CTAs of clusters resident on an SM; 0: as others
    int64_t smemBytes, smemPerCta, smemReserved, registers;
    double interval, clusterInterval; ///< cycles between two CTAs, of clusters
    static Spec of(const Chip &chip);
  };
  struct Demand {
    int64_t smemBytes = 0; ///< dynamic shared memory
    int warps = 4;
    int warpSize = 32;
    int registersPerThread = 0; ///< 0: not known
  };
  /// SMs from `begin` to before `end`.
  struct Range {
    int begin, end;
    int size() const { return end - begin; }
  };
  struct Placement {
    int64_t cluster = -1; ///< -1: nothing can start now
    std::vector<int> sms; ///< one for each rank
    Cycles time = 0;
  };

  /// Error: one CTA alone exceeds an SM, or the cluster is too large.
  static Result<CtaScheduler> create(const Spec &spec, const Demand &demand, int64_t clusters,
                                     int clusterSize);

  /// CTAs that fit on one SM.
  int occupancy() const { return perSm; }
  /// Places the next cluster at `now` or soon after, if one is left and fits.
  Placement next(Cycles now);
  /// Takes the next cluster out of the launch: its index, or -1 when all have started.
  int64_t cancel() { return allStarted() ? -1 : started++; }
  /// A CTA on this SM has exited.
  void release(int sm) { --resident[sm]; }
  bool allStarted() const { return started == clusters; }
  /// SMs that have run a CTA.
  int smsUsed() const;

private:
  CtaScheduler() = default;
  std::vector<int> placeCluster() const;

  int perSm = 0, clusterSize = 1;
  int64_t clusters = 0, started = 0;
  Port starts; ///< one CTA after the other, over the chip
  std::vector<int> resident;
  std::vector<Range> ranges; ///< SMs of each GPC that clusters find room on
  std::vector<bool> used;
};

} // namespace tlx::sim
