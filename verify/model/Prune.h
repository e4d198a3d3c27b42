//===- Prune.h - statements that no event depends on ----------------------===//
//
// A loop that only computes, or a branch that only chooses what nothing reads, would
// be a decision to follow both ways. It goes (contract: such loops end).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

/// Removes loops, branches and assignments without influence on any event.
void prune(Program &program);

} // namespace tlx::verify
