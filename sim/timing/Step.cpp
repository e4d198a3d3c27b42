// The interpreter loop: values of scalars, clocks of tasks, control flow.
#include "sim/timing/Machine.h"

#include <algorithm>

namespace tlx::sim {

void TimedTask::onEvent(Cycles now, uint64_t payload) { machine->resume(*this, now); }

void TimingMachine::resume(TimedTask &task, Cycles now) {
  if (failure || task.finished)
    return;
  task.clock = std::max(task.clock, now);
  if (options.progress)
    options.progress->cycles.store(now, std::memory_order_relaxed);
  execute(task);
}

/// Lets everything that happens before the task's clock happen first. False: the
/// task will be resumed at its clock.
bool TimingMachine::align(TimedTask &task) {
  if (task.clock <= queue.now() || task.clock < queue.nextTime())
    return true;
  queue.schedule(task.clock, task);
  return false;
}

void TimingMachine::execute(TimedTask &task) {
  // A loop that never touches anything shared would never come back.
  constexpr uint64_t limit = 400'000'000;
  const Inst *code = program.code.data();
  for (uint64_t count = 0;; ++count) {
    const Inst &inst = code[task.pc];
    const Work &w = work[task.pc];
    if (task.awaited > 0 && !overtakesWait(inst, w))
      settle(task);
    if (w.spillStores + w.spillLoads > 0 && !task.spillDone && !spill(task, w))
      return;
    Step result = step(task, inst, w);
    if (result == Step::Suspend || failure)
      return;
    ++instructions;
    if (result == Step::Next) {
      ++task.pc;
      task.effectStep = 0;
      task.issued = task.barrierDone = task.spillDone = false;
      task.completion = task.sourceRead = 0;
    }
    if (count == limit || task.clock > options.maxCycles) {
      fail(errorAt(task, count == limit
                             ? "the task loops without end here, as far as timing can tell"
                             : "the simulation passes the limit of " +
                                   std::to_string(options.maxCycles) + " cycles"));
      return;
    }
  }
}

TimingMachine::Step TimingMachine::step(TimedTask &task, const Inst &inst, const Work &w) {
  switch (w.route) {
  case Route::Free: {
    const Slot &from = inst.numOperands ? task.slots[program.operand(inst, 0)] : Slot();
    Slot copy = from;
    for (unsigned i = 1; i < inst.numOperands; ++i)
      if (program.operand(inst, i) != noReg)
        copy.ready = std::max(copy.ready, task.slots[program.operand(inst, i)].ready);
    if (w.scalarValue)
      copy.bits = evalScalar(w.scalar, from.bits, 0, 0);
    setResults(task, inst, copy);
    return inst.numEffects ? runEffects(task, inst) : Step::Next;
  }
  case Route::Value: value(task, inst); return Step::Next;
  case Route::Scalar: scalar(task, inst, w); return Step::Next;
  case Route::View: view(task, inst, w); return Step::Next;
  case Route::Tile:
    if (!begins(task, inst, w))
      return Step::Suspend;
    if (Cycles begin = task.clock; runPipes(task, inst, w), w.chainElements + w.series > 0)
      addChain(task, inst, w, begin);
    if (inst.op == Op::TensormapCreate) {
      block(task, Reason::Memory, task.clock, task.clock + costs.descriptorMake);
      task.clock += costs.descriptorMake;
    }
    return Step::Next;
  case Route::Branch: takeEdge(task, program.edges[inst.edge]); return Step::Jumped;
  case Route::CondBranch: return condBranch(task, inst);
  case Route::Call: return callFunction(task, inst);
  case Route::Return: return returnFrom(task, inst);
  case Route::Fork: return fork(task, inst);
  case Route::Yield: return yield(task, inst);
  case Route::TaskReturn:
    if (!align(task))
      return Step::Suspend;
    finishTask(task);
    return Step::Suspend;
  case Route::Sync:
    // The first CTA of a cluster asks for all of them.
    if (inst.op == Op::ClcTryCancel && task.cta->rank > 0) {
      ++task.clock;
      return Step::Next;
    }
    if (task.effectStep == 0) {
      chargeCode(task, w);
      for (unsigned i = 0; i < std::min(inst.numOperands, inst.numResults); ++i)
        task.slots[program.result(inst, i)] = task.slots[program.operand(inst, i)];
    }
    return runEffects(task, inst);
  case Route::SharedLoad:
  case Route::SharedStore: return sharedAccess(task, inst, w);
  case Route::GlobalLoad:
  case Route::GlobalStore:
  case Route::Atomic: return globalAccess(task, inst, w);
  case Route::TmaLoad:
  case Route::TmaStore:
  case Route::BulkLoad:
  case Route::BulkStore: return tmaCopy(task, inst, w);
  case Route::AsyncCopy: return asyncCopy(task, inst, w);
  case Route::RemoteStore: return remoteStore(task, inst, w);
  case Route::Product: return product(task, inst, w);
  case Route::SyncProduct: return syncProduct(task, inst, w);
  case Route::TensorMma: return tensorMma(task, inst, w);
  case Route::TmemLoad:
  case Route::TmemStore:
  case Route::TmemCopy:
  case Route::TmemAlloc: return tmemAccess(task, inst, w);
  case Route::Clock: {
    Slot &slot = task.slots[program.result(inst, 0)];
    slot = {task.clock, task.clock + costs.aluLatency, false};
    return Step::Next;
  }
  case Route::ClcQuery: {
    int64_t *granted = task.cta->launchAnswers.find(task.slots[program.operand(inst, 0)].bits);
    std::array<int64_t, 3> first{-1, -1, -1};
    if (granted && *granted >= 0)
      first = firstCta(*granted);
    for (unsigned i = 0; i < inst.numResults; ++i)
      task.slots[program.result(inst, i)] = {first[i % 3], task.clock + costs.smemLoad, false};
    return Step::Next;
  }
  }
  return Step::Next;
}

/// The first execution of an instruction on an SM fetches its code.
void TimingMachine::chargeCode(TimedTask &task, const Work &w) {
  std::vector<bool>::reference seen = smOf(task).codeSeen[task.pc];
  if (seen)
    return;
  seen = true;
  int64_t lanes = std::max<int64_t>(w.codeLanes, costs.warpSize);
  int64_t perWarp =
      (lanes + int64_t(costs.warpSize) * task.warps - 1) / (int64_t(costs.warpSize) * task.warps);
  // A tile of more than a few hundred instructions is a loop or a call by then.
  Cycles fetch = Cycles(double(std::min<int64_t>(perWarp, 512)) * costs.coldClocksPerInst + 0.5);
  block(task, Reason::Code, task.clock, task.clock + fetch);
  task.clock += fetch;
}

void TimingMachine::waitOperands(TimedTask &task, const Inst &inst) {
  const Slot *last = nullptr;
  const Reg *operands = program.operandsOf(inst);
  for (unsigned i = 0; i < inst.numOperands; ++i)
    if (operands[i] != noReg && (!last || task.slots[operands[i]].ready > last->ready))
      last = &task.slots[operands[i]];
  if (last && last->ready > task.clock) {
    block(task, last->queued ? Reason::Port : Reason::Operand, task.clock, last->ready);
    task.clock = last->ready;
  }
}

/// What comes before each instruction's own work. False: the task comes back.
bool TimingMachine::begins(TimedTask &task, const Inst &inst, const Work &w) {
  chargeCode(task, w);
  waitOperands(task, inst);
  return align(task);
}

void TimingMachine::setResults(TimedTask &task, const Inst &inst, const Slot &result) {
  for (unsigned i = 0; i < inst.numResults; ++i)
    task.slots[program.result(inst, i)] = result;
}

/// Issues a tile's instructions on the pipes of the task's sub-partitions.
void TimingMachine::runPipes(TimedTask &task, const Inst &inst, const Work &w) {
  TimedSm &sm = smOf(task);
  int partitions = std::min(task.warps, costs.partitions);
  int64_t warpsEach = (task.warps + costs.partitions - 1) / costs.partitions;
  Cycles start = task.clock, ready = start, issued = start, begin = start;
  bool queued = false;
  int64_t ofWarp = 0;
  for (unsigned i = 0; i < w.numPipes; ++i) {
    int64_t threads = int64_t(costs.warpSize) * task.warps;
    int64_t each = (w.pipes[i].lanes + threads - 1) / threads, count = each * warpsEach;
    ofWarp += each;
    for (int p = 0; p < partitions; ++p) {
      SubPartition &part = sm.partitions[(task.firstPartition + p) % costs.partitions];
      SubPartition::Turn turn = part.commit(start, w.pipes[i].pipe, count);
      begin = std::max(begin, turn.start);
      issued = std::max(issued, turn.issueDone);
      if (turn.ready > ready) {
        ready = turn.ready;
        queued = turn.pipeStart > turn.start || turn.pipeDone > turn.issueDone;
      }
    }
    // Lanes exchange through the crossbar of shared memory, one instruction a pass.
    if (w.pipes[i].pipe == Pipe::Shuffle && !chip.isAmd()) {
      Cycles passed =
          sm.smem.commit(start, PassBytes * count * partitions).done + costs.shuffleLatency;
      queued |= passed > ready;
      ready = std::max(ready, passed);
    }
  }
  block(task, Reason::IssueSlot, start, begin);
  task.clock = std::max({task.clock, issued, start + Cycles(double(ofWarp) * costs.warpInterval)});
  evalFirst(task, inst, w, ready);
  for (unsigned i = 0; i < inst.numResults; ++i)
    task.slots[program.result(inst, i)].queued = queued;
}

/// Dependent steps: of a division or a function in double precision; of a reduction combining in a
/// thread, exchanges between lanes, and between warps two trips through shared memory.
void TimingMachine::addChain(TimedTask &task, const Inst &inst, const Work &w, Cycles begin) {
  Cycles step = program.typeOf(program.result(inst, 0)).elem == DType::f64 ? costs.fp64Latency
                                                                           : costs.aluLatency;
  // What a thread combines or computes step by step overlaps with what it issues.
  Cycles combined = begin + (w.chainElements + w.series) * step;
  Cycles chain = w.chainSteps * (costs.shuffleLatency + step);
  // One warp combines what each has stored, and all load the result: a barrier behind each store.
  if (w.warpSteps > 0 && task.warps > 1)
    chain += useScratch(task) + 2 * barrierTime(task) + 2 * (costs.smemStore + costs.smemLoad) +
             w.warpSteps * (costs.shuffleLatency + step);
  for (unsigned i = 0; i < inst.numResults; ++i) {
    Slot &slot = task.slots[program.result(inst, i)];
    slot.ready = std::max({slot.ready, task.clock, combined}) + chain;
    slot.unknown = true;
  }
}

void TimingMachine::evalFirst(TimedTask &task, const Inst &inst, const Work &w, Cycles ready) {
  const Reg *operands = program.operandsOf(inst);
  int64_t in[3] = {0, 0, 0};
  bool unknown = !w.scalarValue;
  for (unsigned i = 0; i < inst.numOperands; ++i) {
    if (operands[i] == noReg)
      continue;
    const Slot &slot = task.slots[operands[i]];
    if (i < 3)
      in[i] = slot.bits;
    unknown |= slot.unknown;
  }
  if (inst.op == Op::MakeRange) {
    const Attrs &attrs = program.attrsOf(inst);
    in[0] = attrs.ints.empty() ? 0 : attrs.ints[0];
    unknown = false;
  }
  int64_t bits = w.scalarValue ? evalScalar(w.scalar, in[0], in[1], in[2]) : in[0];
  setResults(task, inst, {bits, ready, unknown});
}

/// Uniform arithmetic: a dependent chain moves on at the ALU's latency, which
/// counts as progress; only longer waits are blocked time.
void TimingMachine::scalar(TimedTask &task, const Inst &inst, const Work &w) {
  const Reg *operands = program.operandsOf(inst);
  int64_t in[3] = {0, 0, 0};
  Cycles ready = task.clock;
  bool unknown = false;
  unsigned count = std::min<unsigned>(inst.numOperands, 3);
  for (unsigned i = 0; i < count; ++i) {
    if (operands[i] == noReg)
      continue;
    const Slot &slot = task.slots[operands[i]];
    in[i] = slot.bits;
    unknown |= slot.unknown;
    ready = std::max(ready, slot.ready);
  }
  if (ready > task.clock + 2 * costs.aluLatency)
    block(task, Reason::Operand, task.clock, ready);
  Cycles issue = 1, latency = costs.aluLatency;
  if (w.divides)
    issue = latency = costs.divide;
  else if (w.pipes[0].lanes > 1) {
    issue = w.pipes[0].lanes;
    latency = issue * costs.aluLatency / 2;
  }
  task.clock = ready + issue;
  task.slots[program.result(inst, 0)] = {evalScalar(w.scalar, in[0], in[1], in[2]),
                                         ready + std::max(issue, latency), unknown};
}

int64_t TimingMachine::specialValue(const TimedTask &task, const Inst &inst, bool &unknown) const {
  const Attrs &attrs = program.attrsOf(inst);
  const TimedCta &cta = *task.cta;
  int axis = std::clamp(attrs.axis, 0, 2);
  int64_t numCtas = axis == 0 ? std::max(1, program.facts.numCtas) : 1;
  switch (inst.op) {
  case Op::Constant: {
    const Constant &constant = program.constants[attrs.constant];
    const Type &type = program.typeOf(program.result(inst, 0));
    return constant.bits.empty()
               ? 0
               : scalarFromBits(type.pointer ? DType::i64 : type.elem, constant.bits[0]);
  }
  case Op::ProgramId: return cta.id[axis] / numCtas;
  case Op::NumPrograms: return ctaGrid[axis] / numCtas;
  case Op::ClusterId: return cta.rank;
  case Op::ClusterSize: return int64_t(cta.cluster->ctas.size());
  case Op::ThreadId: return axis == 0 ? int64_t(task.firstPartition) * costs.warpSize : 0;
  case Op::WarpId: return 0;
  case Op::LocalAlloc: return attrs.allocation >= 0 ? allocationOffsets[attrs.allocation] : 0;
  case Op::GlobalScratchAlloc: return int64_t(1) << 56;
  case Op::MakeTensorDescriptor:
  case Op::ReinterpretTensorDescriptor:
  case Op::UpdateTensorDescriptor: return task.slots[program.operand(inst, 0)].bits;
  default: unknown = true; return 0;
  }
}

void TimingMachine::value(TimedTask &task, const Inst &inst) {
  bool unknown = false;
  int64_t bits = specialValue(task, inst, unknown);
  setResults(task, inst, {bits, task.clock, unknown});
}

/// Bits 48 and up of a memory descriptor: one more than the rank of the CTA that
/// is meant, zero for the executing one.
void TimingMachine::view(TimedTask &task, const Inst &inst, const Work &w) {
  const Slot &base = task.slots[program.operand(inst, 0)];
  const Slot &index = task.slots[program.operand(inst, 1)];
  Slot result = base;
  result.ready = std::max({base.ready, index.ready, task.clock}) + costs.aluLatency;
  result.unknown |= index.unknown;
  if (inst.op == Op::MapToRemoteBuffer)
    result.bits = (base.bits & ((int64_t(1) << 48) - 1)) | (index.bits + 1) << 48;
  else
    result.bits = base.bits + index.bits * w.stride;
  if (w.numPipes && w.elements > 1) { // addresses of a tile
    waitOperands(task, inst);
    runPipes(task, inst, w);
    result.ready = task.slots[program.result(inst, 0)].ready;
  } else {
    ++task.clock;
  }
  task.slots[program.result(inst, 0)] = result;
}

// --- Control flow ---------------------------------------------------------------

void TimingMachine::takeEdge(TimedTask &task, const Edge &edge) {
  size_t count = edge.moves.size();
  if (count == 1) {
    task.slots[edge.moves[0].first] = task.slots[edge.moves[0].second];
  } else if (count > 1) {
    Slot small[16];
    std::vector<Slot> large;
    Slot *copies = small;
    if (count > 16) {
      large.resize(count);
      copies = large.data();
    }
    for (size_t i = 0; i < count; ++i)
      copies[i] = task.slots[edge.moves[i].second];
    for (size_t i = 0; i < count; ++i)
      task.slots[edge.moves[i].first] = copies[i];
  }
  if (edge.target <= task.pc)
    task.clock += costs.branch;
  task.pc = edge.target;
  task.effectStep = 0;
}

TimingMachine::Step TimingMachine::condBranch(TimedTask &task, const Inst &inst) {
  const Slot &condition = task.slots[program.operand(inst, 0)];
  bool taken = condition.bits & 1;
  if (condition.unknown) {
    // Whatever the data say: a loop ends, a conditional is entered.
    taken = !loopExit[task.pc];
    note("a branch depends on data, which timing does not compute; taken as " +
         std::string(taken ? "true" : "false") + ": " + program.locationText(inst.loc));
  }
  if (condition.ready > task.clock + 2 * costs.aluLatency)
    block(task, Reason::Operand, task.clock, condition.ready);
  task.clock = std::max(task.clock, condition.ready) + 1;
  takeEdge(task, program.edges[inst.edge + (taken ? 0 : 1)]);
  return Step::Jumped;
}

TimingMachine::Step TimingMachine::callFunction(TimedTask &task, const Inst &inst) {
  const Function &function = program.functions[program.attrsOf(inst).function];
  if (task.calls.size() > 64) {
    fail(errorAt(task, "calls are nested more than 64 deep"));
    return Step::Suspend;
  }
  for (size_t i = 0; i < function.args.size() && i < inst.numOperands; ++i)
    task.slots[function.args[i]] = task.slots[program.operand(inst, unsigned(i))];
  task.calls.push_back(task.pc);
  task.pc = function.entry;
  task.effectStep = 0;
  return Step::Jumped;
}

TimingMachine::Step TimingMachine::returnFrom(TimedTask &task, const Inst &inst) {
  if (task.calls.empty()) {
    if (!align(task))
      return Step::Suspend;
    finishCta(task);
    return Step::Suspend;
  }
  const Inst &call = program.code[task.calls.back()];
  std::vector<Slot> values;
  for (unsigned i = 0; i < inst.numOperands; ++i)
    values.push_back(task.slots[program.operand(inst, i)]);
  for (unsigned i = 0; i < call.numResults && i < values.size(); ++i)
    task.slots[program.result(call, i)] = values[i];
  task.pc = task.calls.back() + 1;
  task.calls.pop_back();
  task.effectStep = 0;
  return Step::Jumped;
}

TimingMachine::Step TimingMachine::fork(TimedTask &task, const Inst &inst) {
  if (!align(task))
    return Step::Suspend;
  const Specialize &special = program.specializes[program.attrsOf(inst).specialize];
  task.clock += costs.fork;
  if (special.defaultRegisters >= 0 || program.facts.target.rfind("cuda", 0) == 0)
    task.clock += costs.setRegisters;
  int nextWarp = program.facts.numWarps;
  // Partitions of an earlier specialisation have ended; their slots are reused.
  task.joinsLeft = int(special.partitions.size());
  for (size_t i = 0; i < special.partitions.size(); ++i) {
    const Partition &partition = special.partitions[i];
    int firstWarp = partition.startWarp >= 0 ? partition.startWarp : nextWarp;
    nextWarp = std::max(nextWarp, firstWarp + partition.numWarps);
    startTask(*task.cta, int(i) + 1, partition.entry, partition.numWarps, firstWarp, task.clock);
    TimedTask &child = *task.cta->tasks.back();
    for (auto [argument, captured] : partition.captures)
      child.slots[argument] = task.slots[captured];
  }
  task.pc = special.defaultEntry;
  task.effectStep = 0;
  return Step::Jumped;
}

TimingMachine::Step TimingMachine::yield(TimedTask &task, const Inst &inst) {
  if (!align(task))
    return Step::Suspend;
  if (task.joinsLeft > 0) {
    sleep(task, Reason::Join);
    return Step::Suspend;
  }
  const Specialize &special = program.specializes[program.attrsOf(inst).specialize];
  for (unsigned i = 0; i < inst.numOperands && i < special.results.size(); ++i)
    task.slots[special.results[i]] = task.slots[program.operand(inst, i)];
  task.clock += costs.join;
  task.pc = special.join;
  task.effectStep = 0;
  return Step::Jumped;
}

} // namespace tlx::sim
