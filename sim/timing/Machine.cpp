// Launch, CTAs and accounting.
#include "sim/timing/Machine.h"
#include "sim/timing/Sensitivity.h"
#include "sim/timing/Strides.h"

#include <algorithm>
#include <cmath>

namespace tlx::sim {

/// Waves of a large grid that are simulated.
static constexpr int64_t SimulatedWaves = 32;

TimingMachine::Costs TimingMachine::Costs::of(const Chip &chip) {
  Costs c;
  auto at = [&](Param param) { return chip.cycles(param); };
  c.aluLatency = at(Param::PipeAluLatency);
  c.fp64Latency = at(Param::PipeFp64Latency);
  c.shuffleLatency = at(Param::PipeShuffleLatency);
  c.divide = at(Param::ScalarDivide);
  c.branch = at(Param::ScalarBranch);
  c.smemLoad = at(Param::SmemLoadLatency);
  c.smemStore = at(Param::SmemStoreLatency);
  c.smemAtomic = at(Param::SmemAtomic);
  c.l2Atomic = at(Param::L2AtomicLatency);
  c.atomicSameFloat = chip[Param::L2AtomicSameFloat];
  c.atomicSameInt = chip[Param::L2AtomicSameInt];
  c.l1Hit = at(Param::L1HitLatency);
  c.fenceSystem = at(Param::FenceSystem);
  c.descriptorMake = at(Param::TmaDescriptorMake);
  c.tmaIssue = at(Param::TmaIssue);
  c.mmaWait = at(Param::MmaWait);
  c.mmaSyncLatency = at(Param::MmaSyncLatency);
  c.mbarrierInit = at(Param::MbarrierInit);
  c.mbarrierArrive = at(Param::MbarrierArrive);
  c.mbarrierLand = at(Param::MbarrierLand);
  c.mbarrierExpect = at(Param::MbarrierExpect);
  c.mbarrierReady = at(Param::MbarrierReady);
  c.mbarrierWake = at(Param::MbarrierWake);
  c.barLatency = at(Param::BarLatency);
  c.barIssue = at(Param::BarIssue);
  c.fenceProxy = at(Param::FenceProxy);
  c.fenceGpu = at(Param::FenceGpu);
  c.clusterStore = at(Param::ClusterStore);
  c.clusterStoreAsync = at(Param::ClusterStoreAsync);
  c.syncRatio = chip[Param::MmaF16Flops] / chip[Param::MmaSyncFlops];
  c.clusterBarrier = at(Param::ClusterBarrier);
  c.clusterArrive = at(Param::ClusterArrive);
  c.ctaStart = at(Param::LaunchCtaStart);
  c.turnaround = at(Param::LaunchCtaTurnaround);
  c.perWarp = at(Param::LaunchPerWarp);
  c.ctaExit = at(Param::LaunchCtaExit);
  c.fork = at(Param::LaunchFork);
  c.join = at(Param::LaunchJoin);
  c.setRegisters = at(Param::LaunchSetRegisters);
  c.tcgenCommit = at(Param::TcgenCommit);
  c.tcgenPair = at(Param::TcgenPairExtra);
  c.tcgenSmem = at(Param::TcgenSmemOperand);
  c.tmemLoad = at(Param::TmemLoadLatency);
  c.tmemStore = at(Param::TmemStoreLatency);
  c.tmemAlloc = at(Param::TmemAlloc);
  c.clc = at(Param::ClcLatency);
  c.tcgenCopyBytesPerClk = std::max(1.0, chip[Param::TcgenCopyBytesPerClk]);
  c.warpInterval = chip[Param::SmWarpInterval];
  c.coldClocksPerInst = chip[Param::CodeBytesPerInst] / chip[Param::CodeColdBytesPerClk];
  c.warpSize = int(chip.integer(Param::SmWarpSize));
  c.partitions = int(chip.integer(Param::SmPartitions));
  return c;
}

TimingMachine::TimingMachine(const Program &program, const TimingLaunch &launch, const Chip &chip,
                             const TimingOptions &options)
    : program(program), launch(launch), chip(chip), options(options), costs(Costs::of(chip)) {}

TimingMachine::~TimingMachine() = default;

SourceLocation TimingMachine::sourceOf(Pc pc) const {
  LocId loc = pc >= 0 && size_t(pc) < program.code.size() ? program.code[pc].loc : -1;
  if (loc < 0 || size_t(loc) >= program.locations.size())
    return {};
  const Location &l = program.locations[loc];
  return {l.file, unsigned(std::max(0, l.line)), unsigned(std::max(0, l.column))};
}

Error TimingMachine::errorAt(const TimedTask &task, const std::string &message) const {
  return Error(message + " (CTA " + std::to_string(task.cta->index) + ", " +
                   taskStats[task.stat].name + ", cycle " + std::to_string(task.clock) + ")",
               sourceOf(task.pc), {}, ExitCode::Violated);
}

void TimingMachine::fail(Error error) {
  if (!failure)
    failure = std::move(error);
}

Result<void> TimingMachine::checkArguments() const {
  for (int axis = 0; axis < 3; ++axis)
    if (launch.grid[axis] < 1)
      return Error("the grid has no CTAs: " + std::to_string(launch.grid[0]) + " x " +
                   std::to_string(launch.grid[1]) + " x " + std::to_string(launch.grid[2]));
  for (const Parameter &parameter : program.parameters)
    if (parameter.argument >= int32_t(launch.arguments.size()))
      return Error("the launch gives " + std::to_string(launch.arguments.size()) +
                   " arguments; parameter '" + parameter.name + "' of the kernel is argument " +
                   std::to_string(parameter.argument));
  return {};
}

Result<void> TimingMachine::prepare() {
  if (Result<void> fits = checkArguments(); !fits)
    return fits;
  Result<std::vector<Work>> decoded = decodeWork(program);
  if (!decoded)
    return std::move(decoded).error();
  work = std::move(*decoded);
  if (!chip.isAmd())
    countAccesses(program, launch, work);

  // Storage that the exporter has not placed gets a place of its own.
  int64_t sharedEnd = 0, tensorEnd = 0;
  for (const Allocation &allocation : program.allocations) {
    int64_t &end = allocation.space == sync::Space::Tensor ? tensorEnd : sharedEnd;
    int64_t alignment = std::max<int64_t>(1, allocation.alignment);
    int64_t offset =
        allocation.offset >= 0 ? allocation.offset : (end + alignment - 1) / alignment * alignment;
    allocationOffsets.push_back(offset);
    end = std::max(end, offset + allocation.bytes);
  }
  sharedBytes = launch.sharedBytes > 0 ? launch.sharedBytes : sharedEnd;
  tensorColumns = tensorEnd % tmemLaneBytes / 4;
  if (tensorEnd > 0 && tensorColumns == 0)
    tensorColumns = tmemLaneBytes / 4;
  loopExit.assign(program.code.size(), false);
  for (const Loop &loop : program.loops)
    for (Pc pc = loop.head; pc >= 0 && pc < loop.exit && size_t(pc) < program.code.size(); ++pc)
      if (program.code[pc].op == Op::CondBr &&
          program.edges[program.code[pc].edge + 1].target == loop.exit)
        loopExit[pc] = true;

  totalWarps = launch.totalWarps;
  if (totalWarps == 0)
    totalWarps = program.launchedWarps();

  int64_t numCtas = std::max(1, program.facts.numCtas);
  for (int axis = 0; axis < 3; ++axis) {
    clusterDims[axis] = std::max(1, launch.cluster[axis] > 0 ? launch.cluster[axis]
                                                             : program.facts.clusterDims[axis]);
    ctaGrid[axis] = launch.grid[axis] * (axis == 0 ? numCtas : 1);
  }
  clusterDims[0] = std::max(clusterDims[0], numCtas);
  int64_t clusterCount = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (ctaGrid[axis] % clusterDims[axis])
      return Error("the grid's extent " + std::to_string(ctaGrid[axis]) +
                   " is no multiple of the cluster's " + std::to_string(clusterDims[axis]));
    clusterCount *= ctaGrid[axis] / clusterDims[axis];
  }

