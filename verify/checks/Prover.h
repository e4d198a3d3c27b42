//===- Prover.h - every trip count, by a finite graph of states -----------===//
//
// Runs the machine from the start and follows both answers of every decision.
// States with the same identity (Canonical.cpp) are visited once. When no new
// state remains and nothing was violated, the kernel is proved: for every trip
// count, every combination of data-dependent branches, every interleaving.
// Breadth first, so that a violation comes with few iterations.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/checks/Feasibility.h"
#include "verify/checks/Machine.h"

#include <atomic>
#include <functional>

namespace tlx::verify {

struct ProverOptions {
  WarProxy warProxy = WarProxy::Warn;
  bool strict = false;       ///< empty launches are BUGs too
  double timeoutSeconds = 0; ///< 0: none
  size_t maxStates = 400'000;
  size_t maxOpen = 60'000; ///< states not looked at yet, which are most of the memory
  const std::atomic<bool> *cancelled = nullptr;
  /// Does a given launch make this size, in its last program, smaller than `atLeast`?
  /// Such a launch forbids the precondition.
  std::function<bool(const Linears &, const LinForm &, int64_t atLeast)> launchReaches;
  std::vector<SymbolValues> launches = {}; ///< those given, without a program
};

/// A decision on the way to a state, in words.
struct Decided {
  std::string text; ///< e.g. "K >= 129"
  bool yes = false;
  std::vector<int64_t> iteration; ///< that it depends on
  std::string quantity;           ///< that is compared with `atLeast`, one value; or empty
  int64_t atLeast = 0;
};

struct Precondition {
  std::string text; ///< e.g. "(K + 63) / 64 >= 1"
  LinForm value;    ///< value >= atLeast
  int64_t atLeast = 1;
};

struct ProofResult {
  enum Verdict : uint8_t { Proved, Bug, Unknown } verdict = Unknown;
  Violation violation;                                   ///< Bug
  std::string reason;                                    ///< Unknown
  Step at;                                               ///< Unknown
  std::vector<Step> trace;                               ///< Bug: the run up to the violation
  std::vector<Decided> path;                             ///< Bug: what was decided on the way
  std::map<DecisionKey, Interval> decisions;             ///< Bug: the same for the solver
  std::map<LinId, std::pair<int64_t, int64_t>> residues; ///< Bug: chosen on the way
  Assignment values;                                     ///< Bug: give that run
  std::vector<Precondition> preconditions;
  std::vector<Violation> warnings;
  std::set<std::string> notes; ///< what was taken for right without having been looked at
  size_t states = 0, forks = 0;
  int64_t steps = 0;
  int64_t deepestIteration = 0; ///< the largest iteration number that was run
};

ProofResult prove(const Program &program, const ProverOptions &options);

} // namespace tlx::verify
