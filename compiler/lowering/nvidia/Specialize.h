//===- Specialize.h - which warps run what ------------------------------------===//
//
// A CTA has its default warps and, after them, those of the partitions:
//
//   warp 0 … d-1      the kernel's body and the default regions
//   warp d …          wait for a warp_specialize, run their partition, wait again
//
// Both sides meet at hardware barrier 1 at the beginning and at the end of each
// warp_specialize. Where the kernel has just one, which it always reaches, the
// workers return after it; otherwise they loop, and a word of shared memory tells
// them which one it is.
//
// Hardware barriers: 0 default warps, 1 all warps, 2 + i partition i; kernels that
// use named barriers choose others, as they do for fbtriton.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx::nvidia {

class Emitter;

struct WarpPlan {
  int64_t defaultWarps = 0;
  int64_t totalWarps = 0; ///< a multiple of 4 when there are partitions
  llvm::SmallVector<ttg::WarpSpecializeOp> specializations;
  /// First warp of each partition.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> firstWarps;
  /// One, reached once: workers need not be told which.
  bool single = false;
  /// Registers that every thread starts with, when roles ask for their own
  /// (setmaxnreg); 0: the assembler's choice.
  int64_t entryRegisters = 0;
};

/// An error has been emitted on failure.
mlir::FailureOr<WarpPlan> planWarps(tt::FuncOp kernel);

/// Code of the workers, from the insertion point on.
mlir::LogicalResult emitWorkers(Emitter &e);
/// Before the default warps return: ends workers that wait for more work.
void dismissWorkers(Emitter &e);

} // namespace tlx::nvidia
