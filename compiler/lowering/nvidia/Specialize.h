//===- Specialize.h - which warps run what ------------------------------------===//
//
// Which warps run what is planned in analysis/WarpPlan.h.
//
// Both sides meet at hardware barrier 1 at the beginning and at the end of each
// warp_specialize. Where the kernel has just one, which it always reaches, the
// workers return after it; otherwise they loop, and a word of shared memory tells
// them which one it is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/WarpPlan.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx::nvidia {

class Emitter;

/// Code of the workers, from the insertion point on.
mlir::LogicalResult emitWorkers(Emitter &e);
/// Before the default warps return: ends workers that wait for more work.
void dismissWorkers(Emitter &e);

} // namespace tlx::nvidia
