//===- NullDevice.h - a device that runs nothing --------------------------===//
//
// Everything around a launch and no launch: memory is kept, kernels are taken
// as they are, nothing is executed. For trying manifests and for starting a new
// backend.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Device.h"

namespace tlx::device {

std::unique_ptr<Device> makeNullDevice();

} // namespace tlx::device
