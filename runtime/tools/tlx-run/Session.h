//===- Session.h - one run, step by step ----------------------------------===//
#pragma once

#include "runtime/tools/tlx-run/Compare.h"
#include "runtime/tools/tlx-run/Options.h"

#include "runtime/base/Result.h"
#include "runtime/device/Device.h"
#include "runtime/loader/Arguments.h"

#include <string>
#include <vector>

namespace tlx::run {

/// A storage that the kernel changed.
struct Output {
  int64_t storage = 0;
  DType dtype = DType::u8;
  std::vector<int64_t> shape;
  std::string sha256; ///< of all its bytes
  std::string file;   ///< where it was saved; empty: nowhere
  std::optional<Comparison> comparison;
};

/// What the simulator says of the same launch.
struct Simulated {
  std::string chip;
  std::optional<double> nanoseconds;
  std::vector<std::pair<int64_t, Comparison>>
      comparisons; ///< by storage: its values, expected ours
  bool matches = false;
};

struct Outcome {
  std::string device, kernel;
  device::LaunchReport report;
  std::optional<device::Measurement> measurement;
  std::vector<Output> outputs; ///< by storage
  std::optional<Simulated> simulated;
  double seconds = 0; ///< of wall clock, all of the run
};

/// Loads, launches (or replays) and collects.
Result<Outcome> runSession(const Options &options);

/// 0, or the exit code that the findings call for.
int exitCode(const Outcome &outcome);

std::string jsonReport(const Outcome &outcome);
/// Without the findings.
std::string textReport(const Outcome &outcome);
/// The findings as errors, one after another; empty when there are none.
std::string findingsText(const Outcome &outcome);

} // namespace tlx::run