  // Without a figure from the compiler: what the tiles need, as far as it fits.
  if (!chip.isAmd())
    estimates = estimateRegisters(program, work, totalWarps, chip.integer(Param::SmRegisters),
                                  costs.warpSize);
  for (const RegisterEstimate &e : estimates)
    for (const Spill &spill : e.spills) {
      work[spill.pc].spillStores = spill.stored;
      work[spill.pc].spillLoads = spill.loaded;
    }
  int registers = launch.registersPerThread;
  if (registers == 0 && !chip.isAmd())
    registers = launchRegisters(estimates);
  CtaScheduler::Demand demand{sharedBytes, totalWarps, costs.warpSize, registers};
  Result<CtaScheduler> created =
      CtaScheduler::create(CtaScheduler::Spec::of(chip), demand, clusterCount,
                           int(clusterDims[0] * clusterDims[1] * clusterDims[2]));
  if (!created)
    return std::move(created).error();
  totalClusters = simulatedClusters = clusterCount;
  int64_t clusterSize = clusterDims[0] * clusterDims[1] * clusterDims[2];
  int64_t wave =
      std::max<int64_t>(1, chip.integer(Param::SmCount) * created->occupancy() / clusterSize);
  bool counts = std::none_of(program.code.begin(), program.code.end(), [](const Inst &inst) {
    return inst.op == Op::ClcTryCancel; // what is granted depends on what is left
  });
  // The first waves tell how fast the others follow.
  if (counts && clusterCount > 2 * SimulatedWaves * wave) {
    simulatedClusters = SimulatedWaves * wave;
    steadyFirst = simulatedClusters / 4;
    steadyLast = simulatedClusters - wave;
    created = CtaScheduler::create(CtaScheduler::Spec::of(chip), demand, simulatedClusters,
                                   int(clusterSize));
  }
  scheduler = std::move(*created);

