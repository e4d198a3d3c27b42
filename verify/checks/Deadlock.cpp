//===- Deadlock.cpp - who waits for whom ----------------------------------===//
//
// The canonical run is stuck: every unfinished task waits, and so it does in
// every interleaving. What remains is to say it usefully: the barrier that
// misses something, what it misses, and what did arrive.
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;
using tlx::sync::Kind;

/// Nothing was delivered and the task that announced the bytes waits itself.
bool Machine::expecterStuck(const State &state, int barrier) const {
  bool stuck = false;
  for (const ArrivalRecord &record : state.barriers[barrier].log) {
    if (record.bytes < 0)
      return false;
    stuck |= record.bytes > 0 && !state.tasks[record.task].done;
  }
  return stuck;
}

/// Tasks that arrive on the barrier, but have ended: often two loops do not run alike.
std::vector<Step> Machine::endedArrivers(const State &state, int task, int barrier) const {
  auto loopOf = [&](int who, int pc) {
    int loop = codes[who].loopAt[pc];
    return loop < 0 ? 0 : codes[who].loops[loop].loc.line;
  };
  std::vector<Step> out;
  for (int other = 0; other < numTasks; ++other) {
    if (other == task || !state.tasks[other].done)
      continue;
    const Code &code = codes[other];
    for (size_t pc = 0; pc < code.instrs.size(); ++pc) {
      if (code.instrs[pc].kind != Instr::Event)
        continue;
      const auto &effects = program.events[code.instrs[pc].index].effects;
      bool arrives = std::any_of(effects.begin(), effects.end(), [&](const Effect &effect) {
        return effect.kind == Kind::BarrierArrive && effect.target.object >= 0 &&
               &program.barriers[effect.target.object] == &map.arrayOf(barrier);
      });
      if (!arrives)
        continue;
      std::string note = program.tasks[other].name + " arrives on " + map.arrayOf(barrier).name +
                         ", but has ended";
      int over = loopOf(other, static_cast<int>(pc)), on = loopOf(task, state.tasks[task].pc);
      if (over && on)
        note += ": its loop at line " + std::to_string(over) + " is over, that of " +
                program.tasks[task].name + " at line " + std::to_string(on) + " runs on";
      out.push_back({-1, code.instrs[pc].index, {}, std::move(note), {}}); // it did not happen
      break;
    }
  }
  return out;
}

Violation Machine::deadlock(State &state) {
  Violation v{BugClass::Deadlock, "", {}, {}};
  int chosen = -1;
  for (int task = 0; task < numTasks; ++task) {
    const TaskState &t = state.tasks[task];
    if (t.done || !t.started)
      continue;
    const Instr &instr = codes[task].instrs[t.pc];
    if (instr.kind == Instr::Join)
      continue; // waits for tasks that are reported themselves
    if (instr.kind != Instr::Event)
      continue;
    const Event &event = program.events[instr.index];
    Step step = here(state, task, instr.index);
    std::vector<Resolved> effects;
    Outcome ignored = Outcome::Ran;
    resolve(state, task, instr.index, effects, ignored);
    int barrier = -1;
    int64_t phase = 0;
    Kind kind = Kind::Hint;
    for (const Resolved &r : effects)
      if (r.effect->kind == Kind::BarrierWait || r.effect->kind == Kind::NamedBarrierSync ||
          r.effect->kind == Kind::ClusterWait) {
        barrier = r.barrier;
        phase = r.phase;
        kind = r.effect->kind;
      }
    if (kind == Kind::ClusterWait) {
      step.note = "waits at the cluster barrier";
      for (int other = 0; other < numTasks; ++other)
        if (const TaskState &o = state.tasks[other];
            o.started && o.done && program.tasks[other].region >= 0 && !o.clusterArrived)
          step.note += ", which " + program.tasks[other].name + " has ended without";
    } else if (barrier < 0) {
      step.note = "waits at " + event.op;
    } else {
      const BarrierState &b = state.barriers[barrier];
      std::string name = map.barrierName(barrier);
      if (kind == Kind::NamedBarrierSync) {
        step.note = "waits at " + name + ": " + std::to_string(b.count - b.pending) + " of " +
                    std::to_string(b.count) + " threads have come";
      } else {
        step.note = "waits on " + name + " for parity " + std::to_string(phase & 1) + " (phase " +
                    std::to_string(b.generation) + "): " + std::to_string(b.count - b.pending) +
                    " of " + std::to_string(b.count) + " arrivals";
        if (b.tx)
          step.note += ", " + std::to_string(b.tx > 0 ? b.tx : -b.tx) +
                       (b.tx > 0 ? " bytes expected but never delivered"
                                 : " bytes delivered but not expected");
      }
    }
    // The headline is a barrier whose bytes are wrong, else the first wait.
    bool bytesWrong = kind == Kind::BarrierWait && barrier >= 0 &&
                      state.barriers[barrier].tx != 0 && state.barriers[barrier].pending == 0 &&
                      !expecterStuck(state, barrier);
    if (chosen < 0 || (bytesWrong && v.cls != BugClass::BytesMismatch)) {
      if (chosen >= 0)
        v.related.push_back(v.at);
      chosen = task;
      v.at = step;
      if (bytesWrong) {
        const BarrierState &b = state.barriers[barrier];
        int64_t expected = 0, delivered = 0;
        std::vector<Step> notes;
        Step at = step;
        for (const ArrivalRecord &record : b.log) {
          expected += record.bytes > 0 ? record.bytes : 0;
          delivered -= record.bytes < 0 ? record.bytes : 0;
          if (record.bytes)
            notes.push_back(brought(record));
          if (record.bytes > 0)
            at = notes.back();
        }
        v.cls = BugClass::BytesMismatch;
        v.message = map.barrierName(barrier) + " expects " + std::to_string(expected) +
                    " bytes in phase " + std::to_string(b.generation) + " but gets " +
                    std::to_string(delivered) + ": the phase never completes";
        v.related.push_back(step);
        v.at = at;
        v.related.insert(v.related.end(), notes.begin(), notes.end());
      }
    } else {
      v.related.push_back(step);
    }
    if (barrier >= 0 && kind == Kind::BarrierWait) {
      const BarrierState &b = state.barriers[barrier];
      if (b.initEvent >= 0)
        v.related.push_back({-1,
                             b.initEvent,
                             {},
                             map.barrierName(barrier) + " counts " + std::to_string(b.count) +
                                 " arrival(s) per phase",
                             {}});
      if (b.pending > 0)
        for (Step &ended : endedArrivers(state, task, barrier))
          v.related.push_back(std::move(ended));
      for (const ArrivalRecord &record : b.log)
        if (record.arrivals)
          v.related.push_back({record.task,
                               record.event,
                               {},
                               "arrived on " + map.barrierName(barrier) + " in this phase",
                               {}});
    }
  }
  if (v.message.empty()) {
    v.message = "every unfinished task waits and nothing is in flight";
    if (chosen >= 0 && !v.at.note.empty())
      v.message += ": " + program.tasks[chosen].name + " " + v.at.note;
  }
  return v;
}
