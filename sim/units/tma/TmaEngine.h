//===- TmaEngine.h - the bulk copy engine of one SM -----------------------===//
//
// A copy is a list of boxes. The engine takes one box every `issueGap` cycles,
// may have `creditBytes` in flight, and moves each box through the SM's link:
//
//   load:   issue -> gap -> credit -> memory system -> + latency -> bytes arrive
//   store:  issue -> gap -> source read (free for reuse) -> written, visible
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/chips/Chip.h"
#include "sim/engine/CreditWindow.h"
#include "sim/engine/MemoryPort.h"
#include "sim/engine/Port.h"
#include "sim/engine/Reason.h"

namespace tlx::sim {

class TmaEngine {
public:
  struct Spec {
    Cycles issueGap, latency, storeLatency, storeCommit, multicast, descriptorMiss;
    int64_t creditBytes;
    static Spec of(const Chip &chip);
  };

  /// One copy between device memory and shared memory.
  struct Copy {
    uint64_t address; ///< of the first byte in device memory
    int64_t pitch;    ///< bytes between the starts of two boxes
    int boxes;
    int64_t boxBytes;
    bool multicast = false;
    bool firstUseOfDescriptor = false;
  };
  struct Turn {
    Cycles start;      ///< the engine takes up the first box
    Reason heldBy;     ///< why not earlier: Port, Credit or None
    Cycles sourceRead; ///< stores: the source may be reused
    Cycles done;       ///< loads: all bytes are in shared memory; stores: visible
    int hits;          ///< boxes found in L2
  };

  TmaEngine(const Spec &spec, int sm, MemoryPort &memory);

  /// When the engine could take up a copy committed now; changes nothing.
  Turn query(Cycles now, const Copy &copy) const;
  Turn load(Cycles now, const Copy &copy);
  Turn store(Cycles now, const Copy &copy);

  Cycles busy() const { return gaps.busy(); }

private:
  Spec spec;
  int sm;
  MemoryPort &memory;
  Port gaps;
  CreditWindow credit;
};

} // namespace tlx::sim