  MemorySystem::Spec memorySpec = MemorySystem::Spec::of(chip);
  // CTAs that share an SM delay each other, like steps of a random walk: fewer requests meet.
  int64_t perSm = (clusterCount * clusterSize + chip.integer(Param::SmCount) - 1) /
                  chip.integer(Param::SmCount);
  memorySpec.drift = std::llround(double(memorySpec.drift) *
                                  std::sqrt(std::min<int64_t>(scheduler->occupancy(), perSm)));
  memory = std::make_unique<MemorySystem>(memorySpec);
  // Each half of L2 keeps copies of what its SMs read from the others' homes.
  int64_t parts = chip.integer(Param::L2Partitions);
  int64_t room = launch.footprintBytes * (2 * parts - 1) / parts;
  if (options.warm && launch.footprintBytes > 0 && room <= chip.integer(Param::L2Bytes)) {
    memory->assumeWarm();
    note("the data of this launch fit in L2 and are taken to be there");
  } else if (options.warm) {
    memory->assumeDirty();
  }
  SubPartition::Spec partition = SubPartition::Spec::of(chip);
  TmaEngine::Spec tma = TmaEngine::Spec::of(chip);
  TensorCore::Spec tensor = TensorCore::Spec::of(chip);
  for (int i = 0; i < int(chip.integer(Param::SmCount)); ++i) {
    auto sm = std::make_unique<TimedSm>();
    sm->partitions.assign(costs.partitions, SubPartition(partition));
    sm->smem = SharedMemoryPort(chip[Param::SmemBytesPerClk]);
    sm->l1Lines = Port(chip[Param::L1LinesPerClk]);
    sm->tmemRead = Port(std::max(1.0, chip[Param::TmemReadBytesPerClk]));
    sm->tmemWrite = Port(std::max(1.0, chip[Param::TmemWriteBytesPerClk]));
    sm->clusterOut = Port(std::max(1.0, chip[Param::ClusterBytesPerClk]));
    sm->tensorCore = std::make_unique<TensorCore>(tensor);
    sm->tma = std::make_unique<TmaEngine>(tma, i, *memory);
    cachedBytes = chip.integer(Param::L1Bytes) - (chip.isAmd() ? 0 : sharedBytes);
    if (cachedBytes > 0)
      sm->l1 = std::make_unique<L2Cache>(cachedBytes);
    sm->codeSeen.assign(program.code.size(), false);
    if (hooked(i)) {
      sm->tmaTrack = newTrack(TrackKind::Tma, i, -1, "TMA engine");
      sm->tensorTrack = newTrack(TrackKind::TensorCore, i, -1, "tensor core");
      sm->smemTrack = newTrack(TrackKind::SmemPort, i, -1, "shared-memory port");
      if (chip[Param::SmTmemColumns] > 0)
        sm->tmemTrack = newTrack(TrackKind::TmemPort, i, -1, "tensor-memory port");
    }
    sms.push_back(std::move(sm));
  }
  stallTable.assign(program.code.size(), {});
  return {};
}

