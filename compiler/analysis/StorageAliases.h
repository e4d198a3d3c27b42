//===- StorageAliases.h - which storage each buffer occupies ---------------===//
//
// At the front end's levels a buffer is an allocation of its own
// (`ttg.local_alloc`, `ttng.tmem_alloc`), a second view of one
// (`tlx.local_alias`), or a member of a storage alias: several
// `tlx.storage_alias_local_alloc` of one `tlx.storage_alias_spec`, laid over each
// other as a tree of reuse groups says. fbtriton resolves this late, by rewriting
// buffer indices; who reasons about bytes before that asks here.
//
//   spec:  shared(qk : 2 x 64x64xf32, distinct(p : 2 x 64x64xf16, a : 2 x 64x32xf32))
//
//   group of 16 KiB per index:     | qk[i]            |
//                                  | p[i]    | a[i]   |     p: scale 2, slot 0
//                                                           a: scale 2, slot 1
//
// The rules are fbtriton 3.7.4's: its checks are errors here, and where its index
// arithmetic makes buffers overlap that a user would take for distinct, ours does
// too: `slotOf` is what the compiled kernel addresses.
//
// Units: bytes of shared memory, 32-bit columns of tensor memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tlx/TLX.h"

#include "llvm/ADT/DenseMap.h"

namespace tlx {

/// The type of an allocation with the tensor-memory encoding that its uses ask
/// for. MMAs over two CTAs store a 64-row accumulator on all 128 lanes, which
/// stands in the `tlx.require_layout` in front of them, not at the allocation.
ttg::MemDescType settledType(mlir::Value allocation);

/// A piece of memory that is allocated as a whole.
struct Storage {
  mlir::Operation *source = nullptr; ///< the allocation or the storage_alias_spec
  tlxd::StorageKind kind = tlxd::StorageKind::Smem;
  int64_t size = 0;       ///< bytes or columns, of the largest view on it
  int64_t lanes = 0;      ///< tensor memory: 64 or 128
  int64_t alignment = 16; ///< bytes, shared memory only
};

/// Where the buffers of one allocation lie in their storage.
struct BufferPlace {
  int64_t storage = 0; ///< index into storages()
  int64_t unit = 0;    ///< from one buffer to the next
  int64_t count = 1;   ///< buffers: the leading dimension, but 1 for plain tensor memory
  int64_t scale = 1, slot = 0, group = 1;

  /// The position of buffer `index`, counted in buffers of this size.
  int64_t slotOf(int64_t index) const {
    return scale * index + slot + (group > 1 ? index % group : 0);
  }
  int64_t offsetOf(int64_t index) const { return unit * slotOf(index); }
  /// Whether indices are used as they are written.
  bool isDirect() const { return scale == 1 && slot == 0; }
};

class StorageAliases {
public:
  /// Of all allocations in `root` (a function or a module). An error has been
  /// emitted on failure: storage too small, buffers that do not fit their group.
  static mlir::FailureOr<StorageAliases> compute(mlir::Operation *root);

  const llvm::SmallVector<Storage> &storages() const { return all; }
  /// Place of the result of an allocation or local_alias; null for other values.
  const BufferPlace *placeOf(mlir::Value buffer) const;
  const Storage &storageOf(const BufferPlace &place) const { return all[place.storage]; }

  /// Whether two buffers of two allocations share storage.
  bool overlap(const BufferPlace &a, int64_t indexA, const BufferPlace &b, int64_t indexB) const;

private:
  friend class StorageAliasBuilder;
  llvm::SmallVector<Storage> all;
  llvm::DenseMap<mlir::Value, BufferPlace> places;
};

} // namespace tlx
