//===- Global.h - what accesses to global memory share ------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia {

/// Whether this thread is the one that acts for elements of which several threads
/// hold copies; null: no element has copies.
Value isOwner(Emitter &e, Type type);

/// The register bits of a tile of pointers that step through consecutive addresses,
/// for one access of at most 128 bits: as many as alignment and mask allow.
llvm::SmallVector<unsigned> pointerVector(Emitter &e, Value pointers, Value mask,
                                          unsigned elementBits);

/// Registers that one access takes together: those that differ in the bits of
/// `vector`, in its order.
llvm::SmallVector<llvm::SmallVector<int64_t>> groupsOf(int64_t registers,
                                                       llvm::ArrayRef<unsigned> vector);

} // namespace tlx::nvidia
