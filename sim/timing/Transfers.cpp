// Shared memory, device memory, bulk copies and the cluster's fabric.
#include "sim/timing/Machine.h"

#include <algorithm>
#include <cmath>

namespace tlx::sim {

/// Where a reduction uses up what is loaded, compilers have few of a thread's loads under way: 6 to
/// 14 in code compiled for sm_90.
static constexpr int64_t LoadsAhead = 8;
/// Where tables lie whose elements are read in an order that the data tell.
static constexpr uint64_t ScatteredBase = uint64_t(1) << 58;

/// The compiler puts a barrier of the task between a write and a read of one allocation.
void TimingMachine::orderShared(TimedTask &task, Reg memory, bool write) {
  const Type &type = program.typeOf(memory);
  int64_t bits = task.slots[memory].bits;
  if (type.kind != TypeKind::MemDesc || type.space != sync::Space::Shared || bits >> 48)
    return;
  int found = -1;
  for (size_t i = 0; i < allocationOffsets.size() && found < 0; ++i)
    if (program.allocations[i].space == sync::Space::Shared && bits >= allocationOffsets[i] &&
        bits < allocationOffsets[i] + program.allocations[i].bytes)
      found = int(i);
  if (std::any_of(task.usedShared.begin(), task.usedShared.end(), [&](std::pair<int, bool> used) {
        return used.first == found && used.second != write;
      }))
    taskBarrier(task);
  if (std::pair<int, bool> use{found, write};
      std::find(task.usedShared.begin(), task.usedShared.end(), use) == task.usedShared.end())
    task.usedShared.push_back(use);
}

/// Loads, stores and exchanges through shared memory: address instructions on
/// the load/store pipes, then passes of the SM's port.
TimingMachine::Step TimingMachine::sharedAccess(TimedTask &task, const Inst &inst, const Work &w) {
  if (!task.issued) {
    if (!begins(task, inst, w))
      return Step::Suspend;
    if (inst.op == Op::LocalLoad)
      orderShared(task, program.operand(inst, 0), false);
    else if (inst.op == Op::LocalStore)
      orderShared(task, program.operand(inst, 1), true);
    TimedSm &sm = smOf(task);
    Cycles begin = task.clock;
    if (w.numPipes)
      runPipes(task, inst, w);
    Port::Turn turn = sm.smem.commit(begin, w.wavefronts * PassBytes);
    unitInterval(sm.smemTrack, turn.start, turn.done, task.pc, w.bytes);
    bool load = w.route == Route::SharedLoad;
    // The port takes the last instruction when it gets to it: until then the
    // load/store queue is full and the warps wait.
    Cycles accepted = std::max(task.clock, turn.done - sm.smem.duration(4 * PassBytes));
    if (accepted > task.clock) {
      block(task, Reason::Port, task.clock, accepted);
      task.clock = accepted;
    }
    Cycles done = turn.done + (load ? costs.smemLoad : costs.smemStore);
    if (inst.op == Op::Copy) // stored, a barrier, loaded
      done += useScratch(task) + costs.smemStore + barrierTime(task);
    if (!load)
      task.storesVisible = std::max(task.storesVisible, done);
    bool unknown = load;
    for (unsigned i = 0; i < inst.numResults; ++i) {
      Slot slot{0, load ? done : task.clock, unknown};
      if (inst.op == Op::LocalAlloc)
        slot = {allocationOffsets[program.attrsOf(inst).allocation], task.clock, false};
      else if (inst.op == Op::Copy)
        slot = {task.slots[program.operand(inst, 0)].bits, done,
                task.slots[program.operand(inst, 0)].unknown};
      task.slots[program.result(inst, i)] = slot;
    }
    if (inst.op == Op::LocalAlloc)
      orderShared(task, program.result(inst, 0), true);
    issuedUntil(task, task.clock, task.clock);
  }
  return runEffects(task, inst);
}

/// Registers that the code keeps in local memory. Stores go through to L2, whose
/// rate is what spilling costs. False: the task comes back.
bool TimingMachine::spill(TimedTask &task, const Work &w) {
  if (!align(task))
    return false;
  int64_t perRegister = 4 * int64_t(costs.warpSize) * task.warps;
  MemoryRequest request{task.clock, task.cta->sm,
                        uint64_t(1) << 57 | uint64_t(task.cta->sm) << 32 | uint64_t(task.pc) << 16,
                        0};
  Cycles until = task.clock;
  request.alone = true;
  if (w.spillLoads > 0) {
    request.bytes = w.spillLoads * perRegister;
    until = memory->commit(request).accepted + costs.l1Hit;
  }
  if (w.spillStores > 0) {
    request.bytes = w.spillStores * perRegister;
    request.write = true;
    until = std::max(until, memory->commit(request).accepted);
  }
  block(task, Reason::Memory, task.clock, until);
  task.clock = until;
  task.spillDone = true;
  return true;
}

/// Atomics of `lanes` lanes anywhere in a buffer: a slice of L2 takes those of its 256 bytes in
/// turn, a sector at a time, and those of one word one by one.
static int64_t contended(int64_t lanes, int64_t bytes) {
  constexpr double warp = 32, piece = 256, sector = 32, word = 4;
  double sectors = std::max(1.0, std::ceil(double(bytes) / sector));
  double met = sectors * (1 - std::pow(1 - 1 / sectors, warp)); // by a warp's lanes
  double each = std::max(1.0, warp * word / double(std::max<int64_t>(bytes, 4)));
  return std::llround(double(lanes) / warp * met * each / std::ceil(double(bytes) / piece));
}

/// Loads, stores and atomics of device memory by the threads themselves.
TimingMachine::Step TimingMachine::globalAccess(TimedTask &task, const Inst &inst, const Work &w) {
  if (!task.issued) {
    if (!begins(task, inst, w))
      return Step::Suspend;
    const Slot &pointer = task.slots[program.operand(inst, w.memOperand)];
    uint64_t address = uint64_t(pointer.bits);
    if (w.scattered && pointer.unknown && launch.footprintBytes > w.memoryBytes()) {
      // Another part of the table each time.
      int64_t places = launch.footprintBytes / w.memoryBytes();
      address = ScatteredBase + uint64_t(++scatteredAccesses * 0x9E3779B97F4A7C15ull >> 32) %
                                    uint64_t(places) * uint64_t(w.memoryBytes());
    }
    Reg mask = inst.op == Op::Load || inst.op == Op::Store
                   ? program.operand(inst, inst.op == Op::Load ? 1 : 2)
                   : noReg;
    bool off = mask != noReg && !task.slots[mask].unknown && !(task.slots[mask].bits & 1);
    Cycles begin = task.clock;
    const Attrs &attrs = program.attrsOf(inst);
    if (w.route == Route::Atomic &&
        (attrs.order == Order::Release || attrs.order == Order::AcqRel)) {
      block(task, Reason::Memory, task.clock, task.clock + costs.fenceGpu);
      begin = task.clock += costs.fenceGpu;
    }
    runPipes(task, inst, w);
    Cycles looked = begin;
    if (!off && w.lines > 0) {
      // The load/store queue holds a few instructions; then the warps wait.
      TimedSm &sm = smOf(task);
      looked = sm.l1Lines.commit(begin, w.lines).done;
      Cycles accepted = looked - sm.l1Lines.duration(std::min(w.lines, costs.queuedLines));
      block(task, Reason::Port, task.clock, accepted);
      task.clock = std::max(task.clock, accepted);
    }
    Cycles ready = std::max(begin, looked) + costs.l1Hit;
    std::unique_ptr<L2Cache> &l1 = smOf(task).l1;
    bool cached = false;
    if (l1 && !off && !pointer.unknown && inst.op == Op::Load && attrs.cache != Cache::Cg &&
        !attrs.isVolatile)
      cached = l1->access(address, w.memoryBytes(), false).hit;
    if (!off && !cached) {
      MemoryRequest request{begin, task.cta->sm, address, w.memoryBytes(),
                            w.route == Route::GlobalStore};
      request.atomic = w.route == Route::Atomic;
      MemoryReply reply = memory->commit(request);
      ready = std::max(ready, reply.ready);
      if (w.route == Route::Atomic && w.swaps == 0)
        ready = std::max(ready, reply.accepted + costs.l2Atomic);
      int64_t inTurn = w.sameWord;
      if (w.route == Route::Atomic && w.scattered && w.swaps == 0)
        for (const TimingBuffer &buffer : launch.buffers)
          if (uint64_t(pointer.bits) - buffer.begin < uint64_t(buffer.bytes)) {
            inTurn = contended(w.elements, buffer.bytes);
            address = buffer.begin;
          }
      if (inTurn > 0) {
        bool real = isFloat(program.typeOf(program.operand(inst, 1)).elem);
        Cycles &free = wordFree[address / 4];
        free = std::max(free, begin) +
               Cycles(double(inTurn) * (real ? costs.atomicSameFloat : costs.atomicSameInt) + 0.5);
        ready = std::max(ready, free + costs.l2Atomic);
        lastWrite = std::max(lastWrite, ready);
      }
      for (int i = 0; i < w.swaps; ++i) { // one contender after the other
        Cycles &free = wordFree[address / 4];
        ready = free = std::max(ready, free) + costs.l2Atomic;
      }
      if (w.route == Route::GlobalStore)
        lastWrite = std::max(lastWrite, ready);
    }
    if (w.usedUp && !off) {
      int64_t threads = int64_t(costs.warpSize) * task.warps;
      ready += ((w.pipes[0].lanes + threads - 1) / threads - 1) / LoadsAhead *
               (cached ? costs.l1Hit : chip.cycles(Param::L2HitLatency));
    }
    for (unsigned i = 0; i < inst.numResults; ++i) {
      Slot slot{0, ready, true};
      const Type &type = program.typeOf(program.result(inst, i));
      uint64_t bits = 0;
      if (inst.op == Op::Load && type.kind == TypeKind::Scalar && launch.read && !pointer.unknown &&
          !off && launch.read(address, type.pointer ? 8 : byteWidth(type.elem), &bits)) {
        slot.bits = type.pointer ? int64_t(bits) : scalarFromBits(type.elem, bits);
        slot.unknown = false;
      }
      task.slots[program.result(inst, i)] = slot;
    }
    // What follows an acquire waits for it.
    if (w.route == Route::Atomic && !off &&
        (attrs.order == Order::Acquire || attrs.order == Order::AcqRel)) {
      block(task, Reason::Memory, task.clock, ready + costs.fenceGpu);
      task.clock = std::max(task.clock, ready + costs.fenceGpu);
      dropCached(task);
    }
    issuedUntil(task, task.clock, task.clock);
  }
  return runEffects(task, inst);
}

bool TimingMachine::firstUse(TimedTask &task, int64_t descriptor) {
  std::vector<int64_t> &seen = smOf(task).descriptorsSeen;
  if (std::find(seen.begin(), seen.end(), descriptor) != seen.end())
    return false;
  seen.push_back(descriptor);
  return true;
}

/// Address and boxes of a descriptor copy; boxes beyond the tensor move nothing.
TmaEngine::Copy TimingMachine::describeCopy(TimedTask &task, const Inst &inst, const Work &w) {
  TmaEngine::Copy copy{0, LineBytes, w.boxes, w.bytes / std::max(1, w.boxes)};
  const Slot &desc = task.slots[program.operand(inst, 0)];
  copy.address = uint64_t(desc.bits);
  copy.firstUseOfDescriptor = firstUse(task, desc.bits);
  // Which descriptor it is tells strides and bounds.
  const TimingArgument *argument = nullptr;
  for (const TimingArgument &candidate : launch.arguments)
    if (candidate.kind == TimingArgument::Kind::Descriptor && candidate.bits == desc.bits)
      argument = &candidate;
  unsigned firstCoord = 0;
  switch (inst.op) {
  case Op::TmaLoad: firstCoord = 5; break;
  case Op::TmaStore:
  case Op::TmaReduce: firstCoord = 2; break;
  case Op::TdmLoad: firstCoord = 4; break;
  case Op::TdmStore: firstCoord = 3; break;
  default: return copy; // gathers: rows of their own
  }
  const Type &block = program.typeOf(program.operand(inst, 0));
  unsigned rank = inst.numOperands > firstCoord ? inst.numOperands - firstCoord : 0;
  if (!argument || argument->shape.size() != rank || argument->strides.size() != rank || rank == 0)
    return copy;
  int64_t elementBytes = std::max<int64_t>(1, byteWidth(block.elem));
  int64_t rows = 1, offset = 0, inside = 1;
  for (unsigned d = 0; d < rank; ++d) {
    int64_t coord = task.slots[program.operand(inst, firstCoord + d)].bits;
    int64_t extent = d < block.shape.size() ? block.shape[d] : 1;
    int64_t valid = std::clamp<int64_t>(argument->shape[d] - coord, 0, extent);
    offset += coord * argument->strides[d] * elementBytes;
    if (d + 1 < rank) {
      rows *= extent;
      inside *= valid;
    } else {
      int64_t boxInner = std::max<int64_t>(1, extent * elementBytes / std::max(1, w.boxes));
      int64_t boxes = (valid * elementBytes + boxInner - 1) / boxInner;
      copy.pitch = boxInner;
      copy.boxes = int(std::min<int64_t>(copy.boxes, boxes));
    }
  }
  copy.address += uint64_t(offset);
  copy.boxBytes = copy.boxBytes * inside / std::max<int64_t>(1, rows);
  if (copy.boxBytes == 0)
    copy.boxes = 0;
  // Rows that do not start at a line take one more sector each.
  if (rank > 1 && (argument->strides[rank - 2] * elementBytes % LineBytes ||
                   copy.address % uint64_t(LineBytes)))
    copy.boxBytes += inside * SectorBytes;
  return copy;
}

/// TMA loads, stores and reductions, and bulk copies without a descriptor.
TimingMachine::Step TimingMachine::tmaCopy(TimedTask &task, const Inst &inst, const Work &w) {
  if (!task.issued) {
    chargeCode(task, w);
    waitOperands(task, inst);
    bool load = w.route == Route::TmaLoad || w.route == Route::BulkLoad;
    Reg pred = inst.op == Op::TmaLoad || inst.op == Op::TdmLoad ? program.operand(inst, 3)
               : inst.op == Op::TmaGather                       ? program.operand(inst, 5)
                                                                : noReg;
    if (!predicate(task, pred)) {
      ++task.clock;
      return Step::Next;
    }
    if (!align(task))
      return Step::Suspend;
    TimedSm &sm = smOf(task);
    TmaEngine::Copy copy;
    if (w.route == Route::BulkLoad || w.route == Route::BulkStore) {
      int64_t address = task.slots[program.operand(inst, w.route == Route::BulkLoad ? 0 : 1)].bits;
      Reg size = program.operand(inst, 2);
      int64_t bytes = size != noReg && !task.slots[size].unknown ? task.slots[size].bits : w.bytes;
      copy = {uint64_t(address), 0, 1, bytes};
    } else {
      copy = describeCopy(task, inst, w);
      Reg mask = inst.op == Op::TmaLoad ? program.operand(inst, 4) : noReg;
      copy.multicast = mask != noReg && (task.slots[mask].bits & (task.slots[mask].bits - 1)) != 0;
    }
    // What the task's threads have written is there before one of them issues.
    if (!load && !task.barrierDone) {
      task.barrierDone = true;
      task.clock = std::max(task.clock, task.storesVisible);
      taskBarrier(task);
      if (!align(task))
        return Step::Suspend;
    }
    // The engine's back-pressure reaches the issuing warp.
    TmaEngine::Turn turn = sm.tma->query(task.clock, copy);
    if (turn.heldBy == Reason::Credit && turn.start > task.clock) {
      block(task, Reason::Credit, task.clock, turn.start);
      task.clock = turn.start;
    }
    turn = load ? sm.tma->load(task.clock, copy) : sm.tma->store(task.clock, copy);
    unitInterval(sm.tmaTrack, turn.start, turn.done, task.pc, copy.boxes * copy.boxBytes);
    Cycles done = turn.done, sourceRead = turn.sourceRead;
    if (!load) {
      lastWrite = std::max(lastWrite, turn.done);
      task.groups[unsigned(sync::Group::BulkStore)].add(done, sourceRead);
    }
    // Boxes are issued by the warps in turn.
    task.clock += costs.tmaIssue * ((std::max(1, w.boxes) + task.warps - 1) / task.warps);
    setResults(task, inst, {sourceRead, task.clock, true}); // a store's token
    if (inst.op == Op::TdmLoad || inst.op == Op::TdmStore)
      task.groups[unsigned(sync::Group::Tdm)].add(done, sourceRead);
    issuedUntil(task, done, sourceRead);
  }
  Step result = runEffects(task, inst);
  if (result == Step::Next && !hasCommit(program, inst) &&
      (w.route == Route::TmaStore || w.route == Route::BulkStore))
    task.groups[unsigned(sync::Group::BulkStore)].commit();
  return result;
}

/// cp.async and AMD's loads that go to shared memory.
TimingMachine::Step TimingMachine::asyncCopy(TimedTask &task, const Inst &inst, const Work &w) {
  if (!task.issued) {
    if (!begins(task, inst, w))
      return Step::Suspend;
    orderShared(task, program.operand(inst, 1 - w.memOperand), true);
    Cycles begin = task.clock;
    runPipes(task, inst, w);
    uint64_t address = uint64_t(task.slots[program.operand(inst, w.memOperand)].bits);
    MemoryReply reply = memory->commit({begin, task.cta->sm, address, w.memoryBytes()});
    Cycles written = smOf(task).smem.commit(begin, w.wavefronts * PassBytes).done;
    Cycles done = std::max(reply.ready, written) + costs.smemStore;
    sync::Group group =
        inst.op == Op::AsyncCopy && !chip.isAmd() ? sync::Group::CpAsync : sync::Group::AmdAsync;
    for (unsigned i = 0; i < inst.numEffects; ++i)
      if (program.effectsOf(inst)[i].group != sync::Group::None)
        group = program.effectsOf(inst)[i].group;
    task.groups[unsigned(group)].add(done, done);
    setResults(task, inst, {0, task.clock, true});
    issuedUntil(task, done, done);
  }
  return runEffects(task, inst);
}

/// Stores to a peer's shared memory, by the threads or asynchronously; compiled code has a barrier
/// of the task's threads before each asynchronous one.
TimingMachine::Step TimingMachine::remoteStore(TimedTask &task, const Inst &inst, const Work &w) {
  if (!task.issued) {
    if (!begins(task, inst, w))
      return Step::Suspend;
    if (inst.op == Op::AsyncRemoteStore)
      taskBarrier(task);
    Cycles begin = task.clock;
    if (w.numPipes)
      runPipes(task, inst, w);
    Port::Turn turn = smOf(task).clusterOut.commit(begin, w.bytes);
    Cycles done =
        turn.done + (inst.op == Op::RemoteStore ? costs.clusterStore : costs.clusterStoreAsync);
    if (inst.op == Op::RemoteStore)
      task.storesVisible = std::max(task.storesVisible, done);
    setResults(task, inst, {0, task.clock, true});
    issuedUntil(task, done, done);
  }
  return runEffects(task, inst);
}

} // namespace tlx::sim
