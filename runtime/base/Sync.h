//===- Sync.h - the vocabulary of synchronisation effects -----------------===//
//
// What one operation does to memory and barriers, in words that the compiler,
// the verifier and the simulator share. An operation declares its effects once
// (compiler/dialect/SyncEffects.td); the verifier encodes them, the simulator
// executes them. This header holds the words only: no MLIR, no evaluator.
//
// Terms follow the PTX ISA: mbarrier objects and their phases ("Parallel
// Synchronization and Communication Instructions: mbarrier"), the generic and
// async proxies ("Memory Consistency Model: Proxies"), async groups
// ("Data Movement and Conversion Instructions: cp.async.commit_group",
// "cp.async.bulk.commit_group"), tcgen05 ("TensorCore 5th Generation Family").
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tlx::sync {

/// Where an effect's memory lives.
enum class Space : uint8_t {
  None,
  Global,        ///< device memory
  Shared,        ///< shared memory of the executing CTA (LDS on AMD)
  SharedCluster, ///< shared memory of a CTA of the cluster, named by a rank
  Tensor,        ///< tensor memory: columns x lanes
};

/// The path an access takes; accesses through different proxies need a proxy
/// fence between them even when they are ordered.
enum class Proxy : uint8_t {
  Generic, ///< ordinary loads and stores, st.async, cp.async
  Async,   ///< TMA, bulk copies, wgmma and tcgen05 operand reads
};

/// What happens.
enum class Kind : uint8_t {
  Read,               ///< reads `target`
  Write,              ///< writes `target`
  BarrierInit,        ///< mbarrier.init of `target` with `amount` arrivals
  BarrierInval,       ///< mbarrier.inval of `target`
  BarrierExpect,      ///< adds `amount` bytes to the pending transaction count
  BarrierArrive,      ///< `amount` arrivals on `target`
  BarrierComplete,    ///< `amount` bytes complete on `target` (complete_tx)
  BarrierWait,        ///< blocks until the phase of parity `phase` has completed
  NamedBarrierSync,   ///< bar.sync id, count: arrives and waits
  NamedBarrierArrive, ///< bar.arrive id, count
  ClusterArrive,      ///< barrier.cluster.arrive
  ClusterWait,        ///< barrier.cluster.wait
  TaskBarrier,        ///< barrier over all threads of the executing task
  GroupCommit,        ///< closes the current async group of `group`
  GroupWait,          ///< blocks until at most `amount` groups are pending
  ProxyFence,         ///< orders generic and async accesses to shared memory
  MemoryFence,        ///< fence.acq_rel at gpu or sys scope
  BarrierInitFence,   ///< fence.mbarrier_init.release.cluster
  TensormapFence,     ///< fence.proxy.tensormap acquire
  ClcRequest,         ///< asks for the cancellation of a cluster launch
  Hint,               ///< no effect on memory or order: prefetch, scheduling hints
};

/// When it happens, seen from the thread that executes the operation.
enum class Moment : uint8_t {
  Issue,      ///< before the next operation of the task
  Completion, ///< later, at a time the task does not know
};

/// The threads that perform it.
enum class Threads : uint8_t {
  All,       ///< every thread of the task takes part
  Elected,   ///< one thread, with no barrier before it
  PerThread, ///< every thread on its own, `amount` each, with no barrier before it
  EachWarp,  ///< one thread of every warp
};

/// Which counter or queue orders an asynchronous effect's completion.
enum class Group : uint8_t {
  None,
  CpAsync,   ///< cp.async groups of each thread
  BulkStore, ///< cp.async.bulk groups: TMA stores and reductions
  Wgmma,     ///< wgmma groups
  Tcgen05,   ///< tcgen05 operations of one issuing thread, completed in order
  Tdm,       ///< AMD tensor data mover counter
  AmdAsync,  ///< AMD direct-to-LDS loads (vmcnt or asynccnt)
};

/// Short name for messages and generated documents, e.g. "barrier-arrive".
const char *name(Kind kind);
const char *name(Space space);
const char *name(Proxy proxy);
const char *name(Moment moment);
const char *name(Threads threads);
const char *name(Group group);

} // namespace tlx::sync
