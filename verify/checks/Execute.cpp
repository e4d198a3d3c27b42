//===- Execute.cpp - instructions and events ------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;
using tlx::sync::Group;
using tlx::sync::Kind;
using tlx::sync::Moment;
using tlx::sync::Threads;

/// A run this long without a decision is a loop that never ends.
static constexpr int64_t MaxSteps = 4'000'000;

Machine::Machine(const Program &program, MachineOptions options)
    : program(program), options(options), numTasks(static_cast<int>(program.tasks.size())),
      linears(program), demands(program), table(program, linears, demands), map(program) {
  std::vector<const Code *> all;
  for (const Task &task : program.tasks)
    codes.push_back(flatten(task.body));
  for (const Code &code : codes)
    all.push_back(&code);
  for (const Task &task : program.tasks)
    linears.analyse(task.body);
  findAnswerReaders();
  findTiles();
  demands.analyse(all);
  prepareGroups();
  for (const Assumption &assumption : program.assumptions)
    table.assume(assumption.holds);
}

State Machine::initial() const {
  State state;
  state.answers.resize(program.ranks);
  state.tasks.resize(numTasks);
  state.vars.assign(program.varNames.size(), UnknownValue);
  state.barriers.resize(map.numBarriers());
  state.cells.resize(map.numCells());
  for (int cell = 0; cell < map.numCells(); ++cell)
    state.cells[cell].holds = map.startsBlank(cell) ? Cell::Nothing : Cell::Anything;
  state.knowledge.init(clusterRow(true) + 1,
                       std::max(2, (2 * numTasks + program.ranks + 64) / 64 + 1));
  state.epoch.resize(2 * numTasks);
  state.tokens.resize(2 * numTasks + 1 + program.ranks);
  for (int s = 0; s < 2 * numTasks; ++s) {
    state.tokens[s + 1] = {static_cast<int16_t>(s / 2), false, true};
    state.epoch[s] = static_cast<Token>(s + 1);
    state.knowledge.set(s, state.epoch[s], false);
  }
  // Token 0 stands for "before everything": barriers that nothing initialises.
  state.tokens[0].live = true;
  for (int row = 0; row < state.knowledge.rows(); ++row)
    state.knowledge.set(row, 0, true);
  state.touches.resize(program.ranks);
  for (int rank = 0; rank < program.ranks; ++rank) {
    state.entry.push_back(static_cast<Token>(2 * numTasks + 1 + rank));
    state.tokens[state.entry[rank]].live = true;
  }
  state.liveTokens = state.tokens.size();
  for (int task = 0; task < numTasks; ++task) {
    state.tasks[task].started = program.tasks[task].region < 0;
    for (int half = 0; half < 2; ++half)
      state.knowledge.set(strand(task, half), state.entry[program.tasks[task].rank], true);
  }
  return state;
}

Step Machine::here(const State &state, int task, int event, std::string note) const {
  Step step{task, event, {}, std::move(note), {}};
  if (task >= 0)
    for (size_t depth = 0; depth < state.tasks[task].n.size(); ++depth)
      step.iteration.push_back(
          state.tasks[task].earlier[depth] +
          paceOf(state, task, static_cast<int>(depth) + 1).trips(state.tasks[task].n[depth]));
  return step;
}

Machine::Outcome Machine::violate(Violation violation) {
  stop.kind = Stop::Violated;
  stop.violation = std::move(violation);
  return Outcome::Stopped;
}

Machine::Outcome Machine::unmodelled(const State &state, int task, int event, std::string reason) {
  stop.kind = Stop::Unmodelled;
  stop.reason = std::move(reason);
  stop.at = here(state, task, event);
  return Outcome::Stopped;
}

