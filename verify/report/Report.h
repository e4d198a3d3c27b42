//===- Report.h - verdicts for people and for programs --------------------===//
#pragma once

#include "runtime/base/Replay.h"
#include "verify/checks/Prover.h"

#include <string>
#include <vector>

namespace tlx::verify {

struct ReportStep {
  std::string task;
  std::vector<int64_t> iteration;
  std::string op;
  SourceLoc loc;
  std::string note;
};

struct ReportFinding {
  std::string cls, message;
  SourceLoc loc;
  std::vector<ReportStep> steps;
};

struct LaunchReport {
  std::string target;
  std::optional<int> numWarps, numCtas;
  std::optional<std::array<int64_t, 3>> cluster;
  std::string from;
};

/// The verdict on one kernel; the fields of `tlx-verify --json`.
struct KernelReport {
  std::string file, kernel, level;
  std::string verdict = "UNKNOWN"; ///< PROVED, BUG, UNKNOWN
  std::string cls;                 ///< BUG
  std::string reason;              ///< UNKNOWN: short name
  std::string message;
  SourceLoc loc;
  std::vector<std::string> preconditions;
  std::vector<ReportStep> trace;
  std::string policy;
  std::vector<std::string> contracts;
  std::vector<ReportFinding> warnings;
  std::vector<std::string> notes;
  std::string bound;
  LaunchReport launch;
  std::optional<replay::Trace> replay; ///< BUG
  double seconds = 0;
  /// Where they went: reading the IR into the model, the solver's part of the proof, and
  /// executing a BUG's run.
  double encodeSeconds = 0, solverSeconds = 0, exploreSeconds = 0;
  size_t states = 0;
};

/// Fills verdict, message, location, trace, warnings and preconditions. A BUG
/// is executed first (Witness.h); one that cannot happen becomes UNKNOWN.
void fillReport(KernelReport &report, const Program &program, const ProofResult &result);

/// {"results": [...]}, as documented in docs/reference/tlx-verify.md.
std::string toJson(const std::vector<KernelReport> &reports);
/// A few lines; `colour` marks the verdict with terminal colours.
std::string toText(const KernelReport &report, bool colour);
std::string explain(const std::string &what);

/// 0 PROVED, 1 BUG, 4 UNKNOWN.
int exitCode(const KernelReport &report);

} // namespace tlx::verify
