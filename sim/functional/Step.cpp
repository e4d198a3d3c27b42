//===- Step.cpp - one instruction: its effects and its behaviour ----------===//
//
// Effects run in the order in which the op declares them. The value part of an
// instruction runs at its first immediate read or write, or after its effects; an
// asynchronous one is captured with its operands and the signals that it will send.
// A wait that has to sleep leaves the position behind; step() comes back to it.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/MbarrierCount.h"
#include "sim/functional/Views.h"

#include <algorithm>

namespace tlx::sim {
namespace {

using sync::Kind;
using sync::Moment;

/// A CTA's copy of an mbarrier.
struct Place {
  int32_t rank;
  int64_t offset;
};

class EffectRunner {
public:
  explicit EffectRunner(Exec &exec)
      : exec(exec), cluster(exec.cluster), task(exec.task), regs(exec.task.regs) {}

  /// Runs the immediate effects from where the task stands. False: it sleeps or failed.
  bool run() {
    const Effect *effects = exec.program.effectsOf(exec.inst);
    for (; task.effectIndex < exec.inst.numEffects; ++task.effectIndex) {
      const Effect &effect = effects[task.effectIndex];
      if (effect.moment == Moment::Completion) {
        // The operation is issued where its first effect stands: a commit or a wait
        // that follows covers it.
        issue();
        continue;
      }
      if (!holds(effect.predicate, effect.threads == sync::Threads::Elected))
        continue;
      if (effect.taskBarrierBefore) {
        Effect meeting;
        meeting.kind = Kind::TaskBarrier;
        fence(meeting);
      }
      if (!runOne(effect))
        return false;
      task.waitPassed = false;
    }
    return !cluster.failed();
  }

  /// Issues the asynchronous operation, once.
  void issue();

private:
  /// The barrier effects of an asynchronous operation, resolved now, sent later.
  std::vector<Signal> signals() {
    std::vector<Signal> signals;
    if (exec.inst.op == Op::ClcTryCancel) { // the answer goes to every CTA of the cluster
      for (int32_t r = 0; r < int32_t(cluster.numCtas()); ++r)
        signals.push_back({Kind::BarrierComplete, r, exec.in(0).mem().base, 16});
      return signals;
    }
    const Effect *effects = exec.program.effectsOf(exec.inst);
    for (unsigned i = 0; i < exec.inst.numEffects; ++i) {
      const Effect &effect = effects[i];
      if (effect.moment != Moment::Completion || !holds(effect.predicate) ||
          !holds(effect.barrierPredicate))
        continue;
      if (effect.kind != Kind::BarrierComplete && effect.kind != Kind::BarrierArrive)
        continue;
      bool arrives = effect.kind == Kind::BarrierArrive;
      int64_t count = arrives ? arrivals(effect) : amount(effect, 0);
      // cp.async.mbarrier.arrive without .noinc: one more arrival is due first.
      bool adds = arrives && effect.amount == 0 && effect.amountReg == noReg;
      if (adds)
        count = effect.threads == sync::Threads::PerThread ? task.numThreads : 1;
      for (Place place : places(effect)) {
        signals.push_back({effect.kind, place.rank, place.offset, count});
        if (BarrierCell *barrier =
                adds ? cluster.mbarrier(place.rank, place.offset, task, exec.pc, "arrive")
                     : nullptr)
          barrier->state.pending += count;
      }
    }
    return signals;
  }

  Exec &exec;
  Cluster &cluster;
  Task &task;
  std::vector<Value> &regs;

  /// An elected thread is the task's first; otherwise any active thread will do.
  bool holds(Reg predicate, bool elected = false) {
    if (elected && !task.isActive(0))
      return false;
    if (predicate == noReg)
      return true;
    const Value &value = regs[predicate];
    if (elected)
      return value.asInt() != 0;
    for (size_t i = 0; i < value.count(); ++i)
      if (value.asInt(i) && (value.count() == 1 || task.isActive(i)))
        return true;
    return false;
  }

