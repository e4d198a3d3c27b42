//===- Witness.h - a BUG's run, executed and written down ------------------===//
//
// The prover's run is executed by the explorer's own evaluator before it is
// reported, and what that shows becomes the replay file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Replay.h"
#include "verify/checks/Prover.h"
#include "verify/explore/Confirm.h"

namespace tlx::verify {

/// Executes the run of a BUG.
Confirmation confirm(const Program &program, const ProofResult &result);

/// The replay file of that run, without the kernel's hash and with the scalars
/// that the run depends on: the caller knows the rest.
replay::Trace replayOf(const Program &program, const ProofResult &result,
                       const Confirmation &confirmation);

} // namespace tlx::verify
