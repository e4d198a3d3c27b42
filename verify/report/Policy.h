//===- Policy.h - which findings count ------------------------------------===//
//
// A policy file says which classes are errors, which findings are known and
// why, and which memory-model options to use; a baseline lists the findings a
// project starts with. Neither changes a verdict: a BUG stays a BUG, since what
// lies behind it was not looked at, but one of severity "warning",
// "suppressed" or "baseline" does not fail the run.
//
//   {"war-proxy": "error",
//    "classes": {"proxy-fence": "warning", "exit": "off"},
//    "suppressions": [{"class": "race", "file": "kernel.py", "line": 35,
//                      "kernel": "relay", "reason": "the slot is never reused"}]}
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/report/Report.h"

namespace tlx::verify {

struct Suppression {
  std::string cls;    ///< empty: any
  std::string kernel; ///< empty: any
  std::string file;   ///< of the location; compared by its last parts
  int line = 0;
  std::string reason;
  SourceLocation place; ///< in the policy file
  bool used = false;
};

struct Policy {
  std::optional<WarProxy> warProxy;
  std::map<std::string, Severity> classes;
  std::vector<Suppression> suppressions;

  /// `file` is for messages.
  static Result<Policy> parse(std::string_view text, const std::string &file);
  static Result<Policy> read(const std::string &path);
  /// Sets the severity of a BUG and of warnings; drops warnings that are off.
  void apply(KernelReport &report);
  /// "policy.json:7:5: warning: ..." for each suppression that matched nothing.
  std::vector<std::string> unused() const;
};

/// Findings that were there when the project adopted the tool.
class Baseline {
public:
  static Result<Baseline> parse(std::string_view text, const std::string &file);
  static Result<Baseline> read(const std::string &path);
  static std::string print(const std::vector<KernelReport> &reports);
  void apply(KernelReport &report) const;

private:
  static std::string key(const std::string &kernel, const std::string &cls, const SourceLoc &loc);
  std::set<std::string> known;
};

} // namespace tlx::verify
