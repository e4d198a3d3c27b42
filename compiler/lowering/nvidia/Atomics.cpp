// Atomics on global memory. One thread acts for each element; the others that hold
// a copy, in other CTAs of the program too, learn the old value through scratch memory,
// when anybody uses it.
#include "compiler/lowering/nvidia/Atomics.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/lowering/nvidia/Cluster.h"
#include "compiler/lowering/nvidia/Exchange.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Global.h"
#include "compiler/lowering/nvidia/Ptx.h"

using namespace mlir;
namespace LL = mlir::LLVM;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {

/// Bits of a CTA's rank that say which copy of an element it holds.
static uint64_t ctaCopies(Operation *op) {
  uint64_t all = ctasOfProgram(op) - 1;
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!tensor || all == 0)
    return all;
  LinearLayout layout = std::move(*layoutOf(tensor));
  uint64_t known = (uint64_t(1) << layout.inBits(layout::kBlock)) - 1;
  return all & (~known | layout.freeVariableMask(layout::kBlock));
}

/// Whether several threads hold a copy of an element: of scalars all do.
static bool hasCopies(Operation *op) {
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!tensor || ctaCopies(op))
    return true;
  LinearLayout layout = std::move(*layoutOf(tensor));
  return layout.freeVariableMask(layout::kLane) || layout.freeVariableMask(layout::kWarp);
}

int64_t atomicScratch(Operation *op) {
  if (!isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op) || op->getResult(0).use_empty() || !hasCopies(op))
    return 0;
  Type type = op->getResult(0).getType();
  int64_t elements =
      isa<RankedTensorType>(type) ? cast<RankedTensorType>(type).getNumElements() : 1;
  return elements * Emitter::memoryBits(tt::elementTypeOrSelf(type)) / 8;
}

namespace {

/// "add.s32" and the like; empty for what there is no instruction for.
std::string instruction(tt::RMWOp kind, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  std::string width = std::to_string(bits);
  bool wide = bits == 32 || bits == 64;
  switch (kind) {
  case tt::RMWOp::ADD: return wide ? "add.u" + width : "";
  case tt::RMWOp::FADD:
    if (bits == 16)
      return type.isBF16() ? "add.noftz.bf16" : "add.noftz.f16";
    return wide ? "add.f" + width : "";
  case tt::RMWOp::AND: return wide ? "and.b" + width : "";
  case tt::RMWOp::OR: return wide ? "or.b" + width : "";
  case tt::RMWOp::XOR: return wide ? "xor.b" + width : "";
  case tt::RMWOp::MAX: return wide ? "max.s" + width : "";
  case tt::RMWOp::MIN: return wide ? "min.s" + width : "";
  case tt::RMWOp::UMAX: return wide ? "max.u" + width : "";
  case tt::RMWOp::UMIN: return wide ? "min.u" + width : "";
  case tt::RMWOp::XCHG: return wide ? "exch.b" + width : "";
  }
  return "";
}

std::string orderOf(tt::MemSemantic semantic, tt::MemSyncScope scope) {
  std::string where = scope == tt::MemSyncScope::GPU   ? "gpu"
                      : scope == tt::MemSyncScope::CTA ? "cta"
                                                       : "sys";
  std::string order = tt::stringifyMemSemantic(semantic).str();
  return order + "." + where;
}

/// Runs `one` for each register that is no copy, in the threads that own it.
LogicalResult run(Operation *op, Emitter &e, Value mask,
                  llvm::function_ref<Value(int64_t reg, Value predicate)> one) {
  Type type = op->getResult(0).getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  uint64_t copies = tensor ? e.layout(tensor).freeVariableMask(layout::kRegister) : 0;
  Value owner = isOwner(e, type);
  uint64_t otherCtas = ctaCopies(op);
  if (otherCtas) {
    if (failed(checkMeeting(op)))
      return failure();
    Value first = e.equal(e.band(e.ctaRank(), e.i32(otherCtas)), e.i32(0));
    owner = owner ? e.band(owner, first) : first;
    // What the other CTAs did before is released with it, and they have read the scratch.
    meetCluster(e);
  }
  size_t count = e.registerTypes(type).size();
  Registers results(count);
  for (size_t reg = 0; reg < count; ++reg) {
    if (reg & copies)
      continue;
    Value predicate = owner;
    if (mask) {
      Value holds = e.get(mask)[e.get(mask).size() == 1 ? 0 : reg];
      predicate = owner ? e.band(owner, holds) : holds;
    }
    results[reg] = one(int64_t(reg), predicate);
  }
  for (size_t reg = 0; reg < count; ++reg)
    results[reg] = results[reg & ~copies];
  if (atomicScratch(op)) {
    LinearLayout layout = tensor ? e.layout(tensor)
                                 : LinearLayout::identity1D(1, layout::kRegister, "dim0") *
                                       LinearLayout::zeros1D(1, layout::kLane, "dim0") *
                                       LinearLayout::zeros1D(1, layout::kWarp, "dim0");
    Exchange exchange(e, {layout, layout}, results.front().getType(), 0);
    e.ifThen(owner, [&] {
      otherCtas ? exchange.storeEverywhere(results, ctasOfProgram(op)) : exchange.store(results);
    });
    if (otherCtas)
      meetCluster(e);
    else
      e.taskBarrier();
    results = exchange.load();
  } else if (otherCtas) {
    meetCluster(e);
  }
  e.set(op->getResult(0), std::move(results));
  return success();
}

LogicalResult lowerRMW(tt::AtomicRMWOp op, Emitter &e) {
  Type type = e.scalarType(op.getType());
  std::string name = instruction(op.getAtomicRmwOp(), type);
  if (name.empty())
    return op.emitError("'tt.atomic_rmw' ")
           << tt::stringifyRMWOp(op.getAtomicRmwOp()) << " of " << type << " has no instruction";
  std::string order = orderOf(op.getSem(), op.getScope());
  const Registers pointers = e.get(op.getPtr()), values = e.get(op.getVal());
  return run(op, e, op.getMask(), [&](int64_t reg, Value predicate) {
    return ptx::atomic(e, predicate, order, name, pointers[reg], {values[reg]});
  });
}

LogicalResult lowerCAS(tt::AtomicCASOp op, Emitter &e) {
  Type type = e.scalarType(op.getType());
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits != 16 && bits != 32 && bits != 64)
    return op.emitError("'tt.atomic_cas' of ") << type << " has no instruction";
  std::string order = orderOf(op.getSem(), op.getScope());
  const Registers pointers = e.get(op.getPtr()), cmp = e.get(op.getCmp()), val = e.get(op.getVal());
  return run(op, e, Value(), [&](int64_t reg, Value predicate) {
    return ptx::atomic(e, predicate, order, "cas.b" + std::to_string(bits), pointers[reg],
                       {cmp[reg], val[reg]});
  });
}

} // namespace

void addAtomics(LoweringTable &table) {
  table.add<tt::AtomicRMWOp>(lowerRMW);
  table.add<tt::AtomicCASOp>(lowerCAS);
}

} // namespace tlx::nvidia
