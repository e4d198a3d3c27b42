//===- SimLibrary.cpp - the simulator as a library of its own -------------------===//
#include "runtime/backends/sim/SimDevice.h"

extern "C" int tlxMakeSimDevice(const tlx::device::DeviceOptions *options,
                                tlx::device::Device **device, tlx::Error *error) {
  auto made = tlx::device::makeSimDevice(*options);
  if (!made) {
    *error = std::move(made).error();
    return int(error->code);
  }
  *device = made->release();
  return 0;
}
