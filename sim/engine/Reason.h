//===- Reason.h - why a warp group makes no progress ----------------------===//
#pragma once

#include <cstdint>

namespace tlx::sim {

/// Every interval in which a task stands still has exactly one of these.
enum class Reason : uint8_t {
  None,         ///< it does make progress
  Operand,      ///< a value that an earlier instruction has not produced yet
  Mbarrier,     ///< the phase of an mbarrier
  NamedBarrier, ///< a named barrier, or the barrier of the task's own warps
  Cluster,      ///< the cluster barrier
  Port,         ///< a pipe or port that serves somebody else
  IssueSlot,    ///< the scheduler issues for another warp
  MmaQueue,     ///< the tensor core's queue, or MMAs it waits for
  Credit,       ///< the TMA engine's bytes in flight
  Memory,       ///< data or acknowledgement from shared or global memory
  Code,         ///< instructions fetched for the first time
  Join,         ///< the other tasks of a warp specialisation
};

inline constexpr unsigned ReasonCount = unsigned(Reason::Join) + 1;

/// Short name for reports, e.g. "mbarrier".
const char *name(Reason reason);

} // namespace tlx::sim
