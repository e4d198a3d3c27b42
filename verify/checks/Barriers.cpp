//===- Barriers.cpp - mbarriers, named barriers, cluster barriers ---------===//

#include "verify/checks/Machine.h"

#include "runtime/base/MbarrierCount.h"

#include <algorithm>

using namespace tlx::verify;

bool Machine::usable(State &state, int task, int event, int barrier, int row) {
  BarrierState &b = state.barriers[barrier];
  // Its own initialisation is followed by a barrier over the task (membar).
  if (b.inited && b.initTask == task && !state.knowledge.knows(row, b.initToken) &&
      keeps(Lowering::Membar)) {
    taskBarrier(state, task);
    if (row == scratchRow())
      state.knowledge.join(row, strand(task, 0));
  }
  if (b.inited && state.knowledge.knows(row, b.initToken))
    return true;
  Violation v{BugClass::BarrierInit,
              b.inited ? map.barrierName(barrier) + " is used without being ordered after its "
                                                    "initialisation"
                       : map.barrierName(barrier) + " is used but not initialised",
              here(state, task, event),
              {}};
  if (b.inited)
    v.related.push_back({-1, b.initEvent, {}, "initialised here", {}});
  else
    v.related.push_back({-1, -1, {}, "allocated here", map.arrayOf(barrier).loc});
  violate(std::move(v));
  return false;
}

bool Machine::initBarrier(State &state, int task, int event, const Resolved &r) {
  BarrierState &b = state.barriers[r.barrier];
  std::string name = map.barrierName(r.barrier);
  if (!isMbarrierCount(r.amount)) {
    violate({BugClass::BarrierInit,
             name + " is initialised with a count of " + std::to_string(r.amount) +
                 "; it must lie between 1 and " + std::to_string(mostMbarrierArrivals),
             here(state, task, event),
             {}});
    return false;
  }
  if (b.inited) {
    violate({BugClass::BarrierLifetime,
             name + " is initialised again without having been invalidated",
             here(state, task, event),
             {{-1, b.initEvent, {}, "first initialised here", {}}}});
    return false;
  }
  Resolved memory = r;
  memory.cells = &map.barrierCells(r.barrier);
  if (!accessByStrands(state, task, event, memory, 1, true))
    return false;
  b = BarrierState{};
  b.inited = true;
  b.initToken = state.epoch[strand(task, 0)];
  b.initEvent = event;
  b.initTask = task;
  b.count = b.pending = r.amount;
  state.knowledge.clear(currentRow(r.barrier));
  state.knowledge.clear(lastRow(r.barrier));
  newEpoch(state, strand(task, 0));
  return true;
}

bool Machine::invalBarrier(State &state, int task, int event, const Resolved &r) {
  int row = strand(task, 0);
  if (!usable(state, task, event, r.barrier, row))
    return false;
  BarrierState &b = state.barriers[r.barrier];
  std::string name = map.barrierName(r.barrier);
  std::vector<Token> stray;
  auto quiet = [&] {
    auto known = [&](Token t) { return state.knowledge.knows(row, t); };
    stray.clear();
    bool all = std::all_of(b.waits.begin(), b.waits.end(),
                           [&](const WaitRecord &wait) { return known(wait.token); });
    for (const auto &list : b.arrivals)
      for (Token t : list)
        if (!known(t)) {
          all &= state.tokens[t].signal;
          stray.push_back(t);
        }
    return all;
  };
  // The task's own waits and arrivals have a barrier over the task behind them (membar).
  if (!quiet() && keeps(Lowering::Membar))
    taskBarrier(state, task);
  if (!quiet()) {
    violate({BugClass::BarrierLifetime,
             name + " is invalidated while it is still in use",
             here(state, task, event),
             {}});
    return false;
  }
  if (!stray.empty())
    warn({BugClass::BarrierLifetime,
          name + " is invalidated though a signal that nobody waits for may still come",
          here(state, task, event),
          {{-1, b.initEvent, {}, "initialised here", {}}}});
  b = BarrierState{};
  Resolved memory = r;
  memory.cells = &map.barrierCells(r.barrier);
  if (!accessByStrands(state, task, event, memory, 1, true))
    return false;
  // A signal that nobody waits for does no harm unless the memory is used again: it is
  // a write that may still come.
  for (int cell : *memory.cells)
    for (Token token : stray)
      state.cells[cell].accesses.push_back(
          {token, asyncAgent(state.tokens[token].task, sync::Group::None), true, true, true, true,
           false, state.tokens[token].event, 0, NoExpr, state.serial});
  return true;
}