Stop Machine::run(State &state, std::vector<Step> *record) {
  stop = Stop{};
  log = record;
  int64_t limit = steps + MaxSteps;
  while (true) {
    if (state.idle >= numTasks) {
      bool finished = std::all_of(state.tasks.begin(), state.tasks.end(),
                                  [](const TaskState &t) { return t.done || !t.started; });
      if (!finished)
        violate(deadlock(state));
      break;
    }
    makeRoom(state);
    Outcome outcome = step(state, state.turn);
    if (outcome == Outcome::Stopped)
      break;
    if (options.exhausted && steps % 4096 == 0)
      if (std::string why = options.exhausted(); !why.empty()) {
        unmodelled(state, state.turn, -1, std::move(why));
        break;
      }
    if (++steps > limit) {
      unmodelled(state, state.turn, -1,
                 "a loop that runs without end or beyond " + std::to_string(MaxSteps) + " steps");
      break;
    }
    state.idle = outcome == Outcome::Blocked ? state.idle + 1 : 0;
    if (outcome != Outcome::Ran)
      state.turn = (state.turn + 1) % numTasks;
  }
  return std::move(stop);
}

Machine::Outcome Machine::step(State &state, int task) {
  TaskState &t = state.tasks[task];
  if (t.done || !t.started)
    return Outcome::Blocked;
  const Code &code = codes[task];
  const Instr &instr = code.instrs[t.pc];
  switch (instr.kind) {
  case Instr::Event: {
    Outcome outcome = event(state, task, instr.index);
    if (outcome == Outcome::Ran)
      ++t.pc;
    return outcome;
  }
  case Instr::Set: {
    std::vector<std::pair<VarId, int64_t>> values;
    for (const Assign &assign : instr.assigns) {
      const Demand &demand = demands.of(assign.var);
      if (!demand.any)
        continue;
      int64_t value;
      Eval e = evaluateFor(state, task, assign.value, demand, value);
      if (e == Eval::Forks) {
        stop.kind = Stop::NeedsDecision;
        return Outcome::Stopped;
      }
      values.emplace_back(assign.var, e == Eval::Known ? demand.reduce(value) : UnknownValue);
    }
    for (auto [var, value] : values)
      state.vars[var] = value;
    ++t.pc;
    return Outcome::Ran;
  }
  case Instr::Branch: {
    bool holds;
    Eval e = decide(state, task, instr.cond, holds);
    if (e == Eval::Forks) {
      stop.kind = Stop::NeedsDecision;
      int loop = code.loopAt[t.pc];
      if (stop.fork.kind == Fork::Question && loop >= 0 && instr.target == code.loops[loop].exitPc)
        stop.fork.kind = t.n.back() == code.loops[loop].pace.first ? Fork::Begins : Fork::Goes;
      return Outcome::Stopped;
    }
    if (e == Eval::Unknown)
      return unmodelled(state, task, -1,
                        "the condition " + program.exprs.print(instr.cond, program.varNames) +
                            " at " + code.locs[t.pc].str());
    t.pc = holds ? t.pc + 1 : instr.target;
    return Outcome::Ran;
  }
  case Instr::Jump: {
    bool back = instr.target <= t.pc;
    t.pc = instr.target;
    return back ? Outcome::TurnOver : Outcome::Ran;
  }
  case Instr::LoopEnter:
    t.earlier.push_back(code.loops[instr.index].resumes ? t.lastTrips : 0);
    t.n.push_back(code.loops[instr.index].pace.first);
    t.loops.push_back(instr.index);
    ++t.pc;
    return Outcome::Ran;
  case Instr::LoopNext:
    t.n.back() += code.loops[instr.index].pace.stride;
    ++t.pc;
    return Outcome::Ran;
  case Instr::LoopExit:
    t.lastTrips = t.earlier.back() + code.loops[instr.index].pace.trips(t.n.back());
    t.earlier.pop_back();
    t.n.pop_back();
    t.loops.pop_back();
    ++t.pc;
    return Outcome::Ran;
  case Instr::Fork:
    startRegion(state, task, instr.index);
    ++t.pc;
    return Outcome::TurnOver;
  case Instr::Join:
    if (!regionEnded(state, task, instr.index))
      return Outcome::Blocked;
    joinRegion(state, task, instr.index);
    ++t.pc;
    return Outcome::Ran;
  case Instr::Unsupported:
    return unmodelled(state, task, -1, code.reasons[instr.index] + " at " + code.locs[t.pc].str());
  case Instr::End:
    if (program.tasks[task].region < 0 && !checkExit(state, task))
      return Outcome::Stopped;
    t.done = true;
    clusterComplete(state);
    return Outcome::TurnOver;
  }
  return Outcome::Blocked;
}