// --- CTAs and tasks --------------------------------------------------------------

void TimingMachine::placeCtas(Cycles now) {
  for (;;) {
    CtaScheduler::Placement placement = scheduler->next(now);
    if (placement.cluster < 0)
      return;
    startCluster(placement);
  }
}

/// Place in the launched grid of the first CTA of a cluster.
std::array<int64_t, 3> TimingMachine::firstCta(int64_t cluster) const {
  int64_t perRow = ctaGrid[0] / clusterDims[0], perPlane = perRow * (ctaGrid[1] / clusterDims[1]);
  return {cluster % perRow * clusterDims[0], cluster % perPlane / perRow * clusterDims[1],
          cluster / perPlane * clusterDims[2]};
}

void TimingMachine::startCluster(const CtaScheduler::Placement &placement) {
  if (placement.cluster == steadyFirst)
    steadyFrom = placement.time;
  if (placement.cluster == steadyLast)
    steadyTo = placement.time;
  auto cluster = std::make_unique<TimedCluster>();
  cluster->index = placement.cluster;
  std::array<int64_t, 3> base = firstCta(placement.cluster);
  for (int rank = 0; rank < int(placement.sms.size()); ++rank) {
    auto cta = std::make_unique<TimedCta>();
    cta->rank = rank;
    cta->sm = placement.sms[rank];
    cta->id = {base[0] + rank % clusterDims[0], base[1] + rank / clusterDims[0] % clusterDims[1],
               base[2] + rank / (clusterDims[0] * clusterDims[1])};
    cta->index = cta->id[0] + ctaGrid[0] * (cta->id[1] + ctaGrid[1] * cta->id[2]);
    cta->cluster = cluster.get();
    cta->started = placement.time;
    TimedSm &sm = *sms[cta->sm];
    if (sm.residentCtas++ == 0)
      sm.activeSince = placement.time;
    cluster->ctas.push_back(std::move(cta));
  }
  for (auto &cta : cluster->ctas) {
    startTask(*cta, 0, program.functions[0].entry, program.facts.numWarps, 0,
              placement.time + costs.ctaStart + costs.perWarp * totalWarps);
    setParameters(*cta->tasks[0]);
  }
  clusters.push_back(std::move(cluster));
}

void TimingMachine::startTask(TimedCta &cta, int index, Pc entry, int warps, int firstWarp,
                              Cycles when) {
  auto task = std::make_unique<TimedTask>();
  task->machine = this;
  task->cta = &cta;
  task->index = index;
  task->warps = std::max(1, warps);
  task->firstPartition = firstWarp % costs.partitions;
  task->pc = entry;
  task->clock = task->started = task->progressSince = when;
  task->slots.assign(program.numRegs(), Slot());
  std::string name = "main";
  if (index > 0) {
    name = "partition " + std::to_string(index - 1);
    for (const Specialize &special : program.specializes)
      for (const Partition &partition : special.partitions)
        if (partition.entry == entry && !partition.name.empty())
          name = partition.name;
  } else if (!program.specializes.empty()) {
    name = "default";
  }
  size_t stat = 0;
  while (stat < taskStats.size() && taskStats[stat].name != name)
    ++stat;
  if (stat == taskStats.size())
    taskStats.push_back({name, 0, {}});
  task->stat = int(stat);
  if (hooked(cta.sm))
    task->track = newTrack(TrackKind::Task, cta.sm, cta.index, name);
  queue.schedule(when, *task);
  cta.tasks.push_back(std::move(task));
}

