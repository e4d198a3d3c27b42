//===- StorageAllocation.h - addresses of storages, by liveness ------------===//
//
// fbtriton allocates shared memory and tensor memory late, and lets storages
// whose lives do not overlap share bytes. A storage lives from its allocation to
// the last op that uses it or a view of it; uses inside a loop, an if or a
// warp_specialize count as uses by that op, so that what partitions capture (all
// mbarriers of a warp-specialised kernel, say) lives throughout it. An
// asynchronous access still in flight does not prolong a life: that is a bug for
// the verifier to find.
//
//   %a = local_alloc ; use %a ; %b = local_alloc ; use %b     a and b may share
//   %c = local_alloc ; warp_specialize(%c)                    c lives to the end
//
// Storages made in different regions of one warp_specialize always live at the
// same time. mbarriers and what remote CTAs write live throughout the kernel.
//
// Which storages may share is fbtriton's rule. The addresses are those of a first
// fit, large storages first; its own, from a colouring of the same conflicts, can
// differ, and its scratch memory for conversions is not known at this level.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/StorageAliases.h"

namespace tlx {

/// A storage's life, as numbers of ops in post-order: [begin, end].
struct StorageLife {
  int64_t begin = 0, end = 0;
  /// The region of a warp_specialize that it was made in; null: outside.
  mlir::Operation *specialize = nullptr;
  mlir::Region *task = nullptr;
  bool overlaps(const StorageLife &other) const {
    // The regions of one warp_specialize run at the same time.
    if (specialize && specialize == other.specialize && task != other.task)
      return true;
    return begin <= other.end && other.begin <= end;
  }
};

struct StorageAddress {
  int64_t offset = 0; ///< bytes, or columns of tensor memory
  /// Tensor memory: first lane. A storage of 64 rows takes 16 of each 32 lanes: the
  /// lower ones (0) or the upper ones (16).
  int64_t lane = 0;
};

class StorageAllocation {
public:
  /// Of the storages of `aliases`, which was computed for `root`.
  static StorageAllocation compute(mlir::Operation *root, const StorageAliases &aliases);

  const StorageAddress &addressOf(int64_t storage) const { return addresses[storage]; }
  const StorageLife &lifeOf(int64_t storage) const { return lives[storage]; }
  /// Whether two storages of one kind may lie on the same memory.
  bool mayShare(int64_t a, int64_t b) const { return a == b || !lives[a].overlaps(lives[b]); }

  /// What all of them need: bytes of shared memory, columns of tensor memory.
  int64_t sharedBytes() const { return bytes; }
  int64_t tensorColumns() const { return columns; }

private:
  llvm::SmallVector<StorageLife> lives;
  llvm::SmallVector<StorageAddress> addresses;
  int64_t bytes = 0, columns = 0;
};

} // namespace tlx
