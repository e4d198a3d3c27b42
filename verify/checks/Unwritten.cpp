//===- Unwritten.cpp - reads of what nothing has written -------------------===//
//
// Whether a cell has been written is part of the state, so that the canonical run
// answers for every trip count. It answers for every interleaving when all else is in
// order: then the writes before a read are the same in each. Where something is not,
// that is the finding, and what was read too early may only be its consequence.
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;
using tlx::sync::Kind;

/// Writes that a finding names at most.
static constexpr size_t MaxWrites = 3;

/// Finds what a read meets that nothing has written, where that matters. False: stopped.
bool Machine::findUnwritten(State &state, int task, Resolved &r, Outcome &outcome) {
  const Effect &effect = *r.effect;
  if (effect.kind != Kind::Read || !r.cells || effect.inPlace || effect.target.approximate)
    return true;
  auto cell = std::find_if(r.cells->begin(), r.cells->end(),
                           [&](int index) { return state.cells[index].blank; });
  if (cell == r.cells->end())
    return true;
  bool matters = true;
  Eval known =
      effect.matters == NoExpr ? Eval::Known : decide(state, task, effect.matters, matters);
  if (known == Eval::Forks) {
    stop.kind = Stop::NeedsDecision;
    outcome = Outcome::Stopped;
    return false;
  }
  if (known == Eval::Known && matters)
    r.unwritten = *cell;
  return true;
}

/// Notes what the event about to be executed reads and nothing has written. False: that ends
/// the run.
bool Machine::checkUnwritten(const State &state, int task, int event) {
  for (const Resolved &r : scratch) {
    if (r.unwritten < 0)
      continue;
    const Buffer &buffer = program.buffers[r.effect->target.object];
    Violation v{BugClass::Uninitialized,
                program.events[event].op + " reads a part of " + buffer.name +
                    " that nothing has written",
                here(state, task, event),
                {}};
    for (size_t other = 0; other < program.events.size(); ++other)
      for (const Effect &effect : program.events[other].effects)
        if (effect.kind == Kind::Write && effect.lifetime == Lifetime::Goes &&
            v.related.size() < MaxWrites && map.mayTouch(effect.target, r.unwritten)) {
          v.related.push_back({-1, static_cast<int>(other), {}, "writes it, but not before", {}});
          break;
        }
    if (v.related.empty())
      v.related.push_back(
          {-1, -1, {}, "allocated here; nothing ever writes that part", buffer.loc});
    if (event == stopsAt) {
      violate(std::move(v));
      return false;
    }
    unwritten.push_back(std::move(v));
    return true;
  }
  return true;
}
