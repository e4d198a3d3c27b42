//===- ClusterSync.h - cluster barriers that the lowering adds --------------===//
//
// fbtriton adds these below `.ttgir`; who reasons about a cluster kernel before
// that must know of them (a lowering contract):
//
//   at entry  behind the mbarrier inits of the entry block, in kernels that
//             take remote views, multicast, pair CTAs or ask for cluster launches.
//             The inits, and what they are computed from, are moved ahead of
//             everything else in the block for it; the block ends where
//             structured control flow begins
//   at exit   before tensor memory is freed, in kernels that pair CTAs, unless
//             the module says `tlx.user_post_ws_sync`
//
// As the PTX of fbtriton 3.7.4 has it. Not covered, as there: mbarriers that are
// initialised elsewhere, and kernels whose only remote accesses are
// `ttg.remote_shmem_store` and its asynchronous kin. Those need a cluster barrier of
// their own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

namespace tlx {

struct LoweredClusterSync {
  mlir::Operation *entryAfter = nullptr; ///< synchronised behind this op; null: not
  mlir::Operation *exitBefore = nullptr; ///< and before this one; null: not
  bool pairsCtas = false;                ///< tensor memory is worked on, and freed, in pairs
};

/// Of a kernel that is launched in clusters of more than one CTA. Moves initialisations
/// of the entry block that come too late.
LoweredClusterSync lowerClusterSync(tt::FuncOp kernel);

} // namespace tlx
