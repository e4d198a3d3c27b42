//===- CudaTiming.cpp -----------------------------------------------------------===//
#include "runtime/backends/cuda/CudaTiming.h"

#include <algorithm>
#include <functional>

namespace tlx::cuda {
namespace {

/// A launch takes the host a few microseconds: below this the device would wait.
constexpr double graphBelowNs = 20e3;
constexpr int captureRelaxed = 2; ///< CU_STREAM_CAPTURE_MODE_RELAXED

class Timer {
public:
  Timer(const Driver &driver, Stream stream) : driver(driver), stream(stream) {
    driver.eventCreate(&begin, 0);
    driver.eventCreate(&end, 0);
  }

  /// Nanoseconds of what `work` puts on the stream.
  Result<double> time(const std::function<Status()> &work) {
    driver.eventRecord(begin, stream);
    Status status = work();
    driver.eventRecord(end, stream);
    if (status == ok)
      status = driver.eventSynchronize(end);
    float milliseconds = 0;
    if (status == ok)
      status = driver.eventElapsed(&milliseconds, begin, end);
    if (auto good = driver.check(status, "measuring"); !good)
      return std::move(good).error();
    return double(milliseconds) * 1e6;
  }

private:
  const Driver &driver;
  Stream stream;
  Event begin = nullptr, end = nullptr;
};

/// What `work` puts on the stream, to be run again.
Result<GraphExec> record(const Driver &driver, Stream stream, const std::function<Status()> &work) {
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  Status status = driver.captureBegin(stream, captureRelaxed);
  if (status == ok)
    status = work();
  if (Status ended = driver.captureEnd(stream, &graph); status == ok)
    status = ended;
  if (status == ok)
    status = driver.graphInstantiate(&exec, graph, 0);
  if (graph)
    driver.graphDestroy(graph);
  if (auto good = driver.check(status, "recording a graph"); !good)
    return std::move(good).error();
  return exec;
}

} // namespace

Result<device::Measurement> measureLaunch(const Driver &driver, Stream stream, Function function,
                                          PreparedLaunch &launch, size_t l2Bytes,
                                          const device::MeasureOptions &options) {
  Timer timer(driver, stream);
  auto launches = [&](int64_t count) {
    return [&, count] {
      Status status = ok;
      for (int64_t index = 0; index < count && status == ok; ++index)
        status = launch.launch(driver, function, stream);
      return status;
    };
  };
  const int64_t warmUp = std::max<int64_t>(1, options.warmUp);
  auto warm = timer.time(launches(warmUp));
  if (!warm)
    return std::move(warm).error();
  // A sample lasts long enough for the events' resolution; a flushed cache is one launch's.
  const double each = std::max(*warm / double(warmUp), 1.0);
  device::Measurement result;
  result.launchesPerSample =
      options.flushCache ? 1 : std::clamp<int64_t>(int64_t(options.sampleNs / each), 1, 1000);
  std::function<Status()> work = launches(result.launchesPerSample);
  GraphExec graph = nullptr;
  if (!options.flushCache && each < graphBelowNs) {
    auto recorded = record(driver, stream, work);
    if (!recorded)
      return std::move(recorded).error();
    graph = *recorded;
    work = [&] { return driver.graphLaunch(graph, stream); };
    if (auto first = timer.time(work); !first)
      return std::move(first).error();
  }
  Pointer flush = 0;
  const size_t flushBytes = options.flushCache ? 2 * l2Bytes : 0;
  if (flushBytes)
    if (auto good = driver.check(driver.allocate(&flush, flushBytes), "allocating"); !good)
      return std::move(good).error();
  for (int64_t index = 0; index < options.repeats; ++index) {
    if (flush)
      driver.fill8Async(flush, 0, flushBytes, stream);
    auto one = timer.time(work);
    if (!one)
      return std::move(one).error();
    result.samplesNs.push_back(*one / double(result.launchesPerSample));
  }
  result.inGraph = graph != nullptr;
  if (graph)
    driver.graphExecDestroy(graph);
  if (flush)
    driver.release(flush);
  return result;
}

} // namespace tlx::cuda
