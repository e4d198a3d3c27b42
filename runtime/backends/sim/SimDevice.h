//===- SimDevice.h - the simulator as a device ----------------------------===//
//
// Kernels are loaded through the compiler library, executed for their values by
// sim/functional and timed by sim/timing on a chip of sim/chips.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Device.h"

namespace tlx::device {

/// An unknown chip, or one that cannot run the target, is an error.
Result<std::unique_ptr<Device>> makeSimDevice(const DeviceOptions &options);

} // namespace tlx::device
