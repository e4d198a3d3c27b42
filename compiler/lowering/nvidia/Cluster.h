//===- Cluster.h - what a CTA does at the beginning of a cluster -------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tlx::nvidia {

class Emitter;

/// CTAs of a cluster that share one program's tiles.
int64_t ctasOfProgram(mlir::Operation *op);

/// Where the kernel's CTAs have to know each other's mbarriers initialised
/// (compiler/analysis/ClusterSync.h): the default warps arrive and wait.
void meetAtClusterEntry(Emitter &e);
/// All threads of a cluster's CTAs meet, and see what each other wrote.
void meetCluster(Emitter &e);
/// The workers' part: they arrive, and learn the rest from the default warps.
void arriveAtClusterEntry(Emitter &e);

} // namespace tlx::nvidia
