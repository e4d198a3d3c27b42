//===- Versus.h - two predictions side by side ------------------------------===//
//
//   tlx-run --compare before.json after.json
//
// reads two reports of --json and says what changed: time, bound, utilisation,
// bytes, what each task does with its time, and the source lines whose waiting
// changed most. Waiting is counted in cycles of one task: the line's share of all
// tasks' time, times the cycles of the launch, so that reports of different grids
// can be compared.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Json.h"
#include "runtime/base/Result.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tlx::run {

/// What --json said about a predicted time.
struct Predicted {
  struct Task {
    std::string name;
    double progress = 0;                 ///< share of its time
    std::map<std::string, double> waits; ///< by reason, share of its time
  };
  std::string file, kernel, chip, boundBy;
  int64_t cycles = 0;
  double nanoseconds = 0;
  std::vector<std::pair<std::string, double>> utilisation;
  std::vector<std::pair<std::string, int64_t>> bytes;
  std::vector<Task> tasks;
  /// Cycles of one task, by "file:line" and reason.
  std::map<std::pair<std::string, std::string>, double> lines;
};

/// An Error with its place when the document is no report of a predicted time.
Result<Predicted> readPredicted(const json::Document &document);

/// For people; `lines` is how many source lines are shown.
std::string versusText(const Predicted &a, const Predicted &b, size_t lines = 10);
/// For programs; all source lines, the largest change first.
std::string versusJson(const Predicted &a, const Predicted &b);

/// Reads two files and compares them.
Result<std::string> compareReports(const std::string &before, const std::string &after, bool json);

} // namespace tlx::run
