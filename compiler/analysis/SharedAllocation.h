//===- SharedAllocation.h - shared memory laid out by liveness --------------===//
//
// Buffers whose lives do not overlap may lie over each other, as fbtriton's
// allocation makes them. A kernel that would not fit otherwise fits, and a bug
// that shows only when two buffers share bytes can show.
//
//   %a = local_alloc %x      a lives to the wait for the store that reads it
//   store %a; wait
//   %b = local_alloc %y      b may take a's place
//
// A buffer lives from its allocation to the last use of it or of any view of it,
// widened to whole loops and branches around that use. What is captured by a
// warp_specialize lives through it, buffers made in different partitions always
// live at the same time, and mbarriers and what remote CTAs write live throughout.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/StorageAliases.h"

#include "llvm/ADT/SmallVector.h"

namespace tlx {

struct SharedAllocation {
  /// Byte offset of each storage of `aliases`; -1 for tensor memory.
  llvm::SmallVector<int64_t> offsets;
  /// Bytes in all.
  int64_t size = 0;
};

/// Of the function's storages in shared memory.
SharedAllocation allocateShared(tt::FuncOp function, const StorageAliases &aliases);

} // namespace tlx
