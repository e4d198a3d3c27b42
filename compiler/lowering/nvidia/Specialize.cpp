#include "compiler/lowering/nvidia/Specialize.h"

#include "compiler/lowering/nvidia/Cluster.h"
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

static void setRegisters(Emitter &e, int64_t from, int64_t to) {
  if (from == to || from == 0 || to == 0)
    return;
  auto action =
      to > from ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(e.b, e.loc, to, action);
}

static void meetAll(Emitter &e) {
  e.namedBarrier(e.i32(kAllWarpsBarrier), e.i32(e.warps.totalWarps * 32));
}

/// The end of a warp_specialize: registers go back to what they were at entry.
/// Some groups have more now and some fewer; those with more give them up before
/// the barrier, since an increase waits for registers that are free.
static void meetAtEnd(Emitter &e, int64_t own) {
  int64_t entry = e.warps.entryRegisters;
  if (own > entry)
    setRegisters(e, own, entry);
  meetAll(e);
  if (own < entry)
    setRegisters(e, own, entry);
}

/// Recomputes what a captured value is made of.
static LogicalResult recompute(Emitter &e, Value value) {
  if (e.has(value))
    return success();
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    if (failed(recompute(e, operand)))
      return failure();
  return e.lower(op);
}

static LogicalResult receive(Emitter &e, Value capture, Value argument) {
  auto slot = e.plan.captures.find(capture);
  if (slot == e.plan.captures.end()) {
    if (failed(recompute(e, capture)))
      return failure();
    e.set(argument, Registers(e.get(capture)));
    return success();
  }
  Registers registers;
  for (auto [index, type] : llvm::enumerate(e.registerTypes(argument.getType())))
    registers.push_back(e.loadShared(type, e.sharedAddress(slot->second + 8 * index)));
  e.set(argument, std::move(registers));
  return success();
}

static void handOver(Emitter &e, ttg::WarpSpecializeOp op) {
  int64_t number = llvm::find(e.warps.specializations, op) - e.warps.specializations.begin();
  bool any = !e.warps.single;
  for (Value capture : op.getCaptures())
    any |= e.plan.captures.count(capture);
  if (!any)
    return;
  e.ifThen(e.isFirstThread(), [&] {
    if (!e.warps.single)
      e.storeShared(e.i32(number), e.sharedAddress(e.plan.state));
    for (Value capture : op.getCaptures()) {
      auto slot = e.plan.captures.find(capture);
      if (slot == e.plan.captures.end())
        continue;
      for (auto [index, value] : llvm::enumerate(e.get(capture)))
        e.storeShared(value, e.sharedAddress(slot->second + 8 * index));
    }
  });
}

static LogicalResult lowerSpecialize(ttg::WarpSpecializeOp op, Emitter &e) {
  FailureOr<SmallVector<int64_t>> registers = registersOf(op, e.warps);
  if (failed(registers))
    return failure();
  int64_t mine = registers->front();
  handOver(e, op);
  meetAll(e);
  setRegisters(e, e.warps.entryRegisters, mine);
  if (!op.getDefaultRegion().hasOneBlock())
    return op.emitError("'ttg.warp_specialize' with branches between blocks has no lowering");
  Block &body = op.getDefaultRegion().front();
  if (failed(e.lowerBody(body)))
    return failure();
  meetAtEnd(e, mine);
  for (auto [result, value] : llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
    e.set(result, Registers(e.get(value)));
  return success();
}

/// The partitions of one warp_specialize; control goes to `join` after them.
static LogicalResult emitPartitions(Emitter &e, ttg::WarpSpecializeOp op, Value warp,
                                    function_ref<void(int64_t own)> join) {
  FailureOr<SmallVector<int64_t>> registers = registersOf(op, e.warps);
  if (failed(registers))
    return failure();
  for (auto [index, partition] : llvm::enumerate(op.getPartitionRegions())) {
    int64_t first = e.warps.firstWarps.lookup(op)[index];
    int64_t count = op.getPartitionNumWarps()[index], own = (*registers)[first / 4];
    Block *mine = e.newBlock(), *others = e.newBlock();
    Value inside = e.compare(LL::ICmpPredicate::ult, e.sub(warp, e.i32(first)), e.i32(count));
    e.branch(inside, mine, {}, others, {});
    e.moveTo(mine);
    setRegisters(e, e.warps.entryRegisters, own);
    Task task;
    task.warps = count;
    task.firstWarp = first;
    task.barrier = kFirstPartitionBarrier + int(index);
    e.startTask(task);
    auto outside = e.copyValues();
    for (auto [capture, argument] : llvm::zip(op.getCaptures(), partition.getArguments()))
      if (failed(receive(e, capture, argument)))
        return failure();
    if (!partition.hasOneBlock())
      return op.emitError("'ttg.warp_specialize' with branches between blocks has no lowering");
    if (failed(e.lowerBody(partition.front())))
      return failure();
    e.swapValues(std::move(outside));
    join(own);
    e.moveTo(others);
  }
  // Warps that fill up a warp group.
  for (int64_t group = e.warps.defaultWarps / 4; group < e.warps.totalWarps / 4; ++group) {
    int64_t own = (*registers)[group];
    if (!own)
      continue;
    Block *mine = e.newBlock(), *others = e.newBlock();
    e.branch(e.equal(e.lshr(warp, 2), e.i32(group)), mine, {}, others, {});
    e.moveTo(mine);
    setRegisters(e, e.warps.entryRegisters, own);
    join(own);
    e.moveTo(others);
  }
  join(0);
  return success();
}

LogicalResult emitWorkers(Emitter &e) {
  Value warp = e.shuffle(e.lshr(NVVM::ThreadIdXOp::create(e.b, e.loc, e.i32Type()), 5),
                         NVVM::ShflKind::idx, e.i32(0));
  arriveAtClusterEntry(e);
  Block *wait = e.newBlock();
  e.branch(wait);
  e.moveTo(wait);
  meetAll(e);
  auto join = [&](int64_t own) {
    meetAtEnd(e, own);
    if (e.warps.single)
      LL::ReturnOp::create(e.b, e.loc, ValueRange{});
    else
      e.branch(wait);
  };
  if (e.warps.single)
    return emitPartitions(e, e.warps.specializations.front(), warp, join);
  Value state = e.loadShared(e.i32Type(), e.sharedAddress(e.plan.state));
  for (auto [number, op] : llvm::enumerate(e.warps.specializations)) {
    Block *mine = e.newBlock(), *others = e.newBlock();
    e.branch(e.equal(state, e.i32(number)), mine, {}, others, {});
    e.moveTo(mine);
    if (failed(emitPartitions(e, op, warp, join)))
      return failure();
    e.moveTo(others);
  }
  LL::ReturnOp::create(e.b, e.loc, ValueRange{});
  return success();
}

void dismissWorkers(Emitter &e) {
  if (e.warps.specializations.empty() || e.warps.single)
    return;
  e.ifThen(e.isFirstThread(), [&] { e.storeShared(e.i32(-1), e.sharedAddress(e.plan.state)); });
  meetAll(e);
}

void addSpecialize(LoweringTable &table) { table.add<ttg::WarpSpecializeOp>(lowerSpecialize); }

} // namespace tlx::nvidia