void TimingMachine::setParameters(TimedTask &task) {
  for (const Parameter &parameter : program.parameters) {
    if (parameter.argument < 0)
      continue;
    const TimingArgument &argument = launch.arguments[parameter.argument];
    Slot &slot = task.slots[parameter.reg];
    size_t dim = size_t(std::max(0, parameter.dimension));
    switch (parameter.field) {
    case Parameter::Field::Value: slot.bits = argument.bits; break;
    case Parameter::Field::DescShape:
      slot.bits = dim < argument.shape.size() ? argument.shape[dim] : 0;
      break;
    case Parameter::Field::DescStride:
      slot.bits = dim < argument.strides.size() ? argument.strides[dim] : 0;
      break;
    }
  }
}

void TimingMachine::finishTask(TimedTask &task) {
  task.finished = true;
  TaskStat &stat = taskStats[task.stat];
  stat.total += task.clock - task.started;
  if (task.track != NoTrack && task.clock > task.progressSince)
    options.hooks->onTask({task.track, task.progressSince, task.clock, Reason::None,
                           uint32_t(program.code[task.pc].loc),
                           uint32_t(program.code[task.pc].op)});
  std::vector<Slot>().swap(task.slots);
  if (task.index == 0)
    return;
  TimedTask &parent = *task.cta->tasks[0];
  if (--parent.joinsLeft == 0 && parent.sleepReason == Reason::Join)
    wake(parent, task.clock);
}

void TimingMachine::finishCta(TimedTask &task) {
  TimedCta &cta = *task.cta;
  finishTask(task);
  Cycles end = task.clock + costs.ctaExit;
  cta.exited = true;
  ++ctasDone;
  if (options.progress)
    options.progress->done = ctasDone;
  lastEnd = std::max(lastEnd, end);
  TimedSm &sm = *sms[cta.sm];
  if (--sm.residentCtas == 0)
    sm.active += end - sm.activeSince;
  scheduler->release(cta.sm);
  TimedCluster *cluster = cta.cluster;
  if (++cluster->exited == int(cluster->ctas.size()) && !options.hooks && clusters.size() > 4096)
    std::erase_if(clusters, [&](auto &c) {
      return c.get() != cluster && c->exited == int(c->ctas.size()) && c->outstanding == 0;
    });
  placeCtas(end + costs.turnaround);
}

// --- Accounting ------------------------------------------------------------------

void TimingMachine::block(TimedTask &task, Reason reason, Cycles from, Cycles to, int64_t detail) {
  if (to <= from)
    return;
  stallTable[task.pc][unsigned(reason)] += to - from;
  taskStats[task.stat].blocked[unsigned(reason)] += to - from;
  if (task.track != NoTrack) {
    const Inst &inst = program.code[task.pc];
    if (from > task.progressSince)
      options.hooks->onTask({task.track, task.progressSince, from, Reason::None, uint32_t(inst.loc),
                             uint32_t(inst.op)});
    options.hooks->onTask(
        {task.track, from, to, reason, uint32_t(inst.loc), uint32_t(inst.op), detail});
  }
  task.progressSince = to;
}

void TimingMachine::sleep(TimedTask &task, Reason reason, int64_t detail) {
  task.sleepReason = reason;
  task.sleepSince = task.clock;
  task.sleepDetail = detail;
}

void TimingMachine::wake(TimedTask &task, Cycles when) {
  block(task, task.sleepReason, task.sleepSince, when, task.sleepDetail);
  task.sleepReason = Reason::None;
  task.clock = when;
  queue.schedule(when, task);
}

TrackId TimingMachine::newTrack(TrackKind kind, int sm, int64_t cta, std::string name) {
  options.hooks->onTrack(nextTrack, {kind, sm, cta, std::move(name)});
  return nextTrack++;
}

