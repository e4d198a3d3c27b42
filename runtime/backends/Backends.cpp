//===- Backends.cpp ---------------------------------------------------------===//
#include "runtime/backends/Backends.h"

#include "runtime/backends/cuda/CudaDevice.h"
#include "runtime/backends/null/NullDevice.h"
#include "runtime/base/SharedLibrary.h"

#include <cstdlib>
#include <mutex>

namespace tlx::device {

/// OpenBLAS goes by the processor's model, and takes kernels of 2004 for a model that is
/// newer than it is: a fifth of the speed. What the processor can do says it better.
/// Read when the library is loaded; what the user chose stays.
static void chooseMatrixKernels() {
#if defined(__x86_64__)
  const char *kernels = nullptr;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    kernels = "SkylakeX";
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    kernels = "Haswell";
  if (kernels)
    ::setenv("OPENBLAS_CORETYPE", kernels, /*overwrite=*/0);
#endif
}

/// The simulator is a library of its own: launching on a GPU takes none of what it
/// links.
static Result<std::unique_ptr<Device>> openSim(const DeviceOptions &options) {
  static std::once_flag chosen;
  std::call_once(chosen, chooseMatrixKernels);
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
