//===- MemorySystem.h - from an SM's edge to HBM and back -----------------===//
//
// One request is a block: a TMA box, or what one instruction of a task reads or
// writes. It passes the link of its SM, the L2 slices and, on a miss, HBM. Each
// is a port that is taken at the time of the request, the delays come on top:
// so a hit is not held up by an earlier miss whose data arrive later.
//
// Requests of a group of SMs (a GPC) for one block that follow each other
// closely are merged: only the first one reaches L2.
//
//   ready = max(turn at SM link, L2, HBM) + hit latency (+ far) (+ HBM latency)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/chips/Chip.h"
#include "sim/engine/MemoryPort.h"
#include "sim/engine/Port.h"
#include "sim/units/memory/L2Cache.h"

#include <vector>

namespace tlx::sim {

class MemorySystem final : public MemoryPort {
public:
  struct Spec {
    int sms;
    double smBytesPerClk, l2BytesPerClk, hbmBytesPerClk;
    Cycles hitLatency, farLatency, hbmLatency;
    int64_t l2Bytes;
    int partitions;
    int coalesceGroups = 1;
    Cycles coalesceWindow = 0;
    static Spec of(const Chip &chip);
  };

  explicit MemorySystem(const Spec &spec);

  /// Without changing anything: when the SM's link could take the request.
  Cycles query(int sm, Cycles now) const { return std::max(now, links[sm].free()); }
  MemoryReply commit(const MemoryRequest &request) override;

  /// From now on every block counts as held (a launch whose data fit and were
  /// left in L2 by an earlier one).
  void assumeWarm() { warm = true; }

  /// Bytes that the SMs asked for, merged requests included.
  int64_t requested() const { return asked; }
  int64_t l2Traffic() const { return l2Moved; }
  int64_t hbmTraffic() const { return hbmMoved; }
  Cycles l2Busy() const { return l2.busy(); }
  Cycles hbmBusy() const { return hbm.busy(); }

private:
  /// The last request of a group for a block.
  struct Pending {
    uint64_t address = UINT64_MAX;
    int group = -1;
    Cycles time = 0, ready = 0;
    int64_t bytes = 0;
  };
  Pending *pendingFor(const MemoryRequest &request);

  Spec spec;
  std::vector<Port> links;
  std::vector<Pending> pending; ///< direct-mapped
  Port l2, hbm;
  L2Cache cache;
  bool warm = false;
  int64_t asked = 0, l2Moved = 0, hbmMoved = 0;
};

} // namespace tlx::sim
