//===- Cluster.cpp - tasks, barriers and asynchronous operations of a cluster ---===//
#include "sim/functional/Cluster.h"

#include "sim/functional/Views.h"

#include <algorithm>

namespace tlx::sim {

Cluster::Cluster(LaunchState &launch, int32_t x, int32_t y, int32_t z, Observer *observer)
    : state(launch), watching(observer) {
  accesses = observer && observer->wantsAccesses();
  const LaunchFacts &facts = program().facts;
  const auto &grid = launch.config.grid;
  for (int32_t rank = 0; rank < facts.clusterSize(); ++rank) {
    Cta cta;
    cta.rank = rank;
    cta.ids[0] = x + rank % facts.clusterDims[0];
    cta.ids[1] = y + rank / facts.clusterDims[0] % facts.clusterDims[1];
    cta.ids[2] = z + rank / (facts.clusterDims[0] * facts.clusterDims[1]);
    cta.linear = cta.ids[0] + grid[0] * (cta.ids[1] + grid[1] * cta.ids[2]);
    cta.shared.resize(prepared().sharedBytes);
    if (prepared().usesTensorMemory)
      cta.tensor.resize(tmemBytes);
    if (launch.config.checkUninitialized) {
      cta.sharedWritten.resize(cta.shared.size());
      cta.tensorWritten.resize(cta.tensor.size());
    }
    cta.scratch = launch.scratch + uint64_t(cta.linear) * prepared().scratchBytes;
    ctas.push_back(std::move(cta));
  }
  for (Cta &cta : ctas) {
    Task &task = newTask(cta, "default", program().functions[0].entry, facts.numWarps, 0);
    for (size_t i = 0; i < program().parameters.size(); ++i)
      task.regs[program().parameters[i].reg] = launch.arguments[i];
    if (watching)
      watching->onTaskStart(task.ref, task.pc);
  }
}

const Program &Cluster::program() const { return state.program; }
const Prepared &Cluster::prepared() const { return state.prepared; }

// --- Tasks
// ----------------------------------------------------------------------------------------

Task &Cluster::newTask(Cta &cta, std::string name, Pc entry, int32_t numWarps, int32_t startWarp) {
  auto task = std::make_unique<Task>();
  task->id = int32_t(tasks.size());
  task->ref = {cta.linear, cta.rank, 0};
  task->cta = &cta;
  task->name = std::move(name);
  task->pc = entry;
  task->numWarps = numWarps;
  task->numThreads = numWarps * program().facts.threadsPerWarp;
  task->startWarp = startWarp;
  task->regs.resize(program().numRegs());
  tasks.push_back(std::move(task));
  ++liveTasks;
  newlyReady.push_back(tasks.back()->id);
  return *tasks.back();
}

void Cluster::startPartitions(Task &task, const Specialize &specialize) {
  int32_t nextWarp = program().facts.numWarps;
  int32_t index = 0;
  for (const Partition &partition : specialize.partitions) {
    int32_t start = partition.startWarp >= 0 ? partition.startWarp : nextWarp;
    nextWarp = start + partition.numWarps;
    Task &started = newTask(*task.cta, partition.name, partition.entry, partition.numWarps, start);
    started.ref.task = ++index;
    started.parent = task.id;
    for (auto [to, from] : partition.captures)
      started.regs[to] = task.regs[from];
    ++task.runningPartitions;
    if (watching)
      watching->onTaskStart(started.ref, started.pc);
  }
}

void Cluster::finish(Task &task) {
  reportUnwaitedStores(task);
  task.state = Task::State::Finished;
  --liveTasks;
  task.regs = {};
  if (watching)
    watching->onTaskEnd(task.ref, task.pc);
  if (task.parent >= 0) {
    Task &parent = *tasks[task.parent];
    if (--parent.runningPartitions == 0 && parent.state == Task::State::Blocked &&
        parent.block.reason == BlockReason::Join)
      wake(parent.id);
    return;
  }
  task.cta->exited = true;
  settleCluster();
}

void Cluster::block(Task &task, BlockReason reason, int32_t rank, int64_t id) {
  task.state = Task::State::Blocked;
  task.block = {task.ref, task.pc, reason, rank, id};
  if (watching)
    watching->onBlock(task.block);
}

void Cluster::wake(int32_t id) {
  Task &task = *tasks[id];
  task.state = Task::State::Ready;
  task.waitPassed = true;
  newlyReady.push_back(id);
  if (watching)
    watching->onWake(task.block);
}

/// The same thing at the same place by the same task is one finding with a count.
static void addTo(std::vector<Finding> &list, Finding finding, size_t most) {
  for (Finding &known : list)
    if (known.kind == finding.kind && known.loc == finding.loc &&
        known.by.task == finding.by.task && known.by.rank == finding.by.rank) {
      ++known.count;
      return;
    }
  if (list.size() < most)
    list.push_back(std::move(finding));
}

void Cluster::report(Finding finding, bool fatal) {
  stop |= fatal;
  addTo(findings, std::move(finding), size_t(state.config.maxFindings));
}

void Cluster::warn(Finding finding) {
  addTo(warnings, std::move(finding), size_t(state.config.maxFindings));
}

Cta *Cluster::ctaOf(const MemRef &ref, const Cta &from) {
  int32_t rank = ref.rank < 0 ? from.rank : ref.rank;
  return rank < int32_t(ctas.size()) ? &ctas[rank] : nullptr;
}

// --- mbarriers
// --------------------------------------------------------------------------------------

static std::string hexOffset(int64_t offset) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", (long long)offset);
  return text;
}