  int64_t amount(const Effect &effect, int64_t absent) const {
    if (effect.amountReg != noReg)
      return regs[effect.amountReg].asInt();
    return effect.amount ? effect.amount : absent;
  }

  /// Some threads of the task act that have not met the others right before.
  bool isPartial(const Effect &effect) const {
    if (effect.taskBarrierBefore || effect.threads == sync::Threads::All)
      return !task.active.empty();
    if (effect.threads == sync::Threads::Elected)
      return task.numThreads > 1;
    if (effect.threads == sync::Threads::EachWarp)
      return exec.program.facts.threadsPerWarp > 1;
    return threadsOf(effect) < task.numThreads;
  }

  /// The task's threads for which an effect happens.
  int64_t threadsOf(const Effect &effect) const {
    bool varies = effect.predicate != noReg && regs[effect.predicate].count() > 1;
    if (!varies && task.active.empty())
      return task.numThreads;
    int64_t threads = 0;
    for (int32_t i = 0; i < task.numThreads; ++i)
      threads += task.isActive(i) && (!varies || regs[effect.predicate].asInt(i));
    return threads;
  }

  /// Arrivals of one effect: every thread or warp may count on its own.
  int64_t arrivals(const Effect &effect) const {
    int64_t each = effect.amountReg != noReg ? regs[effect.amountReg].asInt() : effect.amount;
    switch (effect.threads) {
    case sync::Threads::PerThread: return each * threadsOf(effect);
    case sync::Threads::EachWarp: return each * task.numWarps;
    default: return each;
    }
  }

  /// The CTAs whose copy of the target is meant.
  std::vector<Place> places(const Effect &effect) {
    const Value &target = regs[effect.target];
    if (target.kind() != Value::Kind::Memory) {
      exec.fail(Finding::Kind::Unsupported, "barrier operand is not a memory descriptor");
      return {};
    }
    const MemRef &ref = target.mem();
    int64_t offset = ref.base;
    int32_t own = ref.rank < 0 ? exec.cta.rank : ref.rank;
    if (effect.rank != noReg) {
      int64_t rank = regs[effect.rank].asInt();
      if (!effect.rankIsMask)
        return {{int32_t(rank), offset}};
      std::vector<Place> all;
      for (int32_t r = 0; r < 16; ++r)
        if (rank >> r & 1)
          all.push_back({r, offset});
      return all;
    }
    if (effect.rankMask) {
      std::vector<Place> all;
      for (int32_t r = 0; r < int32_t(cluster.numCtas()); ++r)
        if (effect.rankMask >> r & 1)
          all.push_back({r, offset});
      return all;
    }
    bool pair = cluster.numCtas() > 1 && effect.pairLeader;
    if (pair && effect.kind == Kind::BarrierComplete) // both loads count at the leader
      return {{own & ~1, offset}};
    if (pair && effect.kind == Kind::BarrierArrive && effect.moment == Moment::Completion)
      return {{own & ~1, offset}, {own | 1, offset}};
    return {{own, offset}};
  }

