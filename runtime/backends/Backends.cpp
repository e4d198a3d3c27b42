//===- Backends.cpp ---------------------------------------------------------===//
#include "runtime/backends/Backends.h"

#include "runtime/backends/cuda/CudaDevice.h"
#include "runtime/backends/null/NullDevice.h"
#include "runtime/base/SharedLibrary.h"

namespace tlx::device {

/// The simulator is a library of its own: launching on a GPU takes none of what it
/// links.
static Result<std::unique_ptr<Device>> openSim(const DeviceOptions &options) {
  Result<void *> library = openLibrary("libTlxSimDevice.so");
  if (!library)
    return std::move(library).error();
  auto make =
      reinterpret_cast<decltype(&tlxMakeSimDevice)>(findFunction(*library, "tlxMakeSimDevice"));
  if (!make)
    return Error::internal("libTlxSimDevice.so is of another build than this program");
  Device *device = nullptr;
  Error error;
  if (make(&options, &device, &error) != 0)
    return error;
  return std::unique_ptr<Device>(device);
}

std::vector<std::string> deviceNames() { return {"sim", "cuda", "null"}; }

Result<std::unique_ptr<Device>> openDevice(const std::string &name, const DeviceOptions &options) {
  if (name == "sim")
    return openSim(options);
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
