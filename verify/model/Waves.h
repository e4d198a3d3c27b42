//===- Waves.h - the barriers between two groups of waves ------------------===//
//
// Where a loop is a warp pipeline, the waves of a workgroup are two tasks that run
// the same code, the second one barrier behind:
//
//   first group   B | mfma   B  mem    B  mfma   B  mem    B | B
//   second group  B | B      B  mfma   B  mem    B  mfma   B | mem ...
//
// So which barriers there are decides which accesses meet. They are all put into the
// tasks here, as fbtriton 3.7.4 does:
//
//   stages     one between two stages, unless a wait or a barrier stands there already.
//              It is one for shared memory, too, where stages depend on each other
//   waits      one behind each wait for copies
//   accesses   one between two that conflict, by whole allocations, but not between a
//              copy and a load that relies on a wait (`syncedViaAsyncWait`)
//
// Until then a barrier is a TaskBarrier; `relaxed`, that accesses of shared memory before
// it may be going on behind it, and of a load, that it relies on a wait.
//
// Parts of a buffer that a group's waves write are lanes of it (encode/Waves.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

struct WaveGroup {
  int barrier = -1;        ///< Program::barriers: where all waves of the workgroup meet
  ExprId threads = NoExpr; ///< of the workgroup
  bool behind = false;     ///< the second group
};

/// The end of a stage, or with `forMemory` a barrier as any other.
Stmt stageEnd(Program &program, const char *what, const SourceLoc &loc, bool forMemory = false);

/// Makes a loop whose body has ends of stages a pipeline of one group. `after` may follow
/// the loop directly.
void appendPipeline(Program &program, Stmt loop, std::optional<Stmt> after, const WaveGroup &group,
                    Block &out);

/// Puts the barriers between accesses, and behind waits, into one group's task; all of them
/// then are barriers over both groups.
void placeBarriers(Program &program, Block &body, const WaveGroup &group);

} // namespace tlx::verify