void Machine::startRegion(State &state, int task, int region) {
  taskBarrier(state, task);
  for (int other = 0; other < numTasks; ++other) {
    const Task &o = program.tasks[other];
    if (o.region != region || o.rank != program.tasks[task].rank)
      continue;
    state.tasks[other] = TaskState{};
    state.tasks[other].answersRead = state.tasks[task].answersRead;
    state.tasks[other].started = state.tasks[other].together = true;
    for (int half = 0; half < halves(other); ++half) {
      int row = strand(other, half);
      state.knowledge.join(row, strand(task, 0));
    }
  }
  for (int half = 0; half < halves(task); ++half)
    newEpoch(state, strand(task, half));
}

bool Machine::regionEnded(const State &state, int task, int region) const {
  for (int other = 0; other < numTasks; ++other)
    if (program.tasks[other].region == region &&
        program.tasks[other].rank == program.tasks[task].rank && !state.tasks[other].done)
      return false;
  return true;
}

void Machine::joinRegion(State &state, int task, int region) {
  for (int other = 0; other < numTasks; ++other)
    if (program.tasks[other].region == region &&
        program.tasks[other].rank == program.tasks[task].rank) {
      state.tasks[other].started = false; // may be forked again
      for (int half = 0; half < halves(other); ++half)
        state.knowledge.join(strand(task, 0), strand(other, half));
    }
  taskBarrier(state, task);
}