Step Machine::brought(const ArrivalRecord &record) {
  std::string note = record.bytes > 0 ? "expects " + std::to_string(record.bytes) + " bytes"
                     : record.bytes < 0
                         ? "delivers " + std::to_string(-record.bytes) + " bytes"
                         : "brings " + std::to_string(record.arrivals) + " arrival(s)";
  return {record.task, record.event, {}, std::move(note), {}};
}

/// Often it is the amounts that are wrong: what the earlier phase was told to wait for is
/// less than what comes.
Violation Machine::arrivalOrder(const State &state, int task, int event, int barrier,
                                int64_t arrivals, int64_t bytes) const {
  const BarrierState &b = state.barriers[barrier];
  std::string name = map.barrierName(barrier);
  std::string earlier = "phase " + std::to_string(b.generation - 1);
  Violation v{BugClass::ArrivalOrder,
              "this can count towards " + earlier + " of " + name + " instead of phase " +
                  std::to_string(b.generation) +
                  ": it is not ordered after the completion of the earlier one; " + earlier,
              here(state, task, event),
              {}};
  ArrivalRecord more{event, static_cast<int16_t>(task), arrivals, bytes};
  int64_t expected = 0;
  for (const ArrivalRecord &record : b.lastLog) {
    expected += std::max<int64_t>(record.bytes, 0);
    if ((record.bytes != 0) == (bytes != 0)) {
      v.related.push_back(brought(record));
      v.related.back().note += " in " + earlier;
    }
  }
  v.message += bytes ? " expects " + std::to_string(expected) + " bytes"
                     : " counts " + std::to_string(b.count) + " arrival(s)";
  v.message += " and can have them all when this " + brought(more).note;
  return v;
}

bool Machine::arrive(State &state, int task, int event, int barrier, int row,
                     const std::vector<Token> &tokens, int64_t arrivals, int64_t bytes) {
  if (!usable(state, task, event, barrier, row))
    return false;
  BarrierState &b = state.barriers[barrier];
  for (Token earlier : b.arrivals[1])
    if (!state.knowledge.knows(row, earlier)) {
      Violation v = arrivalOrder(state, task, event, barrier, arrivals, bytes);
      v.related.push_back({-1,
                           b.initEvent,
                           {},
                           map.barrierName(barrier) + " counts " + std::to_string(b.count) +
                               " arrival(s) per phase",
                           {}});
      violate(std::move(v));
      return false;
    }
  if (arrivals > b.pending) {
    Violation v{BugClass::OverArrival,
                std::to_string(arrivals) + " arrival(s) on " + map.barrierName(barrier) +
                    ", but phase " + std::to_string(b.generation) + " misses only " +
                    std::to_string(b.pending) + " of " + std::to_string(b.count),
                here(state, task, event),
                {}};
    for (const ArrivalRecord &record : b.log)
      v.related.push_back({record.task, record.event, {}, "arrived earlier in this phase", {}});
    v.related.push_back({-1, b.initEvent, {}, "initialised here", {}});
    violate(std::move(v));
    return false;
  }
  if (int rank = map.rankOf(barrier); rank != program.tasks[task].rank)
    for (Token token : tokens) {
      // A signal changes nothing but a barrier that nobody may look at.
      bool harmless = state.tokens[token].signal;
      if (!reachPeer(state, rank, row, {token, harmless, event, static_cast<int16_t>(task)}))
        return false;
    }
  state.knowledge.join(currentRow(barrier), row);
  for (Token token : tokens)
    if (std::find(b.arrivals[0].begin(), b.arrivals[0].end(), token) == b.arrivals[0].end())
      b.arrivals[0].push_back(token);
  b.pending -= arrivals;
  b.tx += bytes;
  if (b.log.size() < 64)
    b.log.push_back({event, static_cast<int16_t>(task), arrivals, bytes});
  return b.pending || b.tx || completeGeneration(state, task, event, barrier);
}

