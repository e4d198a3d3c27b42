//===- SharedPlan.h - a kernel's shared memory and its hazards ---------------===//
//
// Before anything is emitted, two questions about shared memory are answered.
//
// Where: the addresses of all buffers (compiler/analysis/StorageAllocation), then
// for each task that runs at the same time as others its own scratch, little of it
// for each operation alone, the rest as large as the most demanding operation, and
// the words through which the default warps hand values to the partitions. Behind
// buffers that have been given back, scratch lies on those.
//
// When: the operations before which the task's threads must meet, because one
// thread's ordinary access could otherwise pass another's. The walk keeps the
// accesses since the last barrier; an access that conflicts with one of them
// needs a barrier first, and a proxy fence as well when an asynchronous unit is
// to read what ordinary stores wrote.
//
//   local_store %x, %buf        pending: write of buf
//   %y = local_load %buf        conflicts: barrier
//
// What mbarriers order (asynchronous writes) is not pending: their waits order it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "llvm/ADT/DenseMap.h"

namespace tlx::nvidia {

/// What happens before an operation.
struct Meeting {
  bool fence = false; ///< a proxy fence in every thread first
};

struct SharedPlan {
  llvm::DenseMap<mlir::Value, int64_t> offsets;       ///< of allocations and aliases
  llvm::DenseMap<mlir::Operation *, int64_t> scratch; ///< of operations that need some
  llvm::DenseMap<mlir::Value, int64_t> captures;      ///< handed over: by captured value
  llvm::DenseMap<mlir::Operation *, Meeting> meetings;
  /// The CTAs of a cluster meet behind this op; null: they need not.
  mlir::Operation *clusterEntryAfter = nullptr;
  /// Ordinary accesses reach memory that other CTAs of the cluster use: an arrival
  /// there has to release them, with a fence that takes about a microsecond.
  bool releasesToCluster = false;
  int64_t state = 0; ///< which warp_specialize runs, i32
  int64_t bytes = 0; ///< all of it
  /// Scratch in global memory, of each CTA.
  llvm::DenseMap<mlir::Operation *, int64_t> globalOffsets;
  int64_t globalBytes = 0, globalAlignment = 1;
};

/// An error has been emitted on failure: more than a CTA can have, or a buffer
/// whose storage cannot be told.
mlir::FailureOr<SharedPlan> planShared(tt::FuncOp kernel);

/// Bytes of scratch that an operation's lowering uses; 0 for none. Its accesses
/// begin with a write and end with a read, with a barrier in between.
int64_t scratchBytes(mlir::Operation *op);

/// The task an operation belongs to: the function's body, a default region or a
/// partition.
mlir::Region *taskOf(mlir::Operation *op);

/// Whether a partition computes a captured value again instead of being handed it.
bool isRecomputed(mlir::Value value);

} // namespace tlx::nvidia