bool Machine::resolve(State &state, int task, int event, std::vector<Resolved> &out,
                      Outcome &outcome) {
  const Event &e = program.events[event];
  out.clear();
  auto integer = [&](ExprId expr, int64_t fallback, int64_t &value, const char *what) {
    value = fallback;
    if (expr == NoExpr)
      return true;
    Eval result = pinDown(state, task, expr, value);
    if (result == Eval::Known)
      return true;
    if (result == Eval::Forks) {
      stop.kind = Stop::NeedsDecision;
      outcome = Outcome::Stopped;
    } else {
      outcome = unmodelled(state, task, event,
                           std::string("the ") + what + " of " + e.op + ", " +
                               program.exprs.print(expr, program.varNames) + ", at " + e.loc.str());
    }
    return false;
  };
  for (const Effect &effect : e.effects) {
    if (effect.kind == Kind::Hint)
      continue;
    if (effect.pred != NoExpr) {
      bool holds;
      Eval result = decide(state, task, effect.pred, holds);
      if (result == Eval::Forks) {
        stop.kind = Stop::NeedsDecision;
        outcome = Outcome::Stopped;
        return false;
      }
      if (result == Eval::Unknown) {
        outcome = unmodelled(state, task, event,
                             "the predicate of " + e.op + ", " +
                                 program.exprs.print(effect.pred, program.varNames) + ", at " +
                                 e.loc.str());
        return false;
      }
      if (!holds)
        continue;
    }
    Resolved r{&effect};
    for (const Range &range : effect.target.tile) {
      Place place{linears.of(range.origin), state.tasks[task].n, range.extents, range.isMemory};
      simplify(state, task, place.form, place.n, false);
      r.places.push_back(std::move(place));
    }
    int64_t slot, rank;
    bool isMemory = effect.onMemory();
    bool hasTarget = isMemory || effect.target.object >= 0;
    if (!integer(effect.target.slot, 0, slot, "slot") ||
        !integer(effect.target.rank, program.tasks[task].rank, rank, "CTA rank") ||
        !integer(effect.amount, 1, r.amount, "count") ||
        !integer(effect.phase, 0, r.phase, "phase"))
      return false;
    if (hasTarget) {
      if (isMemory)
        r.cells = map.cells(effect.target, slot, program.ranks > 1 ? rank : 0);
      else
        r.barrier = map.barrier(effect.target.object, slot, program.ranks > 1 ? rank : 0);
      if (isMemory ? !r.cells : r.barrier < 0) {
        const std::string &name = isMemory ? program.buffers[effect.target.object].name
                                           : program.barriers[effect.target.object].name;
        int slots = isMemory ? program.buffers[effect.target.object].slots
                             : program.barriers[effect.target.object].slots;
        // Nor is there memory where the slot is one that the expression never is.
        if (isMemory && slot >= 0 && slot < slots && rank >= 0 && rank < program.ranks) {
          outcome = unmodelled(state, task, event,
                               "slot " + std::to_string(slot) + " of " + name +
                                   " is tried, which is not among those that its index can be");
          return false;
        }
        outcome = violate({BugClass::OutOfRange,
                           e.op + " uses slot " + std::to_string(slot) + " of " + name +
                               ", which has " + std::to_string(slots),
                           here(state, task, event),
                           {}});
        return false;
      }
    }
    if (r.barrier >= 0 && map.rankOf(r.barrier) != program.tasks[task].rank &&
        program.barriers[effect.target.object].kind == BarrierKind::Mbarrier &&
        (effect.kind == Kind::BarrierInit || effect.kind == Kind::BarrierInval ||
         effect.kind == Kind::BarrierExpect || effect.kind == Kind::BarrierWait)) {
      outcome =
          violate({BugClass::RemoteForm,
                   std::string(tlx::sync::name(effect.kind)) + " of " + map.barrierName(r.barrier) +
                       ", which is another CTA's: the instruction works on the CTA's own "
                       "barriers only",
                   here(state, task, event),
                   {}});
      return false;
    }
    if (!findUnwritten(state, task, event, r, outcome))
      return false;
    out.push_back(r);
  }
  return true;
}

void Machine::record(const State &state, int task, int event) {
  std::string note;
  for (const Resolved &r : scratch)
    if (r.barrier >= 0 && r.effect->moment == Moment::Issue)
      note += (note.empty() ? "" : ", ") + std::string(tlx::sync::name(r.effect->kind)) + " " +
              map.barrierName(r.barrier) +
              (r.effect->kind == Kind::BarrierWait
                   ? " phase " + std::to_string(state.barriers[r.barrier].generation - 1)
                   : "");
  log->push_back(here(state, task, event, std::move(note)));
}

Machine::Outcome Machine::event(State &state, int task, int event) {
  Outcome outcome = Outcome::Ran;
  if (!resolve(state, task, event, scratch, outcome))
    return outcome;
  bool async = false;
  // A task that has come to a named barrier is recorded when it comes, not when
  // the barrier lets it go.
  bool comesBack = state.tasks[task].namedWait >= 0;
  // Whatever blocks comes first, before anything has changed.
  for (const Resolved &r : scratch) {
    async |= r.effect->moment == Moment::Completion;
    if (r.effect->diverged)
      return violate({BugClass::NamedBarrier,
                      "a part of a warp executes " + program.events[event].op +
                          ", which all its threads have to execute together",
                      here(state, task, event),
                      {}});
    Outcome blocked = Outcome::Ran;
    if (r.effect->kind == Kind::BarrierWait)
      blocked = wait(state, task, event, r);
    else if (r.effect->kind == Kind::NamedBarrierSync)
      blocked = namedBarrier(state, task, event, r, true);
    else if (r.effect->kind == Kind::ClusterWait)
      blocked = clusterWait(state, task, event);
    if (blocked != Outcome::Ran) {
      if (log && !comesBack && state.tasks[task].namedWait >= 0)
        record(state, task, event);
      return blocked;
    }
  }
  ++state.serial;
  if (log && !comesBack)
    record(state, task, event);
  if (!checkUnwritten(state, task, event) || !keepsOperands(state, task, event))
    return Outcome::Stopped;
  // In program order; what completes later is one piece of work, issued where
  // the first of its effects stands.
  for (const Resolved &r : scratch) {
    Outcome o = Outcome::Ran;
    if (r.effect->moment == Moment::Issue) {
      o = applyIssue(state, task, event, r);
    } else if (async) {
      async = false;
      o = applyAsync(state, task, event, scratch);
    }
    if (o != Outcome::Ran)
      return o;
  }
  return Outcome::Ran;
}

