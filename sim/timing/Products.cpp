// Tensor cores and tensor memory.
#include "sim/timing/Machine.h"

#include <algorithm>

namespace tlx::sim {

/// An MMA's shape as the tensor core sees it.
static TensorCore::Product shapeOf(const Work &w) {
  return {2 * w.m * w.n * w.k, w.productSmemBytes, w.productInstructions, w.format};
}

/// Each instruction of a product needs its operands' descriptors in uniform registers: two each
/// of additions, masks and constants, by every warp.
void TimingMachine::issueDescriptors(TimedTask &task, int instructions) {
  for (SubPartition &partition : smOf(task).partitions)
    partition.issue(task.clock, 6 * int64_t(instructions));
}

/// wgmma: a warp group's asynchronous product, a group of its own.
TimingMachine::Step TimingMachine::product(TimedTask &task, const Inst &inst, const Work &w) {
  TensorCore &core = *smOf(task).tensorCore;
  TensorCore::Product shape = shapeOf(w);
  AsyncGroups &groups = task.groups[unsigned(sync::Group::Wgmma)];
  if (!task.issued) {
    chargeCode(task, w);
    // The accumulator may still be written by an earlier product: the tensor
    // core keeps the order itself.
    Cycles ready = task.clock;
    for (unsigned i = 0; i < inst.numOperands; ++i)
      if (i != 2 && program.operand(inst, i) != noReg)
        ready = std::max(ready, task.slots[program.operand(inst, i)].ready);
    block(task, Reason::Operand, task.clock, ready);
    task.clock = ready;
    // The compiler puts a fence between what threads have copied and the product that reads it.
    if (task.copiedByThreads) {
      block(task, Reason::Memory, task.clock, task.clock + costs.smemStore + costs.fenceProxy);
      task.clock += costs.smemStore + costs.fenceProxy;
      task.copiedByThreads = false;
    }
    if (!align(task))
      return Step::Suspend;
    if (!core.supports(w.format)) {
      fail(errorAt(task, "the chip '" + chip.name() + "' does not multiply these element types"));
      return Step::Suspend;
    }
    for (unsigned i = 0; i < 2; ++i)
      orderShared(task, program.operand(inst, i), false);
    TensorCore::Turn turn = core.commit(task.clock, shape);
    smOf(task).smem.takeFirst(turn.start, turn.busyUntil, shape.smemBytes);
    unitInterval(smOf(task).tensorTrack, turn.start, turn.busyUntil, task.pc, shape.flops);
    flops += double(shape.flops);
    issueDescriptors(task, w.productInstructions);
    if (turn.issueDone > task.clock + chip.cycles(Param::MmaIssue) * w.productInstructions)
      block(task, Reason::MmaQueue,
            task.clock + chip.cycles(Param::MmaIssue) * w.productInstructions, turn.issueDone);
    task.clock = turn.issueDone;
    Cycles done = turn.done;
    groups.add(done, turn.busyUntil);
    setResults(task, inst, {0, done, true});
    issuedUntil(task, done, turn.busyUntil);
  }
  Step result = runEffects(task, inst);
  if (result == Step::Next && !hasCommit(program, inst))
    groups.commit();
  while (groups.done.size() > 64) {
    groups.done.pop_front();
    groups.sourceRead.pop_front();
  }
  return result;
}

/// mma.sync, MFMA, WMMA: operands in registers, the warp issues and goes on.
TimingMachine::Step TimingMachine::syncProduct(TimedTask &task, const Inst &inst, const Work &w) {
  if (!task.issued) {
    if (!begins(task, inst, w))
      return Step::Suspend;
    TensorCore &core = *smOf(task).tensorCore;
    TensorCore::Product shape = shapeOf(w);
    shape.smemBytes = 0; // operands were loaded before
    shape.instructions = 1;
    bool onTensorCore = core.supports(w.format);
    Cycles ready;
    // A task of fewer warps than partitions uses a part of the cores.
    int used = std::min(task.warps, costs.partitions);
    double share = double(costs.partitions) / used;
    shape.flops = int64_t(double(shape.flops) * share * costs.syncRatio);
    if (onTensorCore) {
      if (!chip.isAmd()) // by a warp, 16 x 8 x 16 each
        for (int p = 0; p < used; ++p)
          smOf(task).partitions[(task.firstPartition + p) % costs.partitions].issue(
              task.clock, w.productInstructions * ((w.n + 7) / 8) / used);
      TensorCore::Turn turn = core.commit(task.clock, shape);
      unitInterval(smOf(task).tensorTrack, turn.start, turn.busyUntil, task.pc,
                   2 * w.m * w.n * w.k);
      if (turn.start > task.clock + chip.cycles(Param::MmaIssue))
        block(task, Reason::MmaQueue, task.clock, turn.start);
      task.clock = std::max(task.clock, turn.busyUntil);
      // Instructions that follow each other along k add to one accumulator.
      ready = std::max(turn.busyUntil,
                       turn.start +
                           (w.productInstructions / std::max<int64_t>(1, (w.m + 15) / 16) - 1) *
                               costs.mmaSyncLatency) +
              costs.mmaSyncLatency;
    } else {
      // Fused multiply-adds on the ordinary pipes.
      Work fma = w;
      fma.numPipes = 1;
      fma.pipes[0] = {w.format == MmaFormat::F64 ? Pipe::Fp64 : Pipe::Fma, w.m * w.n * w.k};
      runPipes(task, inst, fma);
      ready = task.clock + costs.aluLatency;
    }
    flops += 2.0 * double(w.m) * double(w.n) * double(w.k);
    setResults(task, inst, {0, ready, true});
    issuedUntil(task, task.clock, task.clock);
  }
  return runEffects(task, inst);
}

/// tcgen05.mma: issued by one thread, accumulator in tensor memory.
TimingMachine::Step TimingMachine::tensorMma(TimedTask &task, const Inst &inst, const Work &w) {
  if (!task.issued) {
    chargeCode(task, w);
    waitOperands(task, inst);
    bool scaled = inst.op == Op::Tcgen05MmaScaled;
    if (!predicate(task, program.operand(inst, scaled ? 6 : 4)) || (w.pair && task.cta->rank % 2)) {
      ++task.clock;
      return Step::Next;
    }
    if (!align(task))
      return Step::Suspend;
    TensorCore::Product shape = shapeOf(w);
    TensorCore &core = *smOf(task).tensorCore;
    if (!core.supports(w.format)) {
      fail(errorAt(task, "the chip '" + chip.name() + "' does not multiply these element types"));
      return Step::Suspend;
    }
    TensorCore::Turn turn = core.commit(task.clock, shape);
    unitInterval(smOf(task).tensorTrack, turn.start, turn.busyUntil, task.pc, shape.flops);
    flops += double(shape.flops);
    if (w.pair) { // the other CTA's core does its half at the same time
      auto &ctas = task.cta->cluster->ctas;
      size_t peer = size_t(task.cta->rank) + 1;
      if (peer < ctas.size()) {
        TensorCore::Turn other = sms[ctas[peer]->sm]->tensorCore->commit(task.clock, shape);
        flops += double(shape.flops);
        turn.done = std::max(turn.done, other.done);
      }
    }
    if (program.typeOf(program.operand(inst, 0)).space == sync::Space::Shared)
      turn.done += costs.tcgenSmem;
    if (w.pair)
      turn.done += costs.tcgenPair;
    task.clock += chip.cycles(Param::MmaIssue);
    Cycles done = turn.done;
    AsyncGroups &groups = task.groups[unsigned(sync::Group::Tcgen05)];
    groups.add(done, done);
    setResults(task, inst, {0, task.clock, true});
    issuedUntil(task, done, done);
  }
  return runEffects(task, inst);
}

TimingMachine::Step TimingMachine::tmemAccess(TimedTask &task, const Inst &inst, const Work &w) {
  if (!task.issued) {
    if (!begins(task, inst, w))
      return Step::Suspend;
    Cycles done = task.clock;
    TimedSm &sm = smOf(task);
    Slot result{0, task.clock, true};
    if (w.route == Route::TmemCopy) {
      // Ordered with the thread's MMAs; it does not wait for it.
      Port::Turn turn = sm.tmemWrite.commit(task.clock, w.bytes);
      done = std::max(turn.done, task.clock + Cycles(double(w.bytes) / costs.tcgenCopyBytesPerClk));
      task.groups[unsigned(sync::Group::Tcgen05)].add(done, done);
      task.clock += chip.cycles(Param::MmaIssue);
    } else if (w.route == Route::TmemAlloc && w.bytes == 0) {
      task.clock += costs.tmemAlloc;
      result = {allocationOffsets[std::max(0, program.attrsOf(inst).allocation)], task.clock,
                false};
    } else {
      bool load = w.route == Route::TmemLoad;
      Port &port = load ? sm.tmemRead : sm.tmemWrite;
      Port::Turn turn = port.commit(task.clock, w.bytes);
      unitInterval(sm.tmemTrack, turn.start, turn.done, task.pc, w.bytes);
      done = turn.done + (load ? costs.tmemLoad : costs.tmemStore);
      block(task, turn.start > task.clock ? Reason::Port : Reason::Memory, task.clock, done);
      task.clock = done;
      result.ready = done;
      if (w.route == Route::TmemAlloc)
        result = {allocationOffsets[std::max(0, program.attrsOf(inst).allocation)], task.clock,
                  false};
    }
    setResults(task, inst, result);
    issuedUntil(task, done, done);
  }
  return runEffects(task, inst);
}

} // namespace tlx::sim
