//===- Backends.h - the devices of this build, by name --------------------===//
#pragma once

#include "runtime/device/Device.h"

namespace tlx::device {

/// Names that openDevice knows, in the order in which help lists them.
std::vector<std::string> deviceNames();

/// Opens a device. A name that is none, or one that this build lacks, is an
/// error that lists what there is.
Result<std::unique_ptr<Device>> openDevice(const std::string &name, const DeviceOptions &options);

} // namespace tlx::device