BarrierCell *Cluster::mbarrier(int32_t rank, int64_t offset, const Task &by, Pc pc,
                               const char *what) {
  auto problem = [&](std::string text) {
    report({Finding::Kind::BarrierMisuse, std::move(text), program().code[pc].loc, by.ref, {}, 1},
           true);
    return nullptr;
  };
  if (rank < 0 || rank >= int32_t(ctas.size()))
    return problem(std::string(what) + " names CTA rank " + std::to_string(rank) +
                   " of a cluster of " + std::to_string(ctas.size()));
  if (offset < 0 || offset + 8 > int64_t(ctas[rank].shared.size()))
    return problem(std::string(what) + " on an mbarrier outside shared memory, at byte " +
                   std::to_string(offset) + " of " + std::to_string(ctas[rank].shared.size()));
  BarrierCell &barrier = ctas[rank].mbarriers[offset];
  if (!barrier.state.valid && std::strcmp(what, "init") != 0)
    return problem(std::string(what) + " on an mbarrier that " +
                   (barrier.invalidated ? "was invalidated" : "was never initialised") +
                   ", at byte " + hexOffset(offset) + " of CTA " + std::to_string(rank));
  return &barrier;
}

void Cluster::barrierEvent(BarrierEvent::What what, BarrierCell &barrier, int32_t rank,
                           int64_t offset, int64_t amount, const Task &by, Pc pc, AsyncId async,
                           bool partial) {
  if (what == BarrierEvent::What::Init || what == BarrierEvent::What::Inval)
    barrier.remember({what, by.ref, pc, amount, barrier.state.generation});
  if (!watching)
    return;
  BarrierEvent event;
  event.what = what;
  event.by = by.ref;
  event.async = async;
  event.pc = pc;
  event.rank = rank;
  event.id = offset;
  event.amount = amount;
  event.phase = barrier.state.parity();
  event.generation = barrier.state.generation;
  event.pending = barrier.state.pending;
  event.txBytes = barrier.state.txBytes;
  event.partial = partial;
  watching->onBarrier(event);
}

void Cluster::flipped(BarrierCell &barrier, int32_t rank, int64_t offset, const Task &by, Pc pc,
                      AsyncId async) {
  barrierEvent(BarrierEvent::What::Flip, barrier, rank, offset, 0, by, pc, async);
  if (!barrier.released.empty()) {
    const Task &late = *tasks[barrier.released.front()];
    Finding finding{Finding::Kind::LostPhase,
                    "a second phase of the mbarrier completes before '" + late.name +
                        "' has seen the one it waited for: the wait could hang or pass too early",
                    program().code[late.pc].loc,
                    late.ref,
                    {},
                    1};
    finding.notes.push_back(
        {program().code[pc].loc, "the second phase completes here, by '" + by.name + "'"});
    report(std::move(finding));
    barrier.released.clear();
  }
  for (int32_t waiter : std::exchange(barrier.waiters, {})) {
    barrier.released.push_back(waiter);
    wake(waiter);
  }
}

