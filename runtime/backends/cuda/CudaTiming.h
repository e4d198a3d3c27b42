//===- CudaTiming.h - how long a launch takes ----------------------------------===//
//
// A sample is many launches between two events. Launches that are shorter than the
// host needs for one are recorded in a graph first, which the device runs by itself:
//
//   host:  |launch|launch|launch|          graph:  |launch|
//   GPU:          |k|    |k|    |k|                       |k|k|k|
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/backends/cuda/CudaLaunch.h"

namespace tlx::cuda {

/// `l2Bytes`: of the device, what `options.flushCache` has to displace.
Result<device::Measurement> measureLaunch(const Driver &driver, Stream stream, Function function,
                                          PreparedLaunch &launch, size_t l2Bytes,
                                          const device::MeasureOptions &options);

} // namespace tlx::cuda
