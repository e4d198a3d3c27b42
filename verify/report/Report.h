//===- Report.h - verdicts for people and for programs --------------------===//
#pragma once

#include "runtime/base/Replay.h"
#include "verify/checks/Prover.h"

#include <set>
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

/// Whether a BUG fails the run; policy and baseline (Policy.h) decide.
enum class Severity : uint8_t { Error, Warning, Suppressed, Baseline };
const char *name(Severity severity);

/// The verdict on one kernel; the fields of `tlx-verify --json`.
struct KernelReport {
  std::string file, kernel, level;
  std::string verdict = "UNKNOWN";     ///< PROVED, BUG, UNKNOWN
  std::string cls;                     ///< BUG
  Severity severity = Severity::Error; ///< BUG
  std::string reason;                  ///< UNKNOWN: short name
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
/// Reads what toJson wrote, which has no replays; `file` is for messages.
Result<std::vector<KernelReport>> fromJson(std::string_view text, const std::string &file);
/// SARIF 2.1.0, for code scanning.
std::string toSarif(const std::vector<KernelReport> &reports);
/// A few lines; `colour` marks the verdict with terminal colours.
std::string toText(const KernelReport &report, bool colour);
/// "49 kernels in 47 files: 44 PROVED, 2 BUG, 3 UNKNOWN (12.3 s)". There are more reports than
/// kernels where some come at several levels.
std::string summary(const std::vector<KernelReport> &reports, size_t kernels, size_t files,
                    size_t skipped, double seconds);
/// Steps in columns of tasks, downwards; empty when there is but one task, or
/// too many.
std::string timeLine(const std::vector<ReportStep> &steps);
/// Of a class, with an example that has it; of the findings of a report that was kept as JSON; of
/// "classes" or "contracts": all of them.
Result<std::string> explain(const std::string &what);

/// 0 PROVED, or a BUG that does not count; 1 BUG; 4 UNKNOWN.
int exitCode(const KernelReport &report);
/// The first of 1, 4, 0 that occurs.
int worstOf(const std::vector<KernelReport> &reports);

} // namespace tlx::verify
