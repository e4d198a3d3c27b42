//===- ClusterSync.h - cluster barriers that the lowering adds --------------===//
//
// fbtriton adds these below `.ttgir`; who reasons about a cluster kernel before
// that must know of them (a lowering contract):
//
//   at entry  after the last mbarrier init of the entry block: fence, cluster
//             arrive and wait, in kernels that reach other CTAs' shared memory
//             (remote views, multicast TMA, CLC, paired MMA, commits to peers)
//
// mbarriers that are initialised elsewhere are not covered.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

namespace tlx {

/// The op behind which the lowering synchronises the cluster; null when it does
/// not.
mlir::Operation *entryClusterSyncAfter(tt::FuncOp kernel);

} // namespace tlx