Machine::Outcome Machine::applyIssue(State &state, int task, int event, const Resolved &r) {
  const Effect &effect = *r.effect;
  TaskState &t = state.tasks[task];
  int leader = strand(task, 0);
  switch (effect.kind) {
  case Kind::Read:
  case Kind::Write: {
    if (effect.lifetime != Lifetime::Goes)
      return beginOrEnd(state, task, event, r);
    int strands = effect.threads == Threads::Elected ? 1 : halves(task);
    if (!accessByStrands(state, task, event, r, strands, effect.kind == Kind::Write))
      return Outcome::Stopped;
    if (effect.kind == Kind::Read && !r.cells->empty())
      readAnswer(state, task, event, state.cells[r.cells->front()]);
    return Outcome::Ran;
  }
  case Kind::BarrierInit:
    return initBarrier(state, task, event, r) ? Outcome::Ran : Outcome::Stopped;
  case Kind::BarrierInval:
    return invalBarrier(state, task, event, r) ? Outcome::Ran : Outcome::Stopped;
  case Kind::BarrierExpect:
  case Kind::BarrierArrive: {
    bool expect = effect.kind == Kind::BarrierExpect;
    int64_t arrivals = expect ? 0 : r.amount, bytes = expect ? r.amount : 0;
    int row = leader;
    std::vector<Token> tokens;
    if (effect.threads == Threads::PerThread || effect.threads == Threads::EachWarp) {
      arrivals *=
          effect.threads == Threads::PerThread ? threadsOf(task) : program.tasks[task].warps;
      row = scratchRow();
      state.knowledge.copy(row, leader);
      tokens.push_back(state.epoch[leader]);
      if (halves(task) > 1) {
        state.knowledge.join(row, strand(task, 1));
        tokens.push_back(state.epoch[strand(task, 1)]);
      }
    } else {
      if (effect.taskBarrierBefore && keeps(Lowering::TaskBarrierBeforeArrive))
        taskBarrier(state, task);
      tokens.push_back(state.epoch[leader]);
    }
    if (!arrive(state, task, event, r.barrier, row, tokens, arrivals, bytes))
      return Outcome::Stopped;
    t.together = false;
    newEpoch(state, leader);
    if (tokens.size() > 1)
      newEpoch(state, strand(task, 1));
    return Outcome::Ran;
  }
  case Kind::NamedBarrierArrive: return namedBarrier(state, task, event, r, false);
  case Kind::ClusterArrive: return clusterArrive(state, task, event, effect.relaxed);
  case Kind::TaskBarrier: taskBarrier(state, task); return Outcome::Ran;
  case Kind::ProxyFence:
    // What is written after the fence is not what it fences: a new epoch.
    for (int half = 0; half < halves(task); ++half) {
      state.knowledge.fence(strand(task, half));
      newEpoch(state, strand(task, half));
    }
    return Outcome::Ran;
  case Kind::TensormapFence: publish(state, task, event, *r.cells); return Outcome::Ran;
  case Kind::GroupCommit: {
    int g = static_cast<int>(effect.group);
    t.groups[g].push_back(std::move(t.open[g]));
    t.open[g] = {};
    return Outcome::Ran;
  }
  case Kind::GroupWait: {
    if (effect.group == Group::Tcgen05) {
      for (Token token : t.tensor)
        for (int half = 0; half < halves(task); ++half)
          state.knowledge.set(strand(task, half), token, true);
      return Outcome::Ran;
    }
    auto &queue = t.groups[static_cast<int>(effect.group)];
    // One thread issues bulk stores, and only it has something to wait for.
    bool one = effect.group == Group::BulkStore;
    while (static_cast<int64_t>(queue.size()) > std::max<int64_t>(r.amount, 0)) {
      for (Token token : queue.front().tokens)
        for (int half = 0; half < (one ? 1 : halves(task)); ++half)
          state.knowledge.set(strand(task, half), token, true);
      queue.erase(queue.begin());
    }
    if (one && keeps(Lowering::TaskBarrierAfterStoreWait))
      taskBarrier(state, task);
    return Outcome::Ran;
  }
  default: return Outcome::Ran; // waits were done; fences of other kinds order nothing here
  }
}

