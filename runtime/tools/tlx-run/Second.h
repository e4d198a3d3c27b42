//===- Second.h - what others say of a run on a GPU -----------------------------===//
//
// Before it: tlx-verify, because a kernel that hangs cannot be stopped there. After
// it: the simulator, whose values and time are put next to the GPU's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/tools/tlx-run/Session.h"

namespace tlx::run {

/// Has `verifier`, the path of tlx-verify, look at the launch. A sentence for the
/// report when nothing speaks against it; an Error when it found a bug.
Result<std::string> verifyFirst(const std::string &verifier, const Options &options);

/// Simulates the launch and compares what the kernel wrote with the files that
/// `outcome`, of a run that saved them, names.
Result<Simulated> simulateToo(const Options &options, const Outcome &outcome);

} // namespace tlx::run
