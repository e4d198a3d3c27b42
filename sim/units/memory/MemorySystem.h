//===- MemorySystem.h - from an SM's edge to HBM and back -----------------===//
//
// One request is a block: a TMA box, or what one instruction of a task reads or
// writes. It passes the link of its SM, the L2 slices and, on a miss, HBM. Each
// is a port that is taken at the time of the request, the delays come on top:
// so a hit is not held up by an earlier miss whose data arrive later.
//
//   ready = max(turn at SM link, L2, HBM) + hit latency (+ far) (+ HBM latency)
//
// Reads of the SMs of one GPC for one block are merged as long as the first one
// is under way between the place where they meet and L2; so late ones join a
// request that waits for HBM or for a busy L2. At most a few merge.
//
// L2 is halves that share the addresses. Half of a block's lines are at home in
// the other half: fetching them is traffic between the halves (counted as L2's),
// and the half that asked keeps a copy, which takes room.
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
    std::vector<int> gpcs; ///< by SM
    double smBytesPerClk, smWriteBytesPerClk, l2BytesPerClk, l2WriteBytesPerClk, hbmBytesPerClk;
    double atomicBytesPerClk = 1024, sliceWriteBytesPerClk = 32;
    double sliceInterval = 1; ///< between requests that change one place
    Cycles hitLatency, farLatency, hbmLatency;
    int64_t l2Bytes;
    int partitions = 1;
    int mergeMost = 1;
    Cycles mergeReturn = 0, drift = 0;
    static Spec of(const Chip &chip);
  };

  explicit MemorySystem(const Spec &spec);

  /// Without changing anything: when the SM's link could take a read.
  Cycles query(int sm, Cycles now) const { return std::max(now, reads[sm].free()); }
  MemoryReply commit(const MemoryRequest &request) override;
  /// When what was sent to memory so far, by anyone, and over the SM's links is served.
  Cycles drained(int sm) const {
    return std::max({reads[sm].free(), writes[sm].free(), slices.free(), hbm.free()});
  }
  /// When the SM has the answers to all that it sent so far, loads too.
  Cycles answered(int sm) const { return lastReady[sm]; }

  /// From now on every block counts as held (a launch whose data fit and were
  /// left in L2 by an earlier one).
  void assumeWarm() { warm = true; }
  /// A launch like this one, whose data do not fit, came before.
  void assumeDirty() { cache.assumeDirty(); }

  /// Bytes that the SMs asked for, merged requests included.
  int64_t requested() const { return asked; }
  int64_t l2Traffic() const { return l2Moved; }
  int64_t hbmTraffic() const { return hbmMoved; }
  Cycles l2Busy() const { return slices.busy(); }
  Cycles hbmBusy() const { return hbm.busy(); }

private:
  /// The last request of a GPC for a block, and who has joined it.
  struct Pending {
    uint64_t address = UINT64_MAX;
    int gpc = -1, merged = 0;
    Cycles joinFrom = 0, joinUntil = 0, ready = 0;
    int64_t bytes = 0;
  };
  Pending *pendingFor(const MemoryRequest &request);
  MemoryReply serve(const MemoryRequest &request);
  /// The last stores to a piece of memory, which one slice of L2 takes one after the other.
  struct Piece {
    uint64_t place = UINT64_MAX;
    double freeAt = 0;
  };
  static constexpr int64_t PieceBytes = 256;
  Cycles storedInTurn(const MemoryRequest &request);

  Spec spec;
  std::vector<Port> reads, writes; ///< links, by SM
  std::vector<int> partitionOf;    ///< by SM
  std::vector<Cycles> driftOf;     ///< by SM
  std::vector<Cycles> lastReady;   ///< by SM
  std::vector<Pending> pending;    ///< direct-mapped
  std::vector<Piece> pieces;       ///< direct-mapped
  Port slices, hbm;
  L2Cache cache;
  bool warm = false;
  int64_t asked = 0, l2Moved = 0, hbmMoved = 0;
};

} // namespace tlx::sim