bool Machine::completeGeneration(State &state, int task, int event, int barrier) {
  BarrierState &b = state.barriers[barrier];
  int current = currentRow(barrier);
  for (const WaitRecord &wait : b.waits)
    if (!state.knowledge.knows(current, wait.token)) {
      std::string name = map.barrierName(barrier);
      Violation v{BugClass::LostPhase,
                  "phase " + std::to_string(b.generation) + " of " + name +
                      " can complete before this wait for phase " +
                      std::to_string(b.generation - 1) + " has looked at it",
                  here(state, wait.task, wait.event),
                  {}};
      v.related.push_back({task, event, {}, "completes phase " + std::to_string(b.generation), {}});
      v.related.push_back({-1, b.initEvent, {}, "initialised here", {}});
      if (wait.together) {
        v.message += ", should a warp stall between the last barrier over its task and here";
        warn(std::move(v));
        continue;
      }
      violate(std::move(v));
      return false;
    }
  state.knowledge.copy(lastRow(barrier), current);
  state.knowledge.clear(current);
  b.arrivals[2] = std::move(b.arrivals[1]);
  b.arrivals[1] = std::move(b.arrivals[0]);
  b.arrivals[0].clear();
  b.waits.clear();
  b.lastLog = std::move(b.log);
  b.log.clear();
  b.pending = b.count;
  ++b.generation;
  return true;
}

Machine::Outcome Machine::wait(State &state, int task, int event, const Resolved &r) {
  for (int half = 0; half < halves(task); ++half)
    if (!usable(state, task, event, r.barrier, strand(task, half)))
      return Outcome::Stopped;
  BarrierState &b = state.barriers[r.barrier];
  if (r.phase != (r.phase & 1)) {
    Violation v{BugClass::OutOfRange,
                "this waits on " + map.barrierName(r.barrier) +
                    " for a parity that is neither 0 nor 1, but " +
                    (r.phase > 1 ? "more" : std::to_string(r.phase)),
                here(state, task, event),
                {}};
    if (!keeps(Lowering::ParityIsLowestBit))
      return violate(std::move(v));
    v.message += "; its lowest bit is what counts";
    warn(std::move(v));
  }
  if ((b.generation & 1) == (r.phase & 1))
    return Outcome::Blocked;
  for (int half = 0; half < halves(task); ++half)
    for (Token earlier : b.arrivals[2])
      if (!state.knowledge.knows(strand(task, half), earlier)) {
        Violation v{BugClass::EarlyPass,
                    "this wait for phase " + std::to_string(b.generation - 1) + " of " +
                        map.barrierName(r.barrier) + " can return on phase " +
                        std::to_string(b.generation - 3) +
                        ", which has the same parity: "
                        "nothing orders it after phase " +
                        std::to_string(b.generation - 2),
                    here(state, task, event),
                    {}};
        v.related.push_back({-1, b.initEvent, {}, "initialised here", {}});
        return violate(std::move(v));
      }
  for (int half = 0; half < halves(task); ++half) {
    int row = strand(task, half);
    state.knowledge.join(row, lastRow(r.barrier));
    bool together = half == 1 && state.tasks[task].together && keeps(Lowering::WarpsLeaveTogether);
    auto recorded = std::find_if(b.waits.begin(), b.waits.end(), [&](const WaitRecord &wait) {
      return wait.token == state.epoch[row];
    });
    // Contract: all warps look at the first, free, wait before a phase completes.
    bool looked = half == 1 && b.generation == 0 && keeps(Lowering::WarpsStartTogether);
    if (recorded != b.waits.end())
      recorded->together &= together;
    else if (!looked)
      b.waits.push_back({state.epoch[row], event, static_cast<int16_t>(task), together});
  }
  return Outcome::Ran;
}