  bool runOne(const Effect &effect) {
    switch (effect.kind) {
    case Kind::Read:
    case Kind::Write:
      if (!task.valueDone && !exec.prepared.insts[exec.pc].async &&
          exec.prepared.insts[exec.pc].handler) {
        task.valueDone = true;
        // An allocation with a value writes memory that is there only then.
        bool allocates = exec.inst.numResults && effect.target == exec.program.result(exec.inst, 0);
        if (!allocates)
          noteDeclared(exec, Moment::Issue);
        exec.prepared.insts[exec.pc].handler(exec);
        if (allocates)
          noteDeclared(exec, Moment::Issue);
      }
      return !cluster.failed();
    case Kind::BarrierInit:
      for (Place place : places(effect))
        if (BarrierCell *barrier =
                cluster.mbarrier(place.rank, place.offset, task, exec.pc, "init")) {
          if (barrier->state.valid)
            exec.fail(Finding::Kind::BarrierMisuse,
                      barrier->waiters.empty()
                          ? "initialises an mbarrier that is in use: nothing has invalidated it"
                          : "initialises an mbarrier that tasks wait on",
                      !barrier->waiters.empty());
          int64_t count = arrivals(effect);
          if (!isMbarrierCount(count))
            exec.fail(Finding::Kind::BarrierMisuse,
                      "initialises an mbarrier with a count of " + std::to_string(count) +
                          "; it must lie between 1 and " + std::to_string(mostMbarrierArrivals));
          barrier->state.init(count);
          barrier->invalidated = false;
          cluster.barrierEvent(BarrierEvent::What::Init, *barrier, place.rank, place.offset,
                               barrier->state.count, task, exec.pc, noAsync);
        }
      return !cluster.failed();
    case Kind::BarrierInval:
      for (Place place : places(effect))
        if (BarrierCell *barrier =
                cluster.mbarrier(place.rank, place.offset, task, exec.pc, "inval")) {
          barrier->state.invalidate();
          barrier->invalidated = true;
          cluster.barrierEvent(BarrierEvent::What::Inval, *barrier, place.rank, place.offset, 0,
                               task, exec.pc, noAsync);
        }
      return !cluster.failed();
    case Kind::BarrierExpect:
      for (Place place : places(effect)) {
        if (place.rank != exec.cta.rank)
          exec.fail(Finding::Kind::BarrierMisuse,
                    "expects bytes on the mbarrier of another CTA; a CTA can on its own only");
        cluster.barrierExpect(place.rank, place.offset, amount(effect, 0), task, exec.pc,
                              isPartial(effect));
      }
      return !cluster.failed();
    case Kind::BarrierArrive:
      for (Place place : places(effect))
        cluster.barrierArrive(place.rank, place.offset, arrivals(effect), task, exec.pc, noAsync,
                              isPartial(effect));
      return !cluster.failed();
    case Kind::BarrierComplete:
      for (Place place : places(effect))
        cluster.barrierComplete(place.rank, place.offset, amount(effect, 0), task, exec.pc,
                                noAsync);
      return !cluster.failed();
    case Kind::BarrierWait: return waitMbarrier(effect);
    case Kind::NamedBarrierSync: return named(effect, true);
    case Kind::NamedBarrierArrive: return named(effect, false);
    case Kind::ClusterArrive:
      cluster.clusterArrive(task);
      clusterEvent(BarrierEvent::What::Arrive);
      return true;
    case Kind::ClusterWait:
      if (task.clusterArrivals == 0) {
        exec.fail(Finding::Kind::BarrierMisuse,
                  "waits at the cluster barrier without having arrived since the last wait");
        return false;
      }
      if (!cluster.clusterPassed(task)) {
        clusterEvent(BarrierEvent::What::WaitBegin);
        cluster.waitForCluster(task);
        return false;
      }
      clusterEvent(BarrierEvent::What::WaitEnd);
      task.clusterArrivals = 0;
      return true;
    case Kind::GroupCommit:
      cluster.commitGroup(task, effect.group);
      fence(effect);
      return true;
    case Kind::GroupWait: {
      int64_t allowed = effect.amountReg != noReg ? regs[effect.amountReg].asInt() : effect.amount;
      if (cluster.groupsPending(task, effect.group, allowed)) {
        task.waitGroup = effect.group;
        task.waitAmount = allowed;
        cluster.block(task, BlockReason::AsyncGroup, exec.cta.rank, int64_t(effect.group));
        return false;
      }
      GroupQueue &queue = task.groups[unsigned(effect.group)];
      queue.waited =
          std::max(queue.waited, queue.firstSequence + int64_t(queue.unfinished.size()) - allowed);
      fence(effect);
      return true;
    }
    case Kind::TaskBarrier:
    case Kind::ProxyFence:
    case Kind::MemoryFence:
    case Kind::BarrierInitFence:
    case Kind::TensormapFence: fence(effect); return true;
    case Kind::ClcRequest:
    case Kind::Hint: return true;
    }
    return true;
  }

