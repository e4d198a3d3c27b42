//===- CudaLaunch.h - parameters and configuration of a launch ----------------===//
#pragma once

#include "runtime/backends/cuda/Driver.h"
#include "runtime/base/Package.h"
#include "runtime/device/Device.h"

#include <list>
#include <vector>

namespace tlx::cuda {

/// Everything that a launch hands to the driver, alive as long as this is.
class PreparedLaunch {
public:
  /// `scratch` is the address of the kernel's global scratch, 0 for none.
  static Result<PreparedLaunch> make(const Driver &driver, const Package &package,
                                     const device::LaunchRequest &request, int64_t numCtas,
                                     Pointer scratch);

  Status launch(const Driver &driver, Function function, Stream stream);

  static std::array<int64_t, 3> launchedGrid(const device::LaunchRequest &request,
                                             int64_t numCtas) {
    return {request.grid[0] * numCtas, request.grid[1], request.grid[2]};
  }

private:
  std::list<TensorMap> maps;
  std::list<uint64_t> words;
  std::vector<void *> parameters;
  LaunchConfig config{};
  LaunchAttribute cluster{};
  bool inClusters = false;
};

} // namespace tlx::cuda
