//===- Confirm.h - a violation shown in one concrete interleaving ---------===//
//
// The prover's finding is an argument about order: in its canonical run two
// things are not ordered. Here the run is executed with chosen values, step by
// step, and then an interleaving is built in which the violation happens before
// one's eyes: what must precede the violating step goes first, then that step,
// then whatever it collides with. Order (who must precede whom) is noted on the
// way, and only suggests that interleaving; it is executed to see what it does.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/explore/World.h"

namespace tlx::verify {

/// An event of the prover's run, or one that the violation is about.
struct RunStep {
  int task = -1;
  int event = -1;
};

struct ConfirmRequest {
  std::vector<RunStep> run; ///< in the prover's order, up to the violation
  RunStep at;               ///< where it shows
  LeafValues values;
  bool aboutProxies = false; ///< it is about what a proxy sees
  bool aboutRaces = false;   ///< looked for first: it may let a wait pass wrongly too
  bool aboutWrites = false;  ///< it is about what nothing has written
};

/// A step of the interleaving that shows the violation.
struct ShownStep {
  int task = -1, event = -1;
  bool completion = false; ///< asynchronous work of an earlier step ends
  std::vector<int64_t> iteration;
  int run = -1; ///< index into ConfirmRequest::run; -1: not in it
};

/// A branch that the environment decided, in the order of execution.
struct ShownBranch {
  int task = -1, pc = -1;
  int64_t occurrence = 0; ///< how often that task had been there before
  bool holds = false;
};

struct Confirmation {
  enum Verdict : uint8_t {
    Shown, ///< the interleaving ends in the violation
    /// The run is real; that it violates something was not seen in an interleaving. What
    /// is said of proxies was, by all orders at these values: `what` is "proxy" then.
    Followed,
    Refuted, ///< the run cannot happen with these values
    Open,    ///< something that cannot be executed here
  } verdict = Open;
  std::string what;    ///< Shown: the kind of fault (World.h)
  std::string message; ///< what was seen, or why not
  /// The last step met this phase in place of the other; -1: it is not about
  /// phases.
  int64_t phase = -1, meant = -1;
  std::vector<ShownStep> steps;
  std::vector<ShownBranch> branches;
};

Confirmation confirm(const Program &program, const ConfirmRequest &request);

} // namespace tlx::verify