  void fence(const Effect &effect) {
    if (cluster.observer())
      cluster.observer()->onFence(task.ref, exec.pc, effect);
  }

  bool waitMbarrier(const Effect &effect) {
    std::vector<Place> where = places(effect);
    if (where.empty())
      return false;
    Place place = where[0];
    if (place.rank != exec.cta.rank)
      exec.fail(Finding::Kind::BarrierMisuse,
                "waits on the mbarrier of another CTA; only a CTA's own can be waited on");
    BarrierCell *barrier = cluster.mbarrier(place.rank, place.offset, task, exec.pc, "wait");
    if (!barrier)
      return false;
    int32_t phase = int32_t(regs[effect.phase].asInt()) & 1;
    if (task.waitPassed) {
      std::erase(barrier->released, task.id);
    } else if (!barrier->state.passed(phase)) {
      barrier->waiters.push_back(task.id);
      task.waitPhase = phase;
      cluster.barrierEvent(BarrierEvent::What::WaitBegin, *barrier, place.rank, place.offset, phase,
                           task, exec.pc, noAsync);
      cluster.block(task, BlockReason::Mbarrier, place.rank, place.offset);
      return false;
    }
    cluster.barrierEvent(BarrierEvent::What::WaitEnd, *barrier, place.rank, place.offset, phase,
                         task, exec.pc, noAsync);
    return true;
  }

  void clusterEvent(BarrierEvent::What what) {
    if (!cluster.observer())
      return;
    BarrierEvent event;
    event.what = what;
    event.kind = BarrierEvent::Kind::Cluster;
    event.by = task.ref;
    event.pc = exec.pc;
    event.rank = exec.cta.rank;
    event.generation = task.clusterArrivals;
    cluster.observer()->onBarrier(event);
  }

  void namedEvent(BarrierEvent::What what, int64_t id, const NamedBarrier &barrier,
                  int64_t threads) {
    if (!cluster.observer())
      return;
    BarrierEvent event;
    event.what = what;
    event.kind = BarrierEvent::Kind::Named;
    event.by = task.ref;
    event.pc = exec.pc;
    event.rank = exec.cta.rank;
    event.id = id;
    event.amount = task.numThreads;
    event.partial = threads < task.numThreads;
    event.generation = barrier.generation;
    event.pending = barrier.expected - barrier.arrived;
    cluster.observer()->onBarrier(event);
  }

  /// The active threads, which are whole warps: bar.sync is for all lanes at once. -1
  /// and a finding when they are not.
  int64_t activeThreads() {
    if (task.active.empty())
      return task.numThreads;
    int64_t perWarp = exec.program.facts.threadsPerWarp, threads = 0;
    for (int64_t warp = 0; warp < task.numWarps; ++warp) {
      int64_t active = 0;
      for (int64_t lane = 0; lane < perWarp; ++lane)
        active += task.isActive(size_t(warp * perWarp + lane));
      threads += active;
      if (active % perWarp == 0)
        continue;
      exec.fail(Finding::Kind::Divergence,
                "a named barrier is reached by " + std::to_string(active) + " of the " +
                    std::to_string(perWarp) + " threads of a warp; all of them must come together");
      return -1;
    }
    return threads;
  }

