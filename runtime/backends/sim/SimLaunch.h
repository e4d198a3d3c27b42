//===- SimLaunch.h - one launch on the simulator --------------------------===//
#pragma once

#include "runtime/backends/sim/SimKernel.h"
#include "runtime/device/HostMemory.h"
#include "sim/chips/Chip.h"
#include "sim/functional/Finding.h"

namespace tlx::device {

/// Values, time, or both. `chip` may be null when no time is asked for.
Result<LaunchReport> launchOnSim(const SimKernel &kernel, HostMemory &memory,
                                 const LaunchRequest &request, const sim::Chip *chip);

/// A finding of the simulator in the device's words.
Finding findingOf(const SimKernel &kernel, const sim::Finding &finding);

} // namespace tlx::device