void Cluster::barrierArrive(int32_t rank, int64_t offset, int64_t amount, const Task &by, Pc pc,
                            AsyncId async, bool partial) {
  BarrierCell *barrier = mbarrier(rank, offset, by, pc, "arrive");
  if (!barrier || amount == 0)
    return;
  Mbarrier &state = barrier->state;
  if (amount > state.pending) {
    Finding finding{Finding::Kind::OverArrival,
                    std::to_string(amount) + " arrival" + (amount == 1 ? "" : "s") +
                        " on an mbarrier whose phase expects " + std::to_string(state.pending) +
                        " more of " + std::to_string(state.count),
                    program().code[pc].loc,
                    by.ref,
                    {},
                    1};
    for (const BarrierCell::Past &past : barrier->history)
      if (past.generation == state.generation && past.what == BarrierEvent::What::Arrive)
        finding.notes.push_back(
            {program().code[past.pc].loc, std::to_string(past.amount) + " arrived in this phase"});
    report(std::move(finding));
    amount = state.pending;
  }
  int64_t generation = state.generation;
  bool flips = state.arrive(amount);
  barrier->remember({BarrierEvent::What::Arrive, by.ref, pc, amount, generation});
  barrierEvent(BarrierEvent::What::Arrive, *barrier, rank, offset, amount, by, pc, async, partial);
  if (flips)
    flipped(*barrier, rank, offset, by, pc, async);
}

void Cluster::barrierExpect(int32_t rank, int64_t offset, int64_t bytes, const Task &by, Pc pc,
                            bool partial) {
  BarrierCell *barrier = mbarrier(rank, offset, by, pc, "expect");
  if (!barrier)
    return;
  // CTAs that share a program's tiles: each expects its part, the whole tile comes at once.
  if (program().facts.numCtas > 1)
    bytes = 0;
  int64_t generation = barrier->state.generation;
  bool flips = barrier->state.expect(bytes);
  barrier->remember({BarrierEvent::What::Expect, by.ref, pc, bytes, generation});
  barrierEvent(BarrierEvent::What::Expect, *barrier, rank, offset, bytes, by, pc, noAsync, partial);
  if (flips)
    flipped(*barrier, rank, offset, by, pc, noAsync);
}

void Cluster::barrierComplete(int32_t rank, int64_t offset, int64_t bytes, const Task &by, Pc pc,
                              AsyncId async) {
  BarrierCell *barrier = mbarrier(rank, offset, by, pc, "complete_tx");
  if (!barrier)
    return;
  if (program().facts.numCtas > 1)
    bytes = 0;
  int64_t generation = barrier->state.generation;
  bool flips = barrier->state.complete(bytes);
  barrier->remember({BarrierEvent::What::Complete, by.ref, pc, bytes, generation});
  barrierEvent(BarrierEvent::What::Complete, *barrier, rank, offset, bytes, by, pc, async);
  if (flips)
    flipped(*barrier, rank, offset, by, pc, async);
}

// --- The cluster barrier
// -------------------------------------------------------------------------------

int64_t Cluster::clusterThreads() const {
  int64_t threads = 0;
  for (const Cta &cta : ctas)
    if (!cta.exited)
      threads += prepared().totalThreads;
  return threads;
}

void Cluster::clusterArrive(Task &task) {
  // Outside warp_specialize the op stands for all warps of the CTA.
  bool whole = task.parent < 0 && task.specialize < 0;
  task.clusterArrivals = clusterBarrier.generation + 1;
  clusterBarrier.arrived += whole ? prepared().totalThreads : task.numThreads;
  settleCluster();
}

void Cluster::settleCluster() {
  int64_t expected = clusterThreads();
  if (expected == 0 || clusterBarrier.arrived < expected)
    return;
  clusterBarrier.arrived -= expected;
  ++clusterBarrier.generation;
  for (int32_t waiter : std::exchange(clusterBarrier.waiters, {}))
    wake(waiter);
}

bool Cluster::clusterPassed(const Task &task) const {
  return clusterBarrier.generation >= task.clusterArrivals;
}

void Cluster::waitForCluster(Task &task) {
  clusterBarrier.waiters.push_back(task.id);
  block(task, BlockReason::ClusterBarrier, task.cta->rank, 0);
}

// --- Asynchronous operations
// ------------------------------------------------------------------------------

/// cp.async and AMD's direct-to-LDS loads are counted in the same groups.
static sync::Group queueOf(sync::Group group) {
  return group == sync::Group::AmdAsync ? sync::Group::CpAsync : group;
}

