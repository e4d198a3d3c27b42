//===- Driver.cpp -------------------------------------------------------------===//
#include "runtime/backends/cuda/Driver.h"

#include <dlfcn.h>

namespace tlx::cuda {

namespace {

/// Takes functions out of the library and remembers the first that is missing.
class Symbols {
public:
  explicit Symbols(void *library) : library(library) {}
  template <typename F> void take(F &function, const char *name) {
    function = reinterpret_cast<F>(::dlsym(library, name));
    if (!function && missing.empty())
      missing = name;
  }
  std::string missing;

private:
  void *library;
};

Result<Driver> load() {
  void *library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error("there is no NVIDIA driver on this machine (libcuda.so.1)", {},
                 "use --device sim, or run where there is a GPU");
  Driver d{};
  Symbols symbols(library);
  symbols.take(d.init, "cuInit");
  symbols.take(d.deviceGet, "cuDeviceGet");
  symbols.take(d.deviceGetName, "cuDeviceGetName");
  symbols.take(d.deviceGetAttribute, "cuDeviceGetAttribute");
  symbols.take(d.primaryContextRetain, "cuDevicePrimaryCtxRetain");
  symbols.take(d.contextSetCurrent, "cuCtxSetCurrent");
  symbols.take(d.contextSynchronize, "cuCtxSynchronize");
  symbols.take(d.allocate, "cuMemAlloc_v2");
  symbols.take(d.release, "cuMemFree_v2");
  symbols.take(d.toDevice, "cuMemcpyHtoD_v2");
  symbols.take(d.toHost, "cuMemcpyDtoH_v2");
  symbols.take(d.fill8, "cuMemsetD8_v2");
  symbols.take(d.fill8Async, "cuMemsetD8Async");
  symbols.take(d.moduleLoad, "cuModuleLoadData");
  symbols.take(d.moduleGetFunction, "cuModuleGetFunction");
  symbols.take(d.functionSetAttribute, "cuFuncSetAttribute");
  symbols.take(d.launch, "cuLaunchKernelEx");
  symbols.take(d.streamCreate, "cuStreamCreate");
  symbols.take(d.streamQuery, "cuStreamQuery");
  symbols.take(d.captureBegin, "cuStreamBeginCapture_v2");
  symbols.take(d.captureEnd, "cuStreamEndCapture");
  symbols.take(d.graphInstantiate, "cuGraphInstantiateWithFlags");
  symbols.take(d.graphLaunch, "cuGraphLaunch");
  symbols.take(d.graphExecDestroy, "cuGraphExecDestroy");
  symbols.take(d.graphDestroy, "cuGraphDestroy");
  symbols.take(d.eventCreate, "cuEventCreate");
  symbols.take(d.eventRecord, "cuEventRecord");
  symbols.take(d.eventSynchronize, "cuEventSynchronize");
  symbols.take(d.eventElapsed, "cuEventElapsedTime");
  symbols.take(d.tensorMapEncode, "cuTensorMapEncodeTiled");
  symbols.take(d.errorName, "cuGetErrorName");
  symbols.take(d.errorText, "cuGetErrorString");
  if (!symbols.missing.empty())
    return Error("the NVIDIA driver is too old: it has no " + symbols.missing, {},
                 "CUDA 12 or later is needed");
  return d;
}

} // namespace

Result<const Driver *> Driver::open() {
  static const Result<Driver> driver = load();
  if (!driver)
    return driver.error();
  return &*driver;
}

Result<void> Driver::check(Status status, const std::string &doing) const {
  if (status == ok)
    return {};
  const char *name = nullptr, *text = nullptr;
  errorName(status, &name);
  errorText(status, &text);
  return Error(doing + ": " + (name ? name : "error " + std::to_string(status)) +
               (text ? std::string(": ") + text : std::string()));
}

} // namespace tlx::cuda
