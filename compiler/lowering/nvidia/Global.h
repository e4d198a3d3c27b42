//===- Global.h - what accesses to global memory share ------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia {

/// Whether this thread is the one that acts for elements of which several threads
/// hold copies; null: no element has copies.
Value isOwner(Emitter &e, Type type);

/// Registers that one access takes together: those that differ in the bits of
/// `vector`, in its order.
llvm::SmallVector<llvm::SmallVector<int64_t>> groupsOf(int64_t registers,
                                                       llvm::ArrayRef<unsigned> vector);

} // namespace tlx::nvidia
