//===- Observer.h - what happens while a program runs -----------------------------===//
//
// The machine reports every step to an observer: the race check, traces and the
// timing model listen here and nowhere else. Every callback is made after the
// event took effect, on the thread that simulates the cluster; clusters run on
// several threads, so an observer keeps its state for each cluster.
//
// Two ways to drive time: Launch::run() executes under a schedule and the
// observer only listens; or a timing engine owns a Cluster (Cluster.h), steps its tasks
// and completes its asynchronous operations in the order that its clock says.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/program/Program.h"

#include <cstddef>
#include <cstdint>

namespace tlx::sim {

/// A task of a CTA: 0 is the kernel's own task and the default region of its
/// warp_specialize, 1 + i is partition i.
struct TaskRef {
  int32_t cta = 0;  ///< linear CTA index in the grid, x fastest
  int32_t rank = 0; ///< rank of that CTA in its cluster
  int32_t task = 0;
};

/// An asynchronous operation, numbered in order of issue within its cluster.
using AsyncId = int64_t;
inline constexpr AsyncId noAsync = -1;

struct AsyncOp;

struct ByteRange {
  uint64_t begin = 0; ///< global: address; shared, tensor memory: byte offset
  uint64_t bytes = 0;
};

/// Memory that an instruction or an asynchronous operation touched.
struct AccessEvent {
  TaskRef by;                  ///< the task that executes or has issued it
  AsyncId async = noAsync;     ///< set: happened at the completion of that operation
  const AsyncOp *op = nullptr; ///< the operation, during the callback
  Pc pc = -1;
  sync::Space space = sync::Space::None;
  sync::Proxy proxy = sync::Proxy::Generic;
  bool write = false;
  bool atomic = false;
  int32_t rank = 0;   ///< shared and tensor memory: rank of the CTA that owns it
  int32_t warps = -1; ///< the four warps of the task that do it; -1: any
  const ByteRange *ranges = nullptr;
  size_t numRanges = 0;
};

/// What befell an mbarrier, a named barrier or the cluster barrier.
struct BarrierEvent {
  enum class What : uint8_t {
    Init,
    Inval,
    Expect,    ///< amount: bytes
    Arrive,    ///< amount: arrivals
    Complete,  ///< amount: bytes
    Flip,      ///< a phase completed; `phase` is its parity
    WaitBegin, ///< the task sleeps
    WaitEnd,   ///< the task passes the wait (also when it never slept)
  };
  enum class Kind : uint8_t { Mbarrier, Named, Cluster };
  What what = What::Init;
  Kind kind = Kind::Mbarrier;
  TaskRef by; ///< who did it; for a Flip, who did the last step
  AsyncId async = noAsync;
  Pc pc = -1;
  int32_t rank = 0; ///< CTA that owns the barrier
  int64_t id = 0;   ///< mbarrier: byte offset in shared memory; named: id
  int64_t amount = 0;
  int32_t phase = 0;      ///< parity of the phase in progress after the event
  int64_t generation = 0; ///< phases completed so far
  int64_t pending = 0;    ///< arrivals still to come
  int64_t txBytes = 0;    ///< bytes expected and not yet complete
  /// Arrive, Expect: by some of the task's threads, which did not meet the others first.
  /// WaitEnd: the barrier is for fewer threads than the task has.
  bool partial = false;
};

/// An asynchronous operation starts (issued) or ends (its completion effects took place).
struct AsyncEvent {
  AsyncId id = noAsync;
  TaskRef by;
  Pc pc = -1;
  sync::Group group = sync::Group::None;
};

/// Why a task does not go on.
enum class BlockReason : uint8_t {
  Mbarrier,
  NamedBarrier,
  ClusterBarrier,
  AsyncGroup, ///< waits for its own asynchronous operations
  Join,       ///< warp_specialize: waits for the other regions
};

struct BlockEvent {
  TaskRef by;
  Pc pc = -1;
  BlockReason reason = BlockReason::Mbarrier;
  int32_t rank = 0; ///< of the barrier's CTA
  int64_t id = 0;   ///< as in BarrierEvent
};

class Observer {
public:
  virtual ~Observer() = default;

  /// Asked once: without it onAccess is not called and costs nothing.
  virtual bool wantsAccesses() const { return false; }

  virtual void onTaskStart(TaskRef task, Pc entry) {}
  virtual void onTaskEnd(TaskRef task, Pc pc) {}
  /// An instruction was issued; `pc` of a blocked one is reported once, when it passes.
  virtual void onInst(TaskRef task, Pc pc) {}
  virtual void onAccess(const AccessEvent &event) {}
  virtual void onBarrier(const BarrierEvent &event) {}
  virtual void onAsyncStart(const AsyncEvent &event) {}
  virtual void onAsyncEnd(const AsyncEvent &event) {}
  virtual void onBlock(const BlockEvent &event) {}
  virtual void onWake(const BlockEvent &event) {}
  /// A proxy fence, memory fence or task barrier: effects without an object.
  virtual void onFence(TaskRef task, Pc pc, const Effect &effect) {}
};

} // namespace tlx::sim
