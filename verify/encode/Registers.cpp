//===- Registers.cpp - products that are read before they are complete ------===//
//
// An asynchronous warp_group_dot returns at once; its result is in registers that the
// tensor cores write until a warp_group_dot_wait. The IR's values say who reads it:
// what uses the result itself, or what loops and branches make of it, rather than a
// result of a wait for all products. Each product that somebody so reads gets a buffer
// of its own, in no memory (Space::None), that it writes and they read.
//
// The accumulator that a later product takes is not read: products of one warp group
// run in order.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tlx::verify {

/// The values that are the used one under another name. Nothing: it is read.
static std::optional<SmallVector<Value>> sameValues(OpOperand &use) {
  Operation *op = use.getOwner(), *parent = op->getParentOp();
  unsigned at = use.getOperandNumber();
  if (auto dot = dyn_cast<ttng::WarpGroupDotOp>(op); dot && use.get() == dot.getC())
    return SmallVector<Value>{};
  if (auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(op))
    return wait.getPendings() == 0 ? SmallVector<Value>{} : SmallVector<Value>{wait->getResult(at)};
  if (isa<tlxd::RequireLayoutOp, tlxd::ReleaseLayoutOp>(op))
    return SmallVector<Value>{op->getResult(0)};
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && at >= loop.getNumControlOperands()) {
    unsigned i = at - loop.getNumControlOperands();
    return SmallVector<Value>{loop.getRegionIterArg(i), loop.getResult(i)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return SmallVector<Value>{loop.getBeforeArguments()[at]};
  if (isa<scf::ConditionOp>(op) && at > 0) {
    auto loop = cast<scf::WhileOp>(parent);
    return SmallVector<Value>{loop.getAfterArguments()[at - 1], loop.getResult(at - 1)};
  }
  if (!isa<scf::YieldOp>(op))
    return std::nullopt;
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return SmallVector<Value>{loop.getRegionIterArg(at), loop.getResult(at)};
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return SmallVector<Value>{loop.getBeforeArguments()[at]};
  return SmallVector<Value>{parent->getResult(at)};
}

/// Finds who reads products that may not be complete.
void Encoder::findEarlyReads() {
  function->walk([&](ttng::WarpGroupDotOp dot) {
    if (!dot.getIsAsync())
      return;
    llvm::DenseSet<Value> seen;
    SmallVector<Value> open{dot.getD()};
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (OpOperand &use : value.getUses())
        if (auto same = sameValues(use))
          open.append(*same);
        else
          earlyReads[use.getOwner()].insert(dot);
    }
  });
  for (const auto &[reader, dots] : earlyReads)
    for (Operation *dot : dots)
      productRegisters.try_emplace(dot, -1);
}

/// `dot` writes its result, or somebody reads it.
Effect Encoder::onRegisters(Operation *dot, sync::Kind kind) {
  int &buffer = productRegisters[dot];
  if (buffer < 0) {
    Buffer registers;
    registers.name = "the registers of " + nameOf(dot->getResult(0), "a product");
    registers.where = sync::Space::None;
    registers.space = -(2 << 20) - static_cast<int>(p.buffers.size());
    registers.stride = 1;
    registers.ranks = p.ranks;
    buffer = p.addBuffer(std::move(registers));
  }
  Effect effect;
  effect.kind = kind;
  effect.target.object = buffer;
  if (kind == sync::Kind::Write) {
    effect.proxy = sync::Proxy::Async;
    effect.moment = sync::Moment::Completion;
    effect.group = sync::Group::Wgmma;
  }
  return effect;
}

void Encoder::earlyRead(Operation *op, Block &out) {
  auto found = earlyReads.find(op);
  if (found == earlyReads.end())
    return;
  Event event;
  event.op = op->getName().getStringRef().str();
  event.loc = locOf(op);
  event.operation = numbers.lookup(op);
  for (Operation *dot : found->second)
    event.effects.push_back(onRegisters(dot, sync::Kind::Read));
  out.push_back(eventStmt(p.addEvent(std::move(event))));
}

} // namespace tlx::verify
