//===- Explorer.h - every interleaving at a small size --------------------===//
//
// The independent judge. It shares the model with the prover and nothing else:
// its own evaluator on concrete values, real phase bits and pending counts,
// every order of tasks and of asynchronous completions. It sees a race as a
// state in which two conflicting accesses are both possible next, and early
// passes, lost phases and misplaced arrivals as one operation that meets
// different phases in different interleavings.
//
// Used to confirm what the prover refutes and, in tests, to contradict it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Code.h"

#include <functional>
#include <optional>

namespace tlx::verify {

struct ExploreOptions {
  /// Values of symbols (index into Exprs::symbols).
  std::function<int64_t(int64_t)> valueOf;
  /// Or of all leaves, in given iterations of the loops around them.
  std::function<std::optional<int64_t>(ExprId leaf, const std::vector<int64_t> &iteration)> values;
  size_t maxStates = 2'000'000;
};

struct ExploreStep {
  int task = -1;
  int event = -1;
  bool completion = false; ///< asynchronous work of an earlier step completes
};

struct ExploreResult {
  enum Verdict : uint8_t { Clean, Violation, Unknown } verdict = Unknown;
  /// What was seen: "deadlock", "race", "phase", "over-arrival", "init",
  /// "bytes", "range", "named".
  std::string what;
  std::string message;
  int task = -1, event = -1;
  std::vector<ExploreStep> trace; ///< a path to it
  size_t states = 0;
};

/// Every state. Two more tasks, or a few more iterations, and there are too many.
ExploreResult explore(const Program &program, const ExploreOptions &options);

/// One run for every order that matters (Orders.cpp): the same verdicts at real sizes,
/// and "proxy" for missing proxy fences. `maxStates` bounds the steps.
ExploreResult exploreOrders(const Program &program, const ExploreOptions &options);

} // namespace tlx::verify
