// Wrong numbers: counts, bytes, phases, slots, stages, predicates, groups, ids.
#include "tests/mutation/Operators.h"

#include "compiler/dialect/ttg/TTG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using tlx::sync::Kind;

namespace tlx::mutation {
namespace {

/// Replaces one operand of `op`, wherever it stands.
bool replace(Operation *op, Value from, Value to) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == from) {
      operand.set(to);
      return true;
    }
  return false;
}

/// The attribute that holds `amount`, by the names that counts go by.
StringRef amountAttr(Operation *op) {
  for (StringRef name : {"count", "size", "pendings", "num", "num_inst"})
    if (isa_and_nonnull<IntegerAttr>(op->getAttr(name)))
      return name;
  return {};
}

bool setAmount(Operation *op, int64_t value) {
  StringRef name = amountAttr(op);
  auto old = cast<IntegerAttr>(op->getAttr(name));
  op->setAttr(name, IntegerAttr::get(old.getType(), value));
  return true;
}

int64_t amountOf(Operation *op) { return cast<IntegerAttr>(op->getAttr(amountAttr(op))).getInt(); }

template <bool Role::*Is, int N> int counted(Operation *op, const Role &role, const KernelFacts &) {
  return role.*Is && !amountAttr(op).empty() ? N : 0;
}

bool changeCount(Operation *op, const Role &, int variant) {
  int64_t changed = amountOf(op) + (variant ? -1 : 1);
  return changed >= 0 && setAmount(op, changed);
}

bool changeBytes(Operation *op, const Role &, int variant) {
  int64_t bytes = amountOf(op);
  return setAmount(op, variant == 0 ? bytes / 2 : variant == 1 ? bytes * 2 : bytes + 16);
}

int phases(Operation *, const Role &role, const KernelFacts &) {
  const SyncEffect *wait = role.first(Kind::BarrierWait);
  return wait && wait->phase ? (constantOf(wait->phase) ? 1 : 3) : 0;
}

/// Flipped, or pinned to 0 or 1.
bool changePhase(Operation *op, const Role &role, int variant) {
  Value phase = role.first(Kind::BarrierWait)->phase;
  OpBuilder b(op);
  Value one = integer(b, op, phase.getType(), 1);
  Value wrong = variant == 0   ? Value(arith::XOrIOp::create(b, op->getLoc(), phase, one))
                : variant == 1 ? one
                               : integer(b, op, phase.getType(), 0);
  return replace(op, phase, wrong);
}

int slots(Operation *op, const Role &, const KernelFacts &) {
  auto index = dyn_cast<ttg::MemDescIndexOp>(op);
  if (!index || cast<ttg::MemDescType>(op->getOperand(0).getType()).getShape()[0] < 2)
    return 0;
  return constantOf(op->getOperand(1)) ? 1 : 2;
}

/// The next slot of the ring, or always slot 0.
bool changeSlot(Operation *op, const Role &, int variant) {
  int64_t count = cast<ttg::MemDescType>(op->getOperand(0).getType()).getShape()[0];
  Value index = op->getOperand(1);
  OpBuilder b(op);
  auto number = [&](int64_t value) { return integer(b, op, index.getType(), value); };
  if (std::optional<int64_t> known = constantOf(index))
    op->setOperand(1, number((*known + 1) % count));
  else if (variant == 1)
    op->setOperand(1, number(0));
  else
    op->setOperand(1, arith::RemSIOp::create(
                          b, op->getLoc(), arith::AddIOp::create(b, op->getLoc(), index, number(1)),
                          number(count)));
  return true;
}

/// Arithmetic with the number of stages, or the last of them, as a constant.
int stages(Operation *op, const Role &, const KernelFacts &facts) {
  bool divides = isa<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(op);
  if (!divides && !isa<arith::CmpIOp>(op))
    return 0;
  std::optional<int64_t> by = constantOf(op->getOperand(1));
  return by && facts.stages.contains(divides ? *by : *by + 1) ? 2 : 0;
}

bool changeStages(Operation *op, const Role &, int variant) {
  int64_t by = *constantOf(op->getOperand(1)) + (variant ? -1 : 1);
  if (by < 0 || (by == 0 && !isa<arith::CmpIOp>(op)))
    return false;
  OpBuilder b(op);
  op->setOperand(1, integer(b, op, op->getOperand(1).getType(), by));
  return true;
}

int predicates(Operation *op, const Role &role, const KernelFacts &) {
  if (!role.synchronises || role.effects.empty() || !role.effects[0].predicate)
    return 0;
  Value predicate = role.effects[0].predicate;
  return predicate.getType().isInteger(1) ? (constantOf(predicate) ? 1 : 2) : 0;
}

/// Negated, or always.
bool changePredicate(Operation *op, const Role &role, int variant) {
  Value predicate = role.effects[0].predicate;
  OpBuilder b(op);
  Value yes = integer(b, op, predicate.getType(), 1);
  return replace(op, predicate,
                 variant ? yes : Value(arith::XOrIOp::create(b, op->getLoc(), predicate, yes)));
}

int namedIds(Operation *op, const Role &role, const KernelFacts &) {
  return role.named && op->getNumOperands() == 2 && constantOf(op->getOperand(0)) ? 1 : 0;
}

bool changeId(Operation *op, const Role &, int) {
  OpBuilder b(op);
  Value id = op->getOperand(0);
  op->setOperand(0, integer(b, op, id.getType(), (*constantOf(id) + 1) % 16));
  return true;
}

int namedCounts(Operation *op, const Role &role, const KernelFacts &) {
  return role.named && op->getNumOperands() == 2 && constantOf(op->getOperand(1)) ? 2 : 0;
}

bool changeThreads(Operation *op, const Role &, int variant) {
  OpBuilder b(op);
  Value threads = op->getOperand(1);
  int64_t changed = *constantOf(threads) + (variant ? -128 : 128);
  if (changed <= 0)
    return false;
  op->setOperand(1, integer(b, op, threads.getType(), changed));
  return true;
}

/// Done by every thread where one did it, and the other way round.
int threads(Operation *op, const Role &role, const KernelFacts &) {
  return role.arrive && op->getName().getStringRef() == "ttng.arrive_barrier";
}

bool changeThreadsOf(Operation *op, const Role &, int) {
  if (op->hasAttr("perThread"))
    op->removeAttr("perThread");
  else
    op->setAttr("perThread", UnitAttr::get(op->getContext()));
  return true;
}

const Operator list[] = {
    {"init-count", "a barrier counts one more or fewer", counted<&Role::init, 2>, changeCount},
    {"arrive-count", "an arrival counts one more or fewer", counted<&Role::arrive, 2>, changeCount},
    {"bytes", "half, twice or 16 more bytes expected", counted<&Role::expect, 3>, changeBytes},
    {"pending-groups", "a wait leaves one group more or fewer", counted<&Role::groupWait, 2>,
     changeCount},
    {"phase", "the parity is flipped or pinned", phases, changePhase},
    {"slot", "the next slot, or always the first", slots, changeSlot},
    {"stages", "a ring is taken for a longer or shorter one", stages, changeStages},
    {"predicate", "a predicate is negated or ignored", predicates, changePredicate},
    {"named-id", "another named barrier", namedIds, changeId},
    {"named-threads", "a warp group more or fewer on a named barrier", namedCounts, changeThreads},
    {"arrive-threads", "every thread arrives instead of one, or one of all", threads,
     changeThreadsOf},
};
} // namespace

ArrayRef<Operator> valueOperators() { return list; }

} // namespace tlx::mutation
