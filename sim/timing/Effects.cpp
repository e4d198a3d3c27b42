// Barriers, fences and group waits: executes Effect records, whatever op they
// belong to.
#include "sim/timing/Machine.h"

#include <algorithm>

namespace tlx::sim {

using sync::Kind;

bool TimingMachine::predicate(const TimedTask &task, Reg reg) const {
  return reg == noReg || (task.slots[reg].bits & 1);
}

int64_t TimingMachine::amountOf(const TimedTask &task, const Effect &effect) const {
  return effect.amountReg != noReg ? task.slots[effect.amountReg].bits : effect.amount;
}

/// The instruction's own work is committed; what it started ends then.
void TimingMachine::issuedUntil(TimedTask &task, Cycles completion, Cycles sourceRead) {
  task.issued = true;
  task.completion = completion;
  task.sourceRead = sourceRead;
}

/// Whether the instruction closes an async group itself.
bool TimingMachine::hasCommit(const Program &program, const Inst &inst) {
  const Effect *effects = program.effectsOf(inst);
  return std::any_of(effects, effects + inst.numEffects,
                     [](const Effect &effect) { return effect.kind == Kind::GroupCommit; });
}

/// The effects of one instruction in order. What happens at completion is put
/// off; what blocks suspends the task, which comes back to the same effect.
TimingMachine::Step TimingMachine::runEffects(TimedTask &task, const Inst &inst) {
  const Effect *effects = program.effectsOf(inst);
  for (; task.effectStep < inst.numEffects; ++task.effectStep) {
    const Effect &effect = effects[task.effectStep];
    if (effect.kind == Kind::Hint && effect.target != noReg &&
        program.typeOf(effect.target).kind == TypeKind::TensorDesc)
      firstUse(task, task.slots[effect.target].bits); // its descriptor is there from now on
    if (effect.kind == Kind::Read || effect.kind == Kind::Write || effect.kind == Kind::Hint) {
      if (task.track != NoTrack)
        tellMemory(task, effect);
      continue; // the instruction's route accounts for them
    }
    bool leads =
        !effect.pairLeader || effect.kind == Kind::BarrierComplete || task.cta->rank % 2 == 0;
    if (!leads || !predicate(task, effect.predicate))
      continue;
    // A phase or predicate that is still computed holds the instruction up.
    for (Reg reg : {effect.phase, effect.target, effect.predicate, effect.amountReg})
      if (reg != noReg && task.slots[reg].ready > task.clock)
        task.clock = task.slots[reg].ready;
    if (effect.moment == sync::Moment::Completion) {
      asyncEffect(task, effect);
      continue;
    }
    if (effect.taskBarrierBefore && !task.barrierDone) {
      taskBarrier(task);
      task.barrierDone = true;
    }
    if (!align(task))
      return Step::Suspend;
    if (!issueEffect(task, effect))
      return Step::Suspend;
    if (failure)
      return Step::Suspend;
  }
  return Step::Next;
}

/// For pictures of what memory holds.
void TimingMachine::tellMemory(const TimedTask &task, const Effect &effect) {
  bool tensor = effect.space == sync::Space::Tensor;
  if (effect.kind == Kind::Hint || (!tensor && effect.space != sync::Space::Shared) ||
      effect.target == noReg || !predicate(task, effect.predicate))
    return;
  const Slot &slot = task.slots[effect.target];
  const Type &type = program.typeOf(effect.target);
  if (slot.unknown || slot.bits >> 48 || type.kind != TypeKind::MemDesc || type.shape.empty())
    return;
  bool write = effect.kind == Kind::Write;
  const Inst &inst = program.code[task.pc];
  if (!write && work[task.pc].route == Route::TensorMma &&
      effect.target == program.operand(inst, 2) &&
      !predicate(task, program.operand(inst, inst.op == Op::Tcgen05MmaScaled ? 5 : 3)))
    return; // the accumulator is overwritten
  int64_t offset = slot.bits, size = type.numElements() * type.memoryElementBytes();
  if (tensor) {
    int64_t rows = type.shape.size() > 1 ? type.shape[type.shape.size() - 2] : 1;
    offset = offset % tmemLaneBytes / 4;
    size = (size + 4 * std::min<int64_t>(rows, 128) - 1) / (4 * std::min<int64_t>(rows, 128));
  }
  Cycles end = task.clock;
  if (effect.moment == sync::Moment::Completion)
    end = std::max(end, write ? task.completion : task.sourceRead);
  options.hooks->onMemory({task.track, tensor, write, offset, size, task.clock, end});
}

void TimingMachine::taskBarrier(TimedTask &task) {
  Cycles before = task.clock;
  task.clock += barrierTime(task);
  block(task, Reason::NamedBarrier, before, task.clock);
  task.usedShared.clear();
  task.scratchRead = false;
}

/// An effect at its issue. False: the task sleeps and will come back to it, or
/// has been put behind it.
bool TimingMachine::issueEffect(TimedTask &task, const Effect &effect) {
  switch (effect.kind) {
  case Kind::BarrierInit: {
    int64_t offset = task.slots[effect.target].bits;
    TimedMbarrier &barrier = task.cta->mbarriers[offset];
    barrier.state.init(amountOf(task, effect));
    if (hooked(task.cta->sm) && barrier.track == NoTrack)
      barrier.track =
          newTrack(TrackKind::Mbarrier, task.cta->sm, task.cta->index, barrierName(offset));
    task.clock += costs.mbarrierInit;
    return true;
  }
  case Kind::BarrierInval:
    task.cta->mbarriers[task.slots[effect.target].bits].state.invalidate();
    task.clock += costs.mbarrierInit;
    return true;
  case Kind::BarrierExpect: {
    for (TimedCta *cta : targetsOf(task, effect))
      arriveNow(task, *cta, task.slots[effect.target].bits, amountOf(task, effect), 0);
    return true;
  }
  case Kind::BarrierArrive: {
    int64_t arrivals = amountOf(task, effect);
    if (effect.threads == sync::Threads::PerThread)
      arrivals *= int64_t(task.warps) * costs.warpSize;
    else if (effect.threads == sync::Threads::EachWarp)
      arrivals *= task.warps;
    if (task.awaited > task.clock) { // comes behind the wait
      for (TimedCta *cta : targetsOf(task, effect))
        completeLater(task.awaited + costs.mbarrierArrive +
                          (cta == task.cta ? costs.mbarrierLand : costs.clusterArrive),
                      {cta, task.slots[effect.target].bits & ((int64_t(1) << 48) - 1), 0, arrivals,
                       task.track});
      return true;
    }
    // An arrival releases what its threads have written.
    if (task.storesVisible > task.clock) {
      block(task, Reason::Memory, task.clock, task.storesVisible);
      task.clock = task.storesVisible;
    }
    task.clock += costs.mbarrierArrive;
    for (TimedCta *cta : targetsOf(task, effect)) {
      if (cta == task.cta)
        arriveNow(task, *cta, task.slots[effect.target].bits, 0, arrivals);
      else
        completeLater(task.clock + costs.clusterArrive,
                      {cta, task.slots[effect.target].bits & ((int64_t(1) << 48) - 1), 0, arrivals,
                       task.track});
    }
    return true;
  }
  case Kind::BarrierComplete:
    for (TimedCta *cta : targetsOf(task, effect))
      arriveNow(task, *cta, task.slots[effect.target].bits, -amountOf(task, effect), 0);
    return true;
  case Kind::BarrierWait: return waitMbarrier(task, effect);
  case Kind::NamedBarrierSync: return namedBarrier(task, effect, true);
  case Kind::NamedBarrierArrive: return namedBarrier(task, effect, false);
  case Kind::ClusterArrive:
    if (!effect.relaxed)
      awaitSent(task, 0);
    clusterArrive(task);
    return true;
  case Kind::ClusterWait: return clusterWait(task);
  case Kind::TaskBarrier: taskBarrier(task); return true;
  case Kind::GroupCommit: task.groups[unsigned(effect.group)].commit(); return true;
  case Kind::GroupWait: groupWait(task, effect); return true;
  case Kind::ProxyFence: {
    Cycles landed = std::max(task.clock, task.storesVisible);
    block(task, Reason::Memory, task.clock, landed + costs.fenceProxy);
    task.clock = landed + costs.fenceProxy;
    task.copiedByThreads = false;
    return true;
  }
  case Kind::MemoryFence:
    if (effect.space == sync::Space::Shared) { // within the CTA
      task.clock += costs.smemStore;
      return true;
    }
    [[fallthrough]];
  case Kind::TensormapFence: {
    bool system = program.attrsOf(program.code[task.pc]).scope == Scope::Sys;
    awaitSent(task, system ? costs.fenceSystem : costs.fenceGpu);
    dropCached(task);
    return true;
  }
  case Kind::BarrierInitFence: task.clock += costs.fenceProxy; return true;
  case Kind::ClcRequest:
    cancelLaunch(task, task.slots[effect.target].bits);
    task.completion = task.clock + costs.clc;
    return true;
  case Kind::Hint:
  case Kind::Read:
  case Kind::Write: return true;
  }
  return true;
}

/// An effect that happens when the asynchronous operation completes.
void TimingMachine::asyncEffect(TimedTask &task, const Effect &effect) {
  Cycles completion = std::max(task.completion, task.clock);
  // A commit stands for everything of its queue that was issued before.
  if (effect.group != sync::Group::None) {
    const AsyncGroups &groups = task.groups[unsigned(effect.group)];
    completion = std::max(completion, groups.open);
    for (Cycles done : groups.done)
      completion = std::max(completion, done);
    if (effect.group == sync::Group::Tcgen05)
      completion += costs.tcgenCommit;
  }
  if (!predicate(task, effect.barrierPredicate))
    return;
  int64_t bytes = 0, arrivals = 0;
  if (effect.kind == Kind::BarrierComplete)
    bytes = amountOf(task, effect);
  else if (effect.kind == Kind::BarrierArrive)
    arrivals =
        amountOf(task, effect) *
        (effect.threads == sync::Threads::PerThread ? int64_t(task.warps) * costs.warpSize : 1);
  else
    return;
  if (effect.target == noReg || (bytes == 0 && arrivals == 0))
    return;
  // In pictures the arrow starts where the work was done.
  TrackId by = task.track;
  Route route = work[task.pc].route;
  if (route == Route::TmaLoad || route == Route::BulkLoad)
    by = smOf(task).tmaTrack;
  else if (route == Route::TensorMma)
    by = smOf(task).tensorTrack;
  for (TimedCta *cta : targetsOf(task, effect))
    completeLater(completion, {cta, task.slots[effect.target].bits & ((int64_t(1) << 48) - 1),
                               bytes, arrivals, by});
}

/// "full[2]": the allocation that an mbarrier lies in, and its place there.
std::string TimingMachine::barrierName(int64_t offset) const {
  for (size_t i = 0; i < program.allocations.size(); ++i) {
    const Allocation &allocation = program.allocations[i];
    int64_t begin = allocationOffsets[i];
    if (allocation.space == sync::Space::Shared && offset >= begin &&
        offset < begin + allocation.bytes)
      return (allocation.name.empty() ? "mbarrier" : allocation.name) + "[" +
             std::to_string((offset - begin) / 8) + "]";
  }
  return "mbarrier at " + std::to_string(offset);
}

/// The CTA that a memory descriptor's bits name.
TimedCta *TimingMachine::ctaOf(TimedTask &task, int64_t bits) {
  int64_t field = bits >> 48;
  auto &ctas = task.cta->cluster->ctas;
  if (field == 0)
    return task.cta;
  if (field - 1 < int64_t(ctas.size()))
    return ctas[field - 1].get();
  fail(errorAt(task, "rank " + std::to_string(field - 1) +
                         " names no CTA of the cluster, which has " + std::to_string(ctas.size())));
  return task.cta;
}

std::vector<TimedCta *> TimingMachine::targetsOf(TimedTask &task, const Effect &effect) {
  auto &ctas = task.cta->cluster->ctas;
  std::vector<TimedCta *> targets;
  if (effect.rankMask != 0) {
    for (size_t i = 0; i < ctas.size(); ++i)
      if (effect.rankMask >> std::min<size_t>(i, 63) & 1)
        targets.push_back(ctas[i].get());
    return targets;
  }
  if (effect.rank != noReg) {
    int64_t rank = task.slots[effect.rank].bits;
    for (size_t i = 0; i < ctas.size(); ++i)
      if (effect.rankIsMask ? (rank >> i & 1) : rank == int64_t(i))
        targets.push_back(ctas[i].get());
    return targets;
  }
  if (effect.target == noReg)
    return {task.cta};
  TimedCta *cta = ctaOf(task, task.slots[effect.target].bits);
  // Both CTAs of a pair count their bytes on the leader's barrier.
  if (effect.pairLeader && effect.kind == Kind::BarrierComplete)
    cta = ctas[cta->rank & ~1].get();
  targets.push_back(cta);
  // A commit of a CTA pair reaches both.
  if (effect.pairLeader && effect.kind == Kind::BarrierArrive && cta->rank % 2 == 0 &&
      size_t(cta->rank) + 1 < ctas.size())
    targets.push_back(ctas[cta->rank + 1].get());
  return targets;
}

TimedMbarrier *TimingMachine::mbarrierAt(TimedTask &task, TimedCta &cta, int64_t offset) {
  offset &= (int64_t(1) << 48) - 1;
  TimedMbarrier *found = cta.mbarriers.find(offset);
  if (found && found->state.valid)
    return found;
  fail(errorAt(task,
               "no mbarrier is initialised at shared-memory offset " + std::to_string(offset)));
  return nullptr;
}

void TimingMachine::arriveNow(TimedTask &task, TimedCta &cta, int64_t offset, int64_t bytes,
                              int64_t arrivals) {
  TimedMbarrier *barrier = mbarrierAt(task, cta, offset);
  if (!barrier)
    return;
  bool flipped = false;
  if (bytes != 0 || arrivals == 0) { // an expect
    flipped = bytes < 0 ? barrier->state.complete(-bytes) : barrier->state.expect(bytes);
    task.clock += bytes < 0 ? 0 : costs.mbarrierExpect;
  }
  if (arrivals != 0)
    flipped = barrier->state.arrive(arrivals);
  if (barrier->state.overrun()) {
    fail(errorAt(task, "more arrivals than the phase of this mbarrier expects (" +
                           std::to_string(barrier->state.count) + ")"));
    return;
  }
  afterStep(*barrier, flipped, task.clock + (arrivals ? costs.mbarrierLand : 0), task.track);
}

void TimingMachine::afterStep(TimedMbarrier &barrier, bool flipped, Cycles now, TrackId by) {
  if (!flipped)
    return;
  if (options.hooks && barrier.track != NoTrack)
    options.hooks->onPhase({barrier.track, now, barrier.state.generation});
  size_t kept = 0;
  for (MbarrierWaiter &waiter : barrier.waiters) {
    if (!barrier.state.passed(waiter.parity)) {
      barrier.waiters[kept++] = waiter;
      continue;
    }
    TimedTask &task = *waiter.task;
    Cycles when = std::max(now, task.clock) + costs.mbarrierWake;
    if (options.hooks && by != NoTrack && task.track != NoTrack)
      options.hooks->onFlow({by, now, task.track, when});
    ++task.effectStep;
    wake(task, when);
  }
  barrier.waiters.resize(kept);
}

void TimingMachine::completeLater(Cycles when, const Completion &completion) {
  uint32_t index;
  if (freeCompletions.empty()) {
    index = uint32_t(completions.size());
    completions.push_back(completion);
  } else {
    index = freeCompletions.back();
    freeCompletions.pop_back();
    completions[index] = completion;
  }
  ++completion.cta->cluster->outstanding;
  queue.schedule(when, *this, index);
}

void TimingMachine::onEvent(Cycles now, uint64_t payload) {
  Completion completion = completions[payload];
  freeCompletions.push_back(uint32_t(payload));
  --completion.cta->cluster->outstanding;
  if (failure)
    return;
  TimedMbarrier *found = completion.cta->mbarriers.find(completion.barrier);
  if (!found || !found->state.valid) {
    fail(Error("an asynchronous operation signals shared-memory offset " +
                   std::to_string(completion.barrier) + ", where no mbarrier is initialised",
               sourceOf(completion.cta->tasks[0]->pc), {}, ExitCode::Violated));
    return;
  }
  TimedMbarrier &barrier = *found;
  bool flipped = completion.bytes ? barrier.state.complete(completion.bytes) : false;
  if (completion.arrivals)
    flipped = barrier.state.arrive(completion.arrivals);
  if (barrier.state.overrun()) {
    fail(Error("more arrivals than the phase of the mbarrier at offset " +
                   std::to_string(completion.barrier) + " expects (" +
                   std::to_string(barrier.state.count) + ")",
               sourceOf(completion.cta->tasks[0]->pc), {}, ExitCode::Violated));
    return;
  }
  afterStep(barrier, flipped, now, completion.by);
}

bool TimingMachine::waitMbarrier(TimedTask &task, const Effect &effect) {
  int64_t bits = task.slots[effect.target].bits;
  TimedMbarrier *barrier = mbarrierAt(task, *ctaOf(task, bits), bits);
  if (!barrier)
    return false;
  int parity = effect.phase != noReg ? int(task.slots[effect.phase].bits & 1) : 0;
  if (barrier->state.passed(parity)) {
    task.clock += costs.mbarrierReady;
    return true;
  }
  barrier->waiters.push_back({&task, parity});
  sleep(task, Reason::Mbarrier, bits);
  return false;
}

/// A named barrier of the CTA. A waiter that completes it goes on at once.
bool TimingMachine::namedBarrier(TimedTask &task, const Effect &effect, bool waits) {
  int64_t id = effect.target != noReg ? task.slots[effect.target].bits : 0;
  if (id < 0 || id >= int64_t(task.cta->named.size())) {
    fail(errorAt(task, "named barrier " + std::to_string(id) + " does not exist"));
    return false;
  }
  TimedNamedBarrier &barrier = task.cta->named[id];
  int64_t total = amountOf(task, effect);
  int64_t threads = int64_t(task.warps) * costs.warpSize;
  task.clock += costs.barIssue * task.warps;
  // The arrival orders the shared accesses before it.
  task.clock = std::max(task.clock, task.storesVisible);
  Cycles release = task.clock + costs.barLatency;
  if (barrier.arrive(threads, total)) {
    for (TimedTask *waiter : barrier.waiters) {
      if (options.hooks && waiter->track != NoTrack && task.track != NoTrack)
        options.hooks->onFlow({task.track, task.clock, waiter->track, release});
      ++waiter->effectStep;
      wake(*waiter, release);
    }
    barrier.waiters.clear();
    if (waits) {
      block(task, Reason::NamedBarrier, task.clock, release);
      task.clock = release;
    }
    return true;
  }
  if (!waits)
    return true;
  barrier.waiters.push_back(&task);
  sleep(task, Reason::NamedBarrier, id);
  return false;
}

/// Launch control: the next cluster that has not started is this one's; the answer
/// goes to every CTA of this one.
void TimingMachine::cancelLaunch(TimedTask &task, int64_t answer) {
  int64_t granted = scheduler->cancel();
  auto &ctas = task.cta->cluster->ctas;
  if (granted >= 0)
    ctasDone += int64_t(ctas.size());
  for (auto &cta : ctas)
    cta->launchAnswers[answer] = granted;
}

/// A fence beyond the SM follows what was sent to memory before it, and waits until the SM has all
/// answers, to loads of others too.
void TimingMachine::awaitSent(TimedTask &task, Cycles roundTrip) {
  int sm = task.cta->sm;
  Cycles sent = std::max(task.clock, memory->drained(sm)) + roundTrip;
  Cycles until = std::max(sent, memory->answered(sm));
  block(task, Reason::Memory, task.clock, until);
  task.clock = until;
}

/// Outside a warp specialisation all warps of the CTA take part.
void TimingMachine::clusterArrive(TimedTask &task) {
  TimedCluster &cluster = *task.cta->cluster;
  bool alone = task.index == 0 && task.joinsLeft == 0;
  int64_t warps = alone ? totalWarps : task.warps;
  int64_t total = int64_t(totalWarps) * int64_t(int(cluster.ctas.size()) - cluster.exited);
  task.namedGeneration = cluster.barrier.generation;
  if (!cluster.barrier.arrive(warps, total))
    return;
  for (TimedTask *waiter : cluster.barrier.waiters) {
    ++waiter->effectStep;
    wake(*waiter, task.clock + costs.clusterBarrier);
  }
  cluster.barrier.waiters.clear();
}

/// An acquire beyond the CTA empties the SM's first-level cache.
void TimingMachine::dropCached(TimedTask &task) {
  if (std::unique_ptr<L2Cache> &l1 = smOf(task).l1)
    l1 = std::make_unique<L2Cache>(cachedBytes);
}

bool TimingMachine::clusterWait(TimedTask &task) {
  TimedCluster &cluster = *task.cta->cluster;
  dropCached(task);
  if (cluster.barrier.generation != task.namedGeneration) {
    block(task, Reason::Cluster, task.clock, task.clock + costs.clusterBarrier);
    task.clock += costs.clusterBarrier;
    return true;
  }
  cluster.barrier.waiters.push_back(&task);
  sleep(task, Reason::Cluster);
  return false;
}

/// The task has come to something that may not go before the products it waits for.
void TimingMachine::settle(TimedTask &task) {
  block(task, Reason::MmaQueue, task.clock, task.awaited);
  task.clock = std::max(task.clock, task.awaited);
  task.awaited = 0;
}

/// Compilers move arithmetic on registers before a wait for products it does not use, and before
/// the arrivals that follow the wait (seen in code compiled for sm_90).
bool TimingMachine::overtakesWait(const Inst &inst, const Work &w) const {
  switch (w.route) {
  case Route::Free:
  case Route::Value:
  case Route::Scalar:
  case Route::View: return inst.numEffects == 0;
  case Route::Tile: return inst.numEffects == 0 && w.warpSteps == 0;
  case Route::Sync: break;
  default: return false;
  }
  const Effect *effects = program.effectsOf(inst);
  return std::all_of(effects, effects + inst.numEffects, [](const Effect &effect) {
    bool wait = effect.kind == Kind::GroupWait && effect.group == sync::Group::Wgmma;
    bool arrival = effect.kind == Kind::BarrierArrive && effect.moment == sync::Moment::Issue;
    return wait || arrival || effect.kind == Kind::Hint;
  });
}

/// Until at most `amount` groups of the task are pending.
void TimingMachine::groupWait(TimedTask &task, const Effect &effect) {
  AsyncGroups &groups = task.groups[unsigned(effect.group)];
  if (effect.group == sync::Group::Tcgen05 && groups.any)
    groups.commit(); // it has no groups of its own
  // A store's token knows when its source is free; then the task's threads
  // learn it from the one that waited.
  if (effect.group == sync::Group::BulkStore && effect.target != noReg) {
    Cycles until = task.slots[effect.target].bits;
    block(task, Reason::Memory, task.clock, until);
    task.clock = std::max(task.clock, until);
    taskBarrier(task);
    return;
  }
  int64_t pending = std::max<int64_t>(0, amountOf(task, effect));
  Cycles until = task.clock;
  int64_t finished = int64_t(groups.done.size()) - pending;
  for (int64_t i = 0; i < finished; ++i)
    until = std::max(until, (effect.readOnly ? groups.sourceRead : groups.done)[i]);
  if (!effect.readOnly && finished > 0) {
    groups.done.erase(groups.done.begin(), groups.done.begin() + finished);
    groups.sourceRead.erase(groups.sourceRead.begin(), groups.sourceRead.begin() + finished);
  }
  if (effect.group == sync::Group::Wgmma) {
    if (until > task.clock)
      task.awaited = std::max(task.awaited, until + costs.mmaWait);
    else
      task.clock += costs.mmaWait;
    return;
  }
  bool products = effect.group == sync::Group::Tcgen05;
  block(task, products ? Reason::MmaQueue : Reason::Memory, task.clock, until);
  task.clock = until + (products ? costs.mmaWait : 1);
  if (effect.group == sync::Group::BulkStore || effect.group == sync::Group::CpAsync)
    taskBarrier(task);
  task.copiedByThreads |= effect.group == sync::Group::CpAsync;
}

} // namespace tlx::sim
