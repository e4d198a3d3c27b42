//===- Options.h - tlx-run's command line ---------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tlx::run {

struct Options {
  std::string device = "sim";
  std::string file;
  std::optional<std::string> manifest;
  std::optional<std::string> replay;
  std::optional<std::string> recordedFrom; ///< the program that errors name, not `file`'s folder
  std::optional<std::string> chip;
  std::vector<std::string> whatIf;
  std::optional<std::string> schedule;
  std::optional<std::string> saveOutputs;
  std::optional<std::string> trace;
  std::optional<std::string> report;
  std::optional<std::string> check; ///< folder of .npy files to compare with
  std::optional<double> tolerance;
  bool bench = false;
  bool flushL2 = false;
  std::optional<int64_t> repeats;
  std::optional<double> timeout; ///< seconds
  std::optional<int64_t> memory; ///< MiB
  std::optional<int64_t> repeat; ///< further launches that must give the same bytes
  bool noVerify = false;
  bool compareSim = false;
  std::vector<std::string> sweep;     ///< manifests, or folders of them
  std::vector<std::string> variants;  ///< further kernels of a sweep
  std::optional<std::string> compare; ///< a report that `file`, another, is compared with
  std::optional<std::string> results; ///< of a sweep, a line for each case
  bool json = false;
  bool functionalOnly = false;
  bool timingOnly = false;
  std::optional<int64_t> threads;
  bool exactMma = false;
  bool raceCheck = false;
  bool noRaceCheck = false;
};

/// Nothing: go on. Otherwise the exit status.
std::optional<int> parseOptions(int argc, const char *const *argv, Options &out);

} // namespace tlx::run
