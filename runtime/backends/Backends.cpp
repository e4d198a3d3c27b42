//===- Backends.cpp ---------------------------------------------------------===//
#include "runtime/backends/Backends.h"

#include "runtime/backends/cuda/CudaDevice.h"
#include "runtime/backends/null/NullDevice.h"
#include "runtime/backends/sim/SimDevice.h"

namespace tlx::device {

std::vector<std::string> deviceNames() { return {"sim", "cuda", "null"}; }

Result<std::unique_ptr<Device>> openDevice(const std::string &name, const DeviceOptions &options) {
  if (name == "sim")
    return makeSimDevice(options);
  if (name == "cuda")
    return makeCudaDevice(options);
  if (name == "null")
    return makeNullDevice();
  bool known = name == "hip";
  std::string list;
  for (const std::string &device : deviceNames())
    list += (list.empty() ? "" : ", ") + device;
  return Error("device '" + name + "' is " + (known ? "not available in this build" : "not known"))
      .withHint("devices: " + list);
}

} // namespace tlx::device
