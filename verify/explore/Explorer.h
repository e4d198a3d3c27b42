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

#include <array>
#include <functional>
#include <optional>

namespace tlx::verify {

/// What an opaque function is applied to; 0 where it has no operand.
using Operands = std::array<int64_t, 3>;

/// The value of a leaf (symbol or opaque function), if there is one.
struct LeafPlace {
  const std::vector<int64_t> &iteration; ///< of the loops around it
  Operands operands;                     ///< of an opaque function
};
using LeafValues = std::function<std::optional<int64_t>(ExprId leaf, const LeafPlace &place)>;

struct ExploreOptions {
  /// Values of symbols (index into Exprs::symbols).
  std::function<int64_t(int64_t)> valueOf;
  /// Values of opaque functions; without it they are not known.
  std::function<int64_t(const Function &, const Operands &)> functionOf;
  LeafValues values; ///< or of both
  size_t maxStates = 2'000'000;
  bool watchesReads = true; ///< a read of what nothing has written is a fault
};

struct ExploreStep {
  int task = -1;
  int event = -1;
  bool completion = false; ///< asynchronous work of an earlier step completes
};

/// What a step did wrong. `what`: "deadlock", "race", "proxy", "phase", "over-arrival",
/// "init", "bytes", "range", "named", "cluster", "lifetime", "remote", "diverged", "exit",
/// "unwritten".
struct Fault {
  std::string what, message;
  int task = -1, event = -1;
};

/// The first fault that was seen, if one was.
struct ExploreResult : Fault {
  enum Verdict : uint8_t { Clean, Violation, Unknown } verdict = Unknown;
  std::vector<ExploreStep> trace; ///< a path to it
  size_t states = 0;
  size_t runs = 0; ///< that came to their end

  static ExploreResult clean() {
    ExploreResult result;
    result.verdict = Clean;
    return result;
  }
  void violated(const Fault &fault) {
    verdict = Violation;
    static_cast<Fault &>(*this) = fault;
  }
};

/// Every state. Values that the kernel assumes otherwise leave nothing to look at. Two more tasks,
/// or a few more iterations, and there are too many.
ExploreResult explore(const Program &program, const ExploreOptions &options);

/// One run for every order that matters (Orders.cpp): the same verdicts at real sizes,
/// and "proxy" for missing proxy fences. `maxStates` bounds the steps.
ExploreResult exploreOrders(const Program &program, const ExploreOptions &options);

} // namespace tlx::verify