Machine::Outcome Machine::namedBarrier(State &state, int task, int event, const Resolved &r,
                                       bool sync) {
  TaskState &t = state.tasks[task];
  if (t.namedWait == r.barrier) {
    if (!t.namedReleased)
      return Outcome::Blocked;
    t.namedWait = -1;
    t.namedReleased = false;
    return Outcome::Ran;
  }
  BarrierState &b = state.barriers[r.barrier];
  auto name = [&] { return map.barrierName(r.barrier); };
  auto complain = [&](std::string message) {
    Violation v{BugClass::NamedBarrier, std::move(message), here(state, task, event), {}};
    for (const ArrivalRecord &record : b.log)
      v.related.push_back({record.task,
                           record.event,
                           {},
                           "takes part with " + std::to_string(record.arrivals) + " threads",
                           {}});
    return violate(std::move(v));
  };
  int64_t threads = threadsOf(task);
  if (map.slotOf(r.barrier) < program.ownNamedBarriers)
    return complain(name() + " is the compiler's own: warp_specialize uses those below " +
                    std::to_string(program.ownNamedBarriers));
  if (r.amount % 32 || r.amount <= 0)
    return complain(name() + " needs a thread count that is a positive multiple of 32; got " +
                    std::to_string(r.amount));
  if (!b.inited) {
    b.inited = true;
    b.count = 0;
  }
  // Fewer threads than the task has: its warps meet in turn, a whole number of
  // times, and nobody else is involved.
  if (b.count == 0 && r.amount < threads && threads % r.amount == 0)
    return Outcome::Ran;
  if (b.count == 0)
    b.count = b.pending = r.amount;
  if (b.count != r.amount)
    return complain(name() + " is used with " + std::to_string(r.amount) +
                    " threads here and with " + std::to_string(b.count) +
                    " by others of the same phase");
  if (threads > b.pending)
    return complain(std::to_string(threads) + " threads of this task reach " + name() +
                    ", but only " + std::to_string(b.pending) + " of its " +
                    std::to_string(b.count) + " are missing");
  for (int half = 0; half < halves(task); ++half) {
    int row = strand(task, half);
    for (Token earlier : b.arrivals[1])
      if (!state.knowledge.knows(row, earlier))
        return complain("this can take part in an earlier phase of " + name() +
                        " than meant: nothing orders it after the completion of that one");
    state.knowledge.join(currentRow(r.barrier), row);
    b.arrivals[0].push_back(state.epoch[row]);
  }
  b.pending -= threads;
  b.log.push_back({event, static_cast<int16_t>(task), threads, 0});
  for (int half = 0; half < halves(task); ++half)
    newEpoch(state, strand(task, half));
  if (sync) {
    t.namedWait = r.barrier;
    t.namedReleased = false;
  }
  if (b.pending == 0) {
    bool anybody = sync;
    for (const TaskState &other : state.tasks)
      anybody |= other.namedWait == r.barrier;
    if (!anybody)
      return complain("arrivals alone complete this phase of " + name() + " (" +
                      std::to_string(r.amount) +
                      " threads): nobody waits in it, so it orders "
                      "nothing");
    int current = currentRow(r.barrier);
    for (int other = 0; other < numTasks; ++other) {
      TaskState &o = state.tasks[other];
      if (o.namedWait != r.barrier || o.namedReleased)
        continue;
      o.namedReleased = o.together = true;
      for (int half = 0; half < halves(other); ++half)
        state.knowledge.join(strand(other, half), current);
    }
    state.knowledge.clear(current);
    b.arrivals[1] = std::move(b.arrivals[0]);
    b.arrivals[0].clear();
    b.log.clear();
    b.count = 0;
    b.generation ^= 1;
  }
  if (!sync)
    return Outcome::Ran;
  if (!t.namedReleased)
    return Outcome::Blocked;
  t.namedWait = -1;
  t.namedReleased = false;
  return Outcome::Ran;
}

Machine::Outcome Machine::clusterArrive(State &state, int task, int event, bool relaxed) {
  TaskState &t = state.tasks[task];
  if (t.clusterArrived)
    return violate({BugClass::ClusterBarrier,
                    "cluster arrive without a cluster wait since the last one",
                    here(state, task, event),
                    {}});
  t.clusterArrived = true;
  for (int half = 0; half < halves(task); ++half) {
    if (relaxed) // still says that the CTA has started
      state.knowledge.set(clusterRow(false), state.entry[program.tasks[task].rank], true);
    else
      state.knowledge.join(clusterRow(false), strand(task, half));
    newEpoch(state, strand(task, half));
  }
  clusterComplete(state);
  return Outcome::Ran;
}

/// A generation completes when every task of the cluster has arrived that has not
/// exited. The warps of a partition exit with the kernel, not with the partition.
void Machine::clusterComplete(State &state) {
  bool any = false;
  for (int task = 0; task < numTasks; ++task) {
    const TaskState &t = state.tasks[task];
    if (program.tasks[task].region < 0 ? t.done : !t.started)
      continue;
    if (!t.clusterArrived || t.clusterReleased)
      return;
    any = true;
  }
  if (!any)
    return;
  for (int task = 0; task < numTasks; ++task)
    if (TaskState &t = state.tasks[task]; t.clusterArrived)
      t.clusterReleased = true;
  state.knowledge.copy(clusterRow(true), clusterRow(false));
  state.knowledge.clear(clusterRow(false));
}

Machine::Outcome Machine::clusterWait(State &state, int task, int event) {
  TaskState &t = state.tasks[task];
  if (!t.clusterArrived)
    return violate({BugClass::ClusterBarrier,
                    "cluster wait without a cluster arrive before it",
                    here(state, task, event),
                    {}});
  if (!t.clusterReleased)
    return Outcome::Blocked;
  t.clusterArrived = t.clusterReleased = false;
  for (int half = 0; half < halves(task); ++half)
    state.knowledge.join(strand(task, half), clusterRow(true));
  return Outcome::Ran;
}
