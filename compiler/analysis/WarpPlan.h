//===- WarpPlan.h - which warps run what, with how many registers -----------===//
//
// A CTA has its default warps and, after them, those of the partitions:
//
//   warp 0 … d-1      the kernel's body and the default regions
//   warp d …          wait for a warp_specialize, run their partition, wait again
//
// Where roles ask for registers of their own (setmaxnreg), every thread starts
// with the same share of the register file; each group of four warps then gets
// the most that a partition in it asks for, and the default warps what is left.
//
// Hardware barriers: 0 default warps, 1 all warps, 2 + i partition i; kernels that
// use named barriers choose others, as they do for fbtriton.
//
// Limits are those of the PTX ISA: 1024 threads and 16 barriers for each CTA,
// setmaxnreg from 24 to 256 in steps of 8.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx {

constexpr int kHardwareBarriers = 16, kAllWarpsBarrier = 1, kFirstPartitionBarrier = 2;

struct WarpPlan {
  int64_t defaultWarps = 0;
  int64_t totalWarps = 0; ///< a multiple of 4 when there are partitions
  llvm::SmallVector<ttg::WarpSpecializeOp> specializations;
  /// First warp of each partition.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> firstWarps;
  /// There is one warp_specialize, which is always reached, once.
  bool single = false;
  /// Registers that every thread starts with, when roles ask for their own; 0: the
  /// assembler's choice.
  int64_t entryRegisters = 0;
};

/// An error has been emitted on failure: more warps or barriers than there are,
/// partitions on the same warps.
mlir::FailureOr<WarpPlan> planWarps(tt::FuncOp kernel, int64_t defaultWarps);

/// Registers of each group of four warps' threads while `op` runs; 0: as at entry.
/// An error has been emitted on failure: requests that cannot be met.
mlir::FailureOr<llvm::SmallVector<int64_t>> registersOf(ttg::WarpSpecializeOp op,
                                                        const WarpPlan &plan);

} // namespace tlx