Machine::Outcome Machine::applyAsync(State &state, int task, int event,
                                     const std::vector<Resolved> &effects) {
  TaskState &t = state.tasks[task];
  int leader = strand(task, 0), row = scratchRow();
  Group group = Group::None;
  for (const Resolved &r : effects)
    if (r.effect->moment == Moment::Completion && r.effect->group != Group::None)
      group = r.effect->group;
  Token token = newToken(state, task, true);
  auto prepare = [&] {
    state.knowledge.copy(row, leader);
    if (group == Group::Tcgen05)
      for (Token earlier : t.tensor)
        state.knowledge.set(row, earlier, true);
  };
  bool ordered = group == Group::Tcgen05 || group == Group::Wgmma || group == Group::BulkStore ||
                 group == Group::CpAsync;
  prepare();
  bool answers = std::any_of(effects.begin(), effects.end(),
                             [](const Resolved &r) { return r.effect->kind == Kind::ClcRequest; });
  bool touches = false;
  for (const Resolved &r : effects) {
    if (r.effect->moment != Moment::Completion || !r.cells)
      continue;
    touches = true;
    Accessor by{row,
                asyncAgent(task, group),
                r.effect->kind == Kind::Write,
                true,
                r.effect->proxy == sync::Proxy::Async,
                ordered,
                r.effect->reduces,
                r.effect->value};
    if (!mayAccess(state, task, event, r, by) || !addAccess(state, task, event, r, by, token))
      return Outcome::Stopped;
    if (answers && r.effect->kind == Kind::Write && !r.cells->empty()) {
      int64_t number = state.answers[map.cellRank(r.cells->front())]++;
      for (int cell : *r.cells)
        state.cells[cell].answer = number;
    }
  }
  state.tokens[token].signal = !touches;
  state.tokens[token].event = event;
  // Work that every warp issues a part of is complete when all parts are.
  bool allWarps =
      halves(task) > 1 && std::any_of(effects.begin(), effects.end(), [](auto &r) {
        return r.effect->moment == Moment::Completion && r.effect->threads != Threads::Elected;
      });
  if (allWarps)
    state.knowledge.join(row, strand(task, 1));
  // Its own completion is part of what its barriers pass on.
  state.knowledge.set(row, token, true);
  // The issue itself is a release: the engine starts after what came before it.
  std::vector<Token> tokens{token};
  for (const Resolved &r : effects) {
    if (r.effect->moment != Moment::Completion || r.barrier < 0)
      continue;
    bool bytes = r.effect->kind == Kind::BarrierComplete;
    if (!arrive(state, task, event, r.barrier, row, tokens, bytes ? 0 : r.amount,
                bytes ? -r.amount : 0))
      return Outcome::Stopped;
  }
  if (group == Group::Tcgen05)
    t.tensor.push_back(token);
  else if (group != Group::None && touches)
    t.open[static_cast<int>(group)].tokens.push_back(token);
  t.together = false;
  newEpoch(state, leader);
  if (allWarps)
    newEpoch(state, strand(task, 1));
  return Outcome::Ran;
}
