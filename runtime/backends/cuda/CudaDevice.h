//===- CudaDevice.h - kernels on an NVIDIA GPU ---------------------------------===//
//
// Runs packages (runtime/base/Package.h), and IR by having it compiled into one
// first. A kernel that does not end in time is a finding; the process must then
// leave without waiting for it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Device.h"

namespace tlx::device {

Result<std::unique_ptr<Device>> makeCudaDevice(const DeviceOptions &options);

} // namespace tlx::device
