//===- RaceCheck.cpp - accesses that nothing orders, by vector clocks -----===//
#include "sim/functional/RaceCheck.h"

#include "sim/functional/Launch.h"

#include <algorithm>

namespace tlx::sim {

// --- Clocks
// -----------------------------------------------------------------------------------------------

void RaceCheck::Clock::raise(Actor actor, uint32_t value) {
  if (size_t(actor) >= values.size())
    values.resize(size_t(actor) + 1, 0);
  values[actor] = std::max(values[actor], value);
}

void RaceCheck::Clock::join(const Clock &other) {
  if (other.values.size() > values.size())
    values.resize(other.values.size(), 0);
  for (size_t i = 0; i < other.values.size(); ++i)
    values[i] = std::max(values[i], other.values[i]);
}

RaceCheck::RaceCheck(const Program &program, Observer *next)
    : program(program), next(next),
      // Before fences are inserted by the compiler their absence means nothing; AMD
      // has no proxies.
      checksFences((program.facts.level.empty() || program.facts.level == "ttgir") &&
                   !program.facts.target.starts_with("hip:")) {
  for (const Effect &effect : program.effects)
    pairs |= effect.pairLeader && effect.group == sync::Group::Tcgen05;
}

void RaceCheck::attach(Cluster &watched) {
  cluster = &watched;
  clustered = watched.numCtas() > 1;
  pairs &= clustered;
}

RaceCheck::TaskState &RaceCheck::stateOf(TaskRef task) {
  TaskState &state = tasks[{task.rank, task.task}];
  if (state.actor < 0) {
    state.actor = numActors++;
    meet(state);
  }
  return state;
}

RaceCheck::Actor RaceCheck::queueActor(TaskRef task, sync::Group group) {
  if (pairs && group == sync::Group::Tcgen05)
    task.rank &= ~1;
  auto [it, isNew] = queues.try_emplace({task.rank, task.task, int(group)}, numActors);
  numActors += isNew;
  return it->second;
}

RaceCheck::Actor RaceCheck::mbarrierActor(int32_t rank, int64_t offset) {
  auto [it, isNew] = mbarrierActors.try_emplace({rank, offset}, numActors);
  numActors += isNew;
  return it->second;
}

Task *RaceCheck::taskOf(TaskRef ref) {
  for (size_t i = cluster->numTasks(); i-- > 0;) {
    Task &task = cluster->task(int32_t(i));
    if (task.ref.rank == ref.rank && task.ref.task == ref.task)
      return &task;
  }
  return nullptr;
}

/// The task's threads are all here: who follows one of them follows all.
void RaceCheck::meet(TaskState &task) {
  uint32_t now = task.knows.ordered.at(task.actor);
  task.met = std::max<uint32_t>(now, 1);
  task.knows.ordered.raise(task.actor, task.met + 1);
  if (task.rest >= 0)
    task.knows.ordered.raise(task.rest, task.seen);
}

/// What the task has done so far becomes part of `into`; what it does next does not. Of some
/// threads only what they had done when all last met; of the leading warp not what the
/// others still have to look at.
void RaceCheck::release(TaskState &task, Knowledge &into, Who who) {
  if (who == Who::All && task.rest >= 0)
    task.knows.ordered.raise(task.rest, task.seen);
  if (who == Who::Some) {
    Knowledge some = task.knows;
    some.ordered.lower(task.actor, task.met);
    into.join(some);
  } else {
    into.join(task.knows);
  }
  task.knows.ordered.raise(task.actor, task.knows.ordered.at(task.actor) + 1);
}

// --- Order
// -----------------------------------------------------------------------------------------------------

void RaceCheck::onTaskStart(TaskRef task, Pc entry) {
  TaskState &state = stateOf(task);
  if (task.task != 0) {
    Knowledge start;
    release(stateOf({task.cta, task.rank, 0}), start);
    state.knows.join(start);
    meet(state);
  }
  if (next)
    next->onTaskStart(task, entry);
}

void RaceCheck::onTaskEnd(TaskRef task, Pc pc) {
  if (task.task != 0) {
    Knowledge end;
    release(stateOf(task), end);
    stateOf({task.cta, task.rank, 0}).knows.join(end);
  } else if (clustered) {
    leave(task);
  }
  if (next)
    next->onTaskEnd(task, pc);
}

void RaceCheck::onBarrier(const BarrierEvent &event) {
  BarrierState &barrier = barriers[{
      int(event.kind), event.kind == BarrierEvent::Kind::Cluster ? 0 : event.rank, event.id}];
  switch (event.what) {
  case BarrierEvent::What::Arrive:
  case BarrierEvent::What::Expect:
    if (clustered && event.kind == BarrierEvent::Kind::Mbarrier && event.rank != event.by.rank)
      visitBarrier(event);
    if (event.async == noAsync) {
      release(stateOf(event.by), barrier.arrived, event.partial ? Who::Some : Who::All);
    } else if (auto it = issued.find(event.async); it != issued.end()) {
      barrier.arrived.join(it->second);
      // A commit: all operations of its queue up to here are complete.
      Actor actor = queueActor(event.by, sync::Group::Tcgen05);
      barrier.arrived.ordered.raise(actor, uint32_t(event.async + 1));
      barrier.arrived.fenced.raise(actor, uint32_t(event.async + 1));
    }
    // The cluster barrier has no event of its own when it opens.
    if (event.kind == BarrierEvent::Kind::Cluster)
      barrier.done.join(barrier.arrived);
    break;
  case BarrierEvent::What::Complete:
    if (event.async == noAsync)
      release(stateOf(event.by), barrier.arrived);
    else if (auto it = issued.find(event.async); it != issued.end())
      barrier.arrived.join(it->second);
    break;
  case BarrierEvent::What::Flip: {
    barrier.done.join(barrier.arrived);
    if (event.kind == BarrierEvent::Kind::Mbarrier) {
      Actor actor = mbarrierActor(event.rank, event.id);
      barrier.done.ordered.raise(actor, uint32_t(event.generation));
      barrier.done.fenced.raise(actor, uint32_t(event.generation));
      checkLooks(event, barrier);
    }
    break;
  }
  case BarrierEvent::What::WaitEnd: {
    TaskState &task = stateOf(event.by);
    task.knows.join(barrier.done);
    if (event.kind == BarrierEvent::Kind::Mbarrier) {
      if (task.leader < 0) {
        task.leader = numActors++;
        const Task *running = taskOf(event.by);
        task.rest = running && running->numWarps > 1 ? numActors++ : -1;
      }
      task.knows.ordered.raise(task.leader, ++task.seen);
      barrier.looks.push_back({event.by, event.pc, task.seen});
    } else if (!event.partial) {
      meet(task);
    }
    break;
  }
  default: break;
  }
  if (next)
    next->onBarrier(event);
}

/// A phase has completed: who waited for the one before must have looked by then, all of its
/// warps, or it could wait for ever.
void RaceCheck::checkLooks(const BarrierEvent &event, BarrierState &barrier) {
  for (const Look &look : barrier.looks) {
    const TaskState &task = stateOf(look.by);
    bool leader = barrier.arrived.ordered.at(task.leader) >= look.seen;
    bool others = task.rest < 0 || barrier.arrived.ordered.at(task.rest) >= look.seen;
    if (leader && others)
      continue;
    const Task *waiter = taskOf(look.by), *by = taskOf(event.by);
    Finding finding{Finding::Kind::LostPhase,
                    "the next phase of the mbarrier can complete before " +
                        std::string(leader ? "a lagging warp of '" : "'") +
                        (waiter ? waiter->name : "?") +
                        "' has looked at this one: the wait could hang or pass too early",
                    program.code[look.pc].loc,
                    look.by,
                    {},
                    1};
    finding.notes.push_back({program.code[event.pc].loc,
                             "the next phase completes here, by '" + (by ? by->name : "?") + "'"});
    // Warps of one task hang back only where a schedule may do its worst.
    if (leader && cluster->launch().config.schedule.kind != Schedule::Kind::Adversarial)
      cluster->warn(std::move(finding));
    else
      cluster->report(std::move(finding));
  }
  barrier.looks.clear();
}

void RaceCheck::onAsyncStart(const AsyncEvent &event) {
  // Warps issue wgmma and copies of registers together, and deal out the boxes of a TMA load
  // among them; one thread issues anything else.
  bool together = event.group == sync::Group::Wgmma || event.group == sync::Group::CpAsync ||
                  program.code[event.pc].op == Op::TmaLoad;
  release(stateOf(event.by), issued[event.id], together ? Who::All : Who::Leader);
  if (next)
    next->onAsyncStart(event);
}

void RaceCheck::onAsyncEnd(const AsyncEvent &event) {
  issued.erase(event.id);
  if (next)
    next->onAsyncEnd(event);
}

void RaceCheck::onFence(TaskRef ref, Pc pc, const Effect &effect) {
  TaskState &state = stateOf(ref);
  if (effect.kind == sync::Kind::ProxyFence)
    state.knows.fenced.join(state.knows.ordered);
  if (effect.kind == sync::Kind::TaskBarrier)
    meet(state);
  Task *task = effect.kind == sync::Kind::GroupWait ? taskOf(ref) : nullptr;
  if (task) {
    sync::Group group = effect.group == sync::Group::AmdAsync ? sync::Group::CpAsync : effect.group;
    const GroupQueue &queue = task->groups[unsigned(group)];
    int64_t allowed = effect.amountReg >= 0 ? task->regs[effect.amountReg].asInt() : effect.amount;
    Actor actor = queueActor(ref, group);
    int64_t done = queue.firstSequence + int64_t(queue.unfinished.size()) - allowed;
    if (group == sync::Group::Tcgen05)
      done = cluster->asyncsIssued();
    if (done > 0) {
      state.knows.ordered.raise(actor, uint32_t(done));
      state.knows.fenced.raise(actor, uint32_t(done));
    }
  }
  if (next)
    next->onFence(ref, pc, effect);
}

void RaceCheck::onInst(TaskRef task, Pc pc) {
  if (next)
    next->onInst(task, pc);
}
void RaceCheck::onBlock(const BlockEvent &event) {
  if (next)
    next->onBlock(event);
}
void RaceCheck::onWake(const BlockEvent &event) {
  if (next)
    next->onWake(event);
}

// --- Accesses
// -----------------------------------------------------------------------------------------------------

/// When the access happens on its actor's clock, and what was known before it.
RaceCheck::Stamp RaceCheck::stampOf(const AccessEvent &event, Knowledge &knows) {
  Stamp stamp;
  stamp.by = event.by;
  stamp.pc = event.pc;
  stamp.async = event.proxy == sync::Proxy::Async;
  stamp.warps = event.warps;
  const AsyncOp *op = event.op;
  if (!op) {
    TaskState &state = stateOf(event.by);
    knows = state.knows;
    stamp.actor = state.actor;
    stamp.clock = state.knows.ordered.at(state.actor);
    return stamp;
  }
  if (auto it = issued.find(op->id); it != issued.end())
    knows = it->second;
  if (op->group == sync::Group::Tcgen05) {
    stamp.actor = queueActor(event.by, op->group);
    stamp.clock = uint32_t(op->id + 1);
    // Those before it are complete, and it knows what it did itself.
    knows.ordered.raise(stamp.actor, stamp.clock);
    return stamp;
  }
  if (op->group != sync::Group::None) {
    stamp.actor = queueActor(event.by, op->group);
    const GroupQueue &queue = cluster->task(op->task).groups[unsigned(op->group)];
    int64_t sequence = op->groupSequence >= 0
                           ? op->groupSequence
                           : queue.firstSequence + int64_t(queue.unfinished.size());
    stamp.clock = uint32_t(sequence + 1);
    return stamp;
  }
  const Signal *signal = nullptr;
  for (const Signal &candidate : op->signals)
    if (!signal || candidate.rank == event.rank)
      signal = &candidate;
  if (signal) {
    stamp.actor = mbarrierActor(signal->rank, signal->offset);
    const auto &cells = cluster->cta(signal->rank).mbarriers;
    auto cell = cells.find(signal->offset);
    stamp.clock = uint32_t((cell == cells.end() ? 0 : cell->second.state.generation) + 1);
  } else {
    stamp.actor = numActors++; // nothing will ever order it
    stamp.clock = 1;
  }
  return stamp;
}

void RaceCheck::onAccess(const AccessEvent &event) {
  if (event.space == sync::Space::Shared || event.space == sync::Space::Tensor) {
    Knowledge knows;
    Stamp stamp = stampOf(event, knows);
    if (clustered && event.rank != event.by.rank)
      visit(event.rank, stamp, knows, "memory");
    Shadow &shadow = shadows[{event.rank, int(event.space)}];
    for (size_t i = 0; i < event.numRanges; ++i)
      if (event.ranges[i].bytes)
        touch(shadow, event, event.ranges[i], stamp, knows);
  } else if (event.space == sync::Space::Global) {
    onGlobal(event);
  }
  if (next && next->wantsAccesses())
    next->onAccess(event);
}

/// Accesses to device memory; an atomic one takes over what those before it released.
void RaceCheck::onGlobal(const AccessEvent &event) {
  if (event.atomic) {
    if (event.op)
      return;
    for (size_t i = 0; i < event.numRanges; ++i) {
      Knowledge &word = atomics[event.ranges[i].begin];
      TaskState &task = stateOf(event.by);
      task.knows.join(word);
      release(task, word);
    }
    return;
  }
  Knowledge knows;
  Stamp stamp = stampOf(event, knows);
  for (size_t i = 0; i < event.numRanges; ++i)
    if (event.ranges[i].bytes)
      touch(shadows[{0, int(event.space)}], event, event.ranges[i], stamp, knows);
}

/// Whether `before` is known to be over. What other warps of the task did is so once all have met.
bool RaceCheck::ordered(const Stamp &before, const Stamp &now, const Knowledge &knows) {
  if (before.actor < 0)
    return true;
  if (before.actor == now.actor && before.warps != now.warps && before.warps >= 0 && now.warps >= 0)
    return before.clock <= stateOf(now.by).met;
  return knows.ordered.at(before.actor) >= before.clock;
}

void RaceCheck::touch(Shadow &shadow, const AccessEvent &event, const ByteRange &range,
                      const Stamp &stamp, const Knowledge &knows) {
  const uint64_t end = range.begin + range.bytes;
  // Cells that straddle an end of the range are cut there; gaps get cells of their own.
  auto cut = [&](uint64_t at) {
    auto it = shadow.upper_bound(at);
    if (it == shadow.begin())
      return;
    --it;
    if (it->first < at && at < it->second.end) {
      Cell rest = it->second;
      it->second.end = at;
      shadow.emplace(at, std::move(rest));
    }
  };
  cut(range.begin);
  cut(end);
  // The async proxy comes to what the generic one touched.
  auto unfenced = [&](const Stamp &before) {
    return checksFences && stamp.async && event.space == sync::Space::Shared && before.actor >= 0 &&
           !before.async && knows.fenced.at(before.actor) < before.clock;
  };
  auto it = shadow.lower_bound(range.begin);
  for (uint64_t at = range.begin; at < end;) {
    if (it == shadow.end() || it->first > at) {
      Cell gap;
      gap.end = it == shadow.end() ? end : std::min(end, it->first);
      it = shadow.emplace_hint(it, at, std::move(gap));
    }
    Cell &cell = it->second;
    bool raced = false;
    if (!ordered(cell.write, stamp, knows)) {
      report(Finding::Kind::Race, event, cell.write, true, at);
      raced = true;
    } else if (unfenced(cell.write)) {
      report(Finding::Kind::MissingFence, event, cell.write, true, at);
    }
    if (event.write) {
      for (const Stamp &read : cell.reads)
        if (!raced && !ordered(read, stamp, knows)) {
          report(Finding::Kind::Race, event, read, false, at);
          raced = true;
        } else if (!raced && afterReads && unfenced(read)) {
          report(Finding::Kind::MissingFence, event, read, false, at);
          raced = true;
        }
      cell.write = stamp;
      cell.reads.clear();
    } else {
      auto same = std::find_if(cell.reads.begin(), cell.reads.end(), [&](const Stamp &read) {
        return read.actor == stamp.actor && read.warps == stamp.warps;
      });
      if (same == cell.reads.end())
        cell.reads.push_back(stamp);
      else
        *same = stamp;
    }
    at = cell.end;
    ++it;
  }
  // Neighbours in the same state become one cell again.
  if (event.write) {
    auto first = shadow.lower_bound(range.begin);
    for (auto rest = std::next(first); rest != shadow.end() && rest->first < end;)
      rest = shadow.erase(rest);
    first->second.end = end;
  }
}

static const char *does(const Program &program, Pc pc, bool writes, bool async) {
  if (program.code[pc].op == Op::LocalDealloc)
    return "frees";
  if (async)
    return writes ? "asynchronously writes" : "asynchronously reads";
  return writes ? "writes" : "reads";
}

void RaceCheck::report(Finding::Kind kind, const AccessEvent &event, const Stamp &before,
                       bool beforeWrote, uint64_t byte) {
  const bool shared = event.space == sync::Space::Shared;
  const Prepared &prepared = cluster->prepared();
  std::string what = std::string(shared                               ? "shared"
                                 : event.space == sync::Space::Tensor ? "tensor"
                                                                      : "device") +
                     " memory";
  if (event.space == sync::Space::Global)
    if (const GlobalMemory::Region *region = cluster->launch().memory.regionOf(byte))
      what = "'" + region->name + "'";
  for (size_t i = 0; i < program.allocations.size() && shared; ++i) {
    int64_t begin = prepared.allocOffsets[i];
    const Allocation &allocation = program.allocations[i];
    if (allocation.space != sync::Space::Tensor && !allocation.name.empty() &&
        int64_t(byte) >= begin && int64_t(byte) < begin + allocation.bytes)
      what = "'" + allocation.name + "'";
  }
  Task *by = taskOf(event.by), *other = taskOf(before.by);
  std::string name = by ? by->name : "?", otherName = other ? other->name : "?";
  Finding finding;
  finding.kind = kind;
  finding.by = event.by;
  finding.loc = program.code[event.pc].loc;
  std::string access =
      "'" + name + "' " + does(program, event.pc, event.write, event.op != nullptr) + " " + what;
  if (kind == Finding::Kind::Race)
    finding.message =
        "race: " + access + ", and nothing orders this after an earlier " +
        (beforeWrote ? "write" : "read") + " of the same bytes" +
        (event.warps >= 0 && before.warps >= 0 && by == other ? ", by other warps of the task"
                                                              : "");
  else
    finding.message = access + " through the async proxy after a generic " +
                      (beforeWrote ? "write" : "read") + ", without a fence.proxy.async in between";
  finding.notes.push_back({program.code[before.pc].loc,
                           "'" + otherName + "' " +
                               does(program, before.pc, beforeWrote, before.async) + " them here"});
  cluster->report(std::move(finding));
}

} // namespace tlx::sim
