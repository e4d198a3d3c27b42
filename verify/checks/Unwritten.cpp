//===- Unwritten.cpp - reads of what nothing has written -------------------===//
//
// Whether a cell has been written is part of the state, so that the canonical run
// answers for every trip count. It answers for every interleaving when all else is in
// order: then the writes before a read are the same in each. Where something is not,
// that is the finding, and what was read too early may only be its consequence.
//
// What cannot be followed is said: a view of which the part is not known counts as all
// that it may be, and what one buffer of several on the same memory has written counts
// for the others as well, each with a note.
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;
using tlx::sync::Kind;

/// Writes that a finding names at most.
static constexpr size_t MaxWrites = 3;

/// Finds what a read meets that nothing has written, where that matters. False: stopped.
bool Machine::findUnwritten(State &state, int task, int event, Resolved &r, Outcome &outcome) {
  const Effect &effect = *r.effect;
  if (effect.kind != Kind::Read || !r.cells || effect.inPlace)
    return true;
  auto isBlank = [&](int index) { return state.cells[index].holds == Cell::Nothing; };
  auto cell = std::find_if(r.cells->begin(), r.cells->end(), isBlank);
  int form = map.formOf(effect.target.object);
  bool foreign = std::any_of(r.cells->begin(), r.cells->end(), [&](int index) {
    int16_t holds = state.cells[index].holds;
    return holds >= 0 && holds != form;
  });
  if (cell == r.cells->end() && !foreign)
    return true;
  bool matters = true;
  Eval known =
      effect.matters == NoExpr ? Eval::Known : decide(state, task, effect.matters, matters);
  if (known == Eval::Forks) {
    stop.kind = Stop::NeedsDecision;
    outcome = Outcome::Stopped;
    return false;
  }
  if (known == Eval::Unknown && cell != r.cells->end() && !doubt) {
    doubt.emplace();
    doubt->reason = "whether " + program.events[event].op +
                    " takes over what nothing has written, " +
                    program.exprs.print(effect.matters, program.varNames);
    doubt->at = here(state, task, event);
  }
  if (known == Eval::Unknown || !matters)
    return true;
  if (cell == r.cells->end())
    leaveOut(event, "reads as " + program.buffers[effect.target.object].name +
                        " what has been written there as another buffer of the same memory: "
                        "taken for what it is to read");
  else if (effect.target.approximate && !std::all_of(r.cells->begin(), r.cells->end(), isBlank))
    leaveOut(event, "reads a part of " + program.buffers[effect.target.object].name +
                        " that cannot be followed: taken for one that has been written");
  else
    r.unwritten = *cell;
  return true;
}

/// A write fills what it touches.
void Machine::fill(State &state, int event, const Resolved &r) {
  const Target &target = r.effect->target;
  bool filled = false;
  for (int index : *r.cells) {
    filled |= state.cells[index].holds == Cell::Nothing;
    if (map.startsBlank(index))
      state.cells[index].holds = map.formOf(target.object);
  }
  if (filled && target.approximate)
    leaveOut(event, "writes a part of " + program.buffers[target.object].name +
                        " that cannot be followed: taken to write all that it may be");
}

/// Notes what the proof takes for right without having looked.
void Machine::leaveOut(int event, const std::string &what) {
  const Event &e = program.events[event];
  notes.insert(e.op + (e.loc.known() ? " at " + e.loc.str() : "") + " " + what);
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
