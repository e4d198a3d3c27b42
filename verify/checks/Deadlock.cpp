//===- Deadlock.cpp - who waits for whom ----------------------------------===//
//
// The canonical run is stuck: every unfinished task waits, and so it does in
// every interleaving. What remains is to say it usefully: the barrier that
// misses something, what it misses, and what did arrive.
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"

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