void TimingMachine::unitInterval(TrackId track, Cycles begin, Cycles end, Pc pc, int64_t detail) {
  if (track == NoTrack || end <= begin)
    return;
  const Inst &inst = program.code[pc];
  options.hooks->onUnit(
      {track, begin, end, Reason::None, uint32_t(inst.loc), uint32_t(inst.op), detail});
}

// --- The run ---------------------------------------------------------------------

Error TimingMachine::deadlock() {
  std::optional<Error> error;
  for (auto &cluster : clusters)
    for (auto &cta : cluster->ctas)
      for (auto &task : cta->tasks) {
        if (task->finished || cta->exited)
          continue;
        std::string where = taskStats[task->stat].name + " of CTA " + std::to_string(cta->index) +
                            " waits here for " + name(task->sleepReason);
        if (task->sleepReason == Reason::Mbarrier) {
          int64_t offset = task->sleepDetail & ((int64_t(1) << 48) - 1);
          const Mbarrier &state = ctaOf(*task, task->sleepDetail)->mbarriers[offset].state;
          where += " " + barrierName(offset) + ": phase " + std::to_string(state.generation) +
                   ", " + std::to_string(state.pending) + " of " + std::to_string(state.count) +
                   " arrivals and " + std::to_string(state.txBytes) + " bytes outstanding";
        } else if (task->sleepReason == Reason::NamedBarrier) {
          where += " " + std::to_string(task->sleepDetail) + ": " +
                   std::to_string(cta->named[task->sleepDetail].arrived) + " threads have arrived";
        }
        if (!error)
          error = Error("deadlock at cycle " + std::to_string(queue.now()) + ": no task can go on",
                        sourceOf(task->pc), {}, ExitCode::Violated);
        if (error->notes.size() < 16)
          error->notes.push_back({sourceOf(task->pc), where});
      }
  return error ? *error : Error::internal("the simulation stopped without a task that waits");
}

Result<TimingReport> TimingMachine::run() {
  if (Result<void> ready = prepare(); !ready)
    return std::move(ready).error();
  if (options.progress)
    options.progress->begin("timing",
                            simulatedClusters * clusterDims[0] * clusterDims[1] * clusterDims[2]);
  placeCtas(0);
  uint64_t events = queue.run();
  if (failure)
    return *failure;
  int64_t clusterSize = clusterDims[0] * clusterDims[1] * clusterDims[2];
  if (ctasDone < simulatedClusters * clusterSize)
    return deadlock();
  TimingReport result = report();
  if (simulatedClusters < totalClusters)
    extrapolate(result);
  result.events = events;
  return result;
}

/// The clusters that were not simulated follow at the rate of the steady waves.
void TimingMachine::extrapolate(TimingReport &r) {
  double perCluster = double(steadyTo - steadyFrom) / double(steadyLast - steadyFirst);
  Cycles more = std::llround(perCluster * double(totalClusters - simulatedClusters));
  double times = double(totalClusters) / double(simulatedClusters);
  r.cycles += more;
  r.nanoseconds = double(r.cycles) * 1e3 / r.clockMhz;
  r.smActive += double(more);
  r.flops *= times;
  r.l2Bytes = std::llround(double(r.l2Bytes) * times);
  r.hbmBytes = std::llround(double(r.hbmBytes) * times);
  r.ctas = std::llround(double(r.ctas) * times);
  r.notes.push_back(
      "the first " + std::to_string(SimulatedWaves) +
      " waves are simulated, the rest is extrapolated: " + std::to_string(simulatedClusters) +
      " of " + std::to_string(totalClusters) + " clusters of CTAs");
}

