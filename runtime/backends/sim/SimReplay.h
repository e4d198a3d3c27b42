//===- SimReplay.h - following a verifier's trace -------------------------===//
//
// The trace decides everything that a run leaves open: which task goes next,
// when asynchronous work completes, how data-dependent branches and CLC queries
// come out. The machine computes no values; it executes barriers, addresses and
// control, and reports what it finds wrong. The report then says whether that
// is the violation of the trace.
//
// A trace may leave steps out: a task executes whatever lies between two of its
// events on the way to the second one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backends/sim/SimKernel.h"

namespace tlx::device {

Result<LaunchReport> replayOnSim(const SimKernel &kernel, const replay::Trace &trace);

} // namespace tlx::device