  /// bar.sync and bar.arrive: the task's threads count; the last one opens it.
  bool named(const Effect &effect, bool waits) {
    int64_t id = regs[effect.target].asInt();
    NamedBarrier &barrier = exec.cta.named[id];
    int64_t threads = amount(effect, 0);
    if (task.waitPassed) {
      namedEvent(BarrierEvent::What::WaitEnd, id, barrier, threads);
      return true;
    }
    if (id < 0 || id > 15)
      exec.fail(Finding::Kind::BarrierMisuse,
                "named barrier " + std::to_string(id) + " does not exist; a CTA has 0 to 15");
    else if (threads <= 0 || threads % exec.program.facts.threadsPerWarp)
      exec.fail(Finding::Kind::BarrierMisuse, "named barrier for " + std::to_string(threads) +
                                                  " threads; a multiple of the warp size is due");
    else if (barrier.expected && barrier.expected != threads)
      exec.fail(Finding::Kind::BarrierMisuse,
                "named barrier " + std::to_string(id) + " used for " + std::to_string(threads) +
                    " threads while others use it for " + std::to_string(barrier.expected));
    if (cluster.failed())
      return false;
    int64_t here = activeThreads();
    if (here < 0)
      return false;
    barrier.expected = threads;
    barrier.arrived += here;
    if (barrier.history.size() > 64)
      barrier.history.erase(barrier.history.begin(), barrier.history.begin() + 32);
    barrier.history.push_back(
        {BarrierEvent::What::Arrive, task.ref, exec.pc, here, barrier.generation});
    namedEvent(BarrierEvent::What::Arrive, id, barrier, threads);
    // Warps come one by one: more than are due complete several phases in a row.
    const int64_t phases = barrier.arrived / barrier.expected;
    if (barrier.arrived > barrier.expected && barrier.arrived % barrier.expected != 0)
      exec.fail(Finding::Kind::OverArrival,
                std::to_string(barrier.arrived) + " threads at named barrier " +
                    std::to_string(id) + ", which is for " + std::to_string(barrier.expected));
    if (barrier.arrived >= barrier.expected) {
      if (!waits && barrier.waiters.empty())
        exec.fail(Finding::Kind::BarrierMisuse,
                  "named barrier " + std::to_string(id) + " is completed by arrivals alone: " +
                      "nobody waits for its " + std::to_string(barrier.expected) + " threads",
                  false);
      barrier.expected = barrier.arrived = 0;
      barrier.generation += phases;
      namedEvent(BarrierEvent::What::Flip, id, barrier, threads);
      for (int32_t waiter : std::exchange(barrier.waiters, {}))
        cluster.wake(waiter);
      if (waits)
        namedEvent(BarrierEvent::What::WaitEnd, id, barrier, threads);
      return !cluster.failed();
    }
    if (!waits)
      return true;
    barrier.waiters.push_back(task.id);
    namedEvent(BarrierEvent::What::WaitBegin, id, barrier, threads);
    cluster.block(task, BlockReason::NamedBarrier, exec.cta.rank, id);
    return false;
  }
};

/// The op's own predicate operand: when false the op and its signals do not happen.
int predicateOperand(Op op) {
  switch (op) {
  case Op::TmaLoad: return 3;
  case Op::TmaGather: return 5;
  case Op::Tcgen05Mma: return 4;
  case Op::Tcgen05MmaScaled: return 6;
  case Op::TdmLoad: return 3;
  default: return -1;
  }
}

bool happens(const Exec &exec) {
  int predicate = predicateOperand(exec.inst.op);
  if (predicate >= 0 && !exec.flag(predicate))
    return false;
  // The first CTA of a cluster asks for all of them.
  if (exec.inst.op == Op::ClcTryCancel && exec.cta.rank % exec.program.facts.clusterDims[0])
    return false;
  return !(exec.forPair() && exec.cta.rank % 2);
}

void EffectRunner::issue() {
  if (task.valueDone || !exec.prepared.insts[exec.pc].async)
    return;
  task.valueDone = true;
  const InstInfo &info = exec.prepared.insts[exec.pc];
  if (!happens(exec)) {
    if (info.commits)
      cluster.commitGroup(exec.task, info.group);
    return;
  }
  std::vector<Signal> barriers = signals();
  AsyncOp &op = cluster.issue(exec.task, exec.pc, exec.inst);
  op.signals = std::move(barriers);
  op.operands.reserve(exec.numOperands());
  for (unsigned i = 0; i < exec.numOperands(); ++i)
    op.operands.push_back(exec.has(i) ? exec.take(i) : Value());
  if (exec.inst.op == Op::WarpGroupDot) {
    // The tile exists from now on and is filled at completion.
    // It takes over the accumulator's elements when nobody else reads them.
    const Type &type = exec.resultType();
    size_t count = type.numElements();
    if (!exec.wantsValues())
      op.result = Value::unknown();
    else if (count > 1 && op.operands[2].count() == count && op.operands[2].isUnique())
      op.result = std::move(op.operands[2]);
    else
      op.result = Value::elements(storeOf(type), count);
    op.result.setPending(op.id);
    exec.out(0, op.result);
  }
  AsyncId id = op.id;
  bool atOnce = exec.program.facts.numCtas > 1 && exec.inst.op == Op::TmaLoad;
  if (info.commits)
    cluster.commitGroup(exec.task, info.group);
  if (cluster.observer())
    cluster.observer()->onAsyncStart({id, exec.task.ref, exec.pc, op.group});
  if (atOnce) // its bytes do not count, see Cluster::barrierExpect
    cluster.complete(id);
}

/// Reading a tile that an asynchronous product has yet to fill.
void checkPendingReads(Exec &exec) {
  if (exec.inst.op == Op::Copy || exec.inst.op == Op::WarpGroupDotWait ||
      exec.inst.op == Op::WarpYield || exec.inst.op == Op::Return)
    return;
  for (unsigned i = 0; i < exec.numOperands(); ++i) {
    if (!exec.has(i) || (exec.inst.op == Op::WarpGroupDot && i == 2))
      continue;
    AsyncId pending = exec.in(i).pending();
    if (pending == noAsync)
      continue;
    auto it = exec.cluster.pending().find(pending);
    Finding finding{Finding::Kind::EarlyRead,
                    "reads a tile before the asynchronous product that fills it is waited for",
                    exec.inst.loc,
                    exec.task.ref,
                    {},
                    1};
    if (it != exec.cluster.pending().end())
      finding.notes.push_back({exec.program.code[it->second.pc].loc, "the product is issued here"});
    exec.cluster.report(std::move(finding));
    exec.cluster.completeThrough(pending);
  }
}

} // namespace

StepStatus Cluster::step(int32_t id) {
  Task &task = *tasks[id];
  if (task.state == Task::State::Finished)
    return StepStatus::Finished;
  if (task.state == Task::State::Blocked)
    return StepStatus::Blocked;
  Pc pc = task.pc;
  const Inst &inst = program().code[pc];
  const InstInfo &info = prepared().insts[pc];
  Exec exec{*this, task, *task.cta, program(), prepared(), inst, pc};

  if (!asyncs.empty() && task.effectIndex == 0 && inst.numOperands)
    checkPendingReads(exec);
  if (inst.op == Op::ArriveBarrierPhase && !task.valueDone) {
    info.handler(exec); // its result is the phase before the arrival
    task.valueDone = true;
  }
  EffectRunner effects(exec);
  if (inst.numEffects && !effects.run())
    return stop ? StepStatus::Failed : StepStatus::Blocked;
  if (info.async)
    effects.issue();
  else if (!task.valueDone && info.handler)
    info.handler(exec);
  else if (!info.handler && inst.op != Op::Sync)
    exec.unsupported("'" + std::string(name(inst.op)) + "' is not supported by the simulator");
  if (stop)
    return StepStatus::Failed;
  if (exec.blocked)
    return StepStatus::Blocked;
  task.effectIndex = 0;
  task.valueDone = false;
  task.waitPassed = false;
  task.pc = exec.next >= 0 ? exec.next : pc + 1;
  if (++task.steps > state.config.stepLimit) {
    exec.fail(Finding::Kind::StepLimit, "'" + task.name + "' has executed " +
                                            std::to_string(task.steps) +
                                            " instructions, the limit");
    return StepStatus::Failed;
  }
  if (watching)
    watching->onInst(task.ref, pc);
  return task.state == Task::State::Finished ? StepStatus::Finished : StepStatus::Ran;
}

} // namespace tlx::sim