AsyncOp &Cluster::issue(Task &task, Pc pc, const Inst &inst) {
  const InstInfo &info = prepared().insts[pc];
  AsyncId id = nextAsync++;
  AsyncOp &op = asyncs[id];
  op.id = id;
  op.task = task.id;
  op.pc = pc;
  op.group = queueOf(info.group);
  op.inOrder = op.group == sync::Group::Wgmma || op.group == sync::Group::Tcgen05 ||
               op.group == sync::Group::Tdm;
  op.hasValue = info.handler != nullptr;
  GroupQueue &queue = task.groups[unsigned(op.group)];
  queue.lastIssue = pc;
  if (op.inOrder)
    queue.inOrder.push_back(id);
  // A commit and an arrival on completion wait for a group without being part of it.
  op.counted = op.hasValue && op.group != sync::Group::None && op.group != sync::Group::Tcgen05;
  if (op.counted) {
    ++queue.open;
    queue.openOps.push_back(id);
  }
  return op;
}

void Cluster::commitGroup(Task &task, sync::Group group) {
  GroupQueue &queue = task.groups[unsigned(queueOf(group))];
  int64_t sequence = queue.firstSequence + int64_t(queue.unfinished.size());
  for (AsyncId id : queue.openOps)
    if (auto it = asyncs.find(id); it != asyncs.end())
      it->second.groupSequence = sequence;
  queue.unfinished.push_back(queue.open);
  queue.open = 0;
  queue.openOps.clear();
  while (!queue.unfinished.empty() && queue.unfinished.front() == 0) {
    queue.unfinished.pop_front();
    ++queue.firstSequence;
  }
}

bool Cluster::groupsPending(const Task &task, sync::Group group, int64_t allowed) const {
  const GroupQueue &queue = task.groups[unsigned(queueOf(group))];
  if (group == sync::Group::Tcgen05)
    return int64_t(queue.inOrder.size()) > allowed;
  for (int64_t i = 0; i + allowed < int64_t(queue.unfinished.size()); ++i)
    if (queue.unfinished[i])
      return true;
  return false;
}

bool Cluster::completable(const AsyncOp &op) const {
  if (!op.inOrder && op.hasValue)
    return true;
  if (!op.inOrder) {
    // An arrival that waits for the copies issued before it.
    for (const auto &[id, other] : asyncs) {
      if (id >= op.id)
        return true;
      if (other.task == op.task && other.group == op.group)
        return false;
    }
    return true;
  }
  return tasks[op.task]->groups[unsigned(op.group)].inOrder.front() == op.id;
}

std::vector<AsyncId> Cluster::completableOps() const {
  std::vector<AsyncId> ids;
  for (const auto &[id, op] : asyncs)
    if (completable(op))
      ids.push_back(id);
  return ids;
}

void Cluster::complete(AsyncId id) {
  auto it = asyncs.find(id);
  if (it == asyncs.end())
    return;
  AsyncOp op = std::move(it->second);
  asyncs.erase(it);
  Task &task = *tasks[op.task];
  const Inst &inst = program().code[op.pc];
  if (op.hasValue) {
    Exec exec{*this, task, *task.cta, program(), prepared(), inst, op.pc, &op};
    noteDeclared(exec, sync::Moment::Completion);
    prepared().insts[op.pc].handler(exec);
  }
  op.result.setPending(noAsync);
  for (const Signal &signal : op.signals) {
    if (signal.kind == sync::Kind::BarrierComplete)
      barrierComplete(signal.rank, signal.offset, signal.amount, task, op.pc, op.id);
    else
      barrierArrive(signal.rank, signal.offset, signal.amount, task, op.pc, op.id);
  }
  GroupQueue &queue = task.groups[unsigned(op.group)];
  if (op.inOrder)
    queue.inOrder.pop_front();
  if (op.counted) {
    if (op.groupSequence < 0) {
      --queue.open;
      std::erase(queue.openOps, id);
    } else {
      --queue.unfinished[op.groupSequence - queue.firstSequence];
      while (!queue.unfinished.empty() && queue.unfinished.front() == 0) {
        queue.unfinished.pop_front();
        ++queue.firstSequence;
      }
    }
  }
  if (watching)
    watching->onAsyncEnd({op.id, task.ref, op.pc, op.group});
  if (task.state == Task::State::Blocked && task.block.reason == BlockReason::AsyncGroup &&
      !groupsPending(task, task.waitGroup, task.waitAmount))
    wake(task.id);
}

void Cluster::completeThrough(AsyncId id) {
  auto it = asyncs.find(id);
  if (it == asyncs.end())
    return;
  Task &task = *tasks[it->second.task];
  sync::Group group = it->second.group;
  if (!it->second.inOrder)
    return complete(id);
  GroupQueue &queue = task.groups[unsigned(group)];
  while (!queue.inOrder.empty() && queue.inOrder.front() <= id)
    complete(queue.inOrder.front());
}

} // namespace tlx::sim