TimingReport TimingMachine::report() {
  TimingReport r;
  r.chip = chip.name();
  r.clockMhz = chip[Param::ClockMhz];
  // The launch's own cycles cover the round trip of its last writes.
  Cycles body =
      std::max(lastEnd, lastWrite - chip.cycles(Param::L2HitLatency) -
                            chip.cycles(Param::L2FarLatency) - chip.cycles(Param::L2HitLatency));
  r.cycles = body + chip.cycles(Param::LaunchBase) +
             std::llround(chip[Param::LaunchPerSmemKib] * double(sharedBytes) / 1024);
  r.nanoseconds = double(r.cycles) * 1e3 / r.clockMhz;
  Cycles active = 0, tensor = 0, smem = 0, issue = 0;
  for (auto &sm : sms) {
    active += sm->active;
    tensor += sm->tensorCore->busy();
    smem += sm->smem.busy();
    for (SubPartition &partition : sm->partitions)
      issue += partition.issueBusy();
  }
  double activeCycles = std::max(1.0, double(active));
  r.smActive = double(active) / double(sms.size());
  r.tensorUtilisation = double(tensor) / activeCycles;
  r.smemUtilisation = double(smem) / activeCycles;
  r.issueUtilisation = double(issue) / activeCycles / costs.partitions;
  r.l2Bytes = memory->l2Traffic();
  r.hbmBytes = memory->hbmTraffic();
  r.l2Utilisation = double(memory->l2Busy()) / double(std::max<Cycles>(1, body));
  r.hbmUtilisation = double(memory->hbmBusy()) / double(std::max<Cycles>(1, body));
  r.flops = flops;
  r.ctas = ctasDone;
  r.ctasPerSm = scheduler->occupancy();
  r.sharedBytesPerCta = sharedBytes;
  r.tensorColumnsPerCta = tensorColumns;
  r.smsUsed = scheduler->smsUsed();
  r.instructions = instructions;
  for (const TaskStat &stat : taskStats) {
    TaskTime time{stat.name, stat.total, stat.total, stat.blocked};
    for (Cycles blocked : stat.blocked)
      time.progress -= blocked;
    r.tasks.push_back(time);
  }
  for (size_t pc = 0; pc < stallTable.size(); ++pc)
    for (unsigned reason = 1; reason < ReasonCount; ++reason)
      if (stallTable[pc][reason] > 0)
        r.stalls.push_back({Pc(pc), program.code[pc].loc, Reason(reason), stallTable[pc][reason]});
  std::sort(r.stalls.begin(), r.stalls.end(), [](const Stall &a, const Stall &b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles
           : a.pc != b.pc       ? a.pc < b.pc
                                : a.reason < b.reason;
  });
  struct Bound {
    const char *name;
    double share;
  } bounds[] = {{"tensor core", r.tensorUtilisation},
                {"memory", r.hbmUtilisation},
                {"L2", r.l2Utilisation},
                {"shared memory", r.smemUtilisation},
                {"issue", r.issueUtilisation}};
  const Bound *best =
      std::max_element(std::begin(bounds), std::end(bounds),
                       [](const Bound &a, const Bound &b) { return a.share < b.share; });
  r.boundBy = best->share >= 0.6 ? best->name : "latency";
  for (const RegisterEstimate &e : estimates)
    if (e.willSpill())
      note("will spill: live tiles take " + std::to_string(e.tiles) + " of " +
           std::to_string(e.available) + " registers in " + e.task + ", at " +
           program.locationText(e.location) + "; what does not fit is counted as kept in memory");
  r.notes.assign(notes.begin(), notes.end());
  return r;
}

Result<TimingReport> simulateTime(const Program &program, const TimingLaunch &launch,
                                  const Chip &chip, const TimingOptions &options) {
  if (program.functions.empty() || program.code.empty())
    return Error("the program has no code");
  TimingMachine machine(program, launch, chip, options);
  Result<TimingReport> result = machine.run();
  // By the number of events, so that it does not depend on the machine's speed.
  bool full = options.sensitivity == TimingOptions::Sensitivity::Full;
  bool quick = options.sensitivity == TimingOptions::Sensitivity::Quick;
  if (result && (full || (quick && result->events < 1'000'000)))
    if (Result<void> added = addSensitivity(*result, program, launch, chip, options,
                                            full || result->events < 20'000);
        !added)
      return std::move(added).error();
  return result;
}

} // namespace tlx::sim
