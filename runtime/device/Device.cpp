//===- Device.cpp -----------------------------------------------------------===//
#include "runtime/device/Device.h"

namespace tlx::device {

Kernel::~Kernel() = default;
Device::~Device() = default;

Result<LaunchReport> Device::replay(Kernel &, const replay::Trace &) {
  return Error("device '" + name() + "' cannot follow a replay file").withHint("use --device sim");
}

Result<Measurement> Device::measure(Kernel &, const LaunchRequest &, const MeasureOptions &) {
  return Error("device '" + name() + "' cannot be measured").withHint("use --device cuda");
}

} // namespace tlx::device
