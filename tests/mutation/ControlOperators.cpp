// Control gone wrong: counters and phases that loops carry, comparisons, conditions.
#include "tests/mutation/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tlx::mutation {
namespace {

bool inLoop(Operation *op) {
  return op->getParentOfType<scf::ForOp>() || op->getParentOfType<scf::WhileOp>();
}

bool synchronises(Region &region) {
  bool found = false;
  region.walk([&](Operation *inner) { found |= Role(inner).synchronises; });
  return found;
}

int toggles(Operation *op, const Role &, const KernelFacts &) {
  return isa<arith::XOrIOp>(op) && op->getResult(0).getType().isInteger() && inLoop(op);
}

bool keep(Operation *op, const Role &, int) {
  op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  return true;
}

/// Counters that a loop carries.
int steps(Operation *op, const Role &, const KernelFacts &) {
  bool counts = isa<arith::AddIOp>(op) && constantOf(op->getOperand(1)) == 1 && inLoop(op);
  return counts && llvm::any_of(
                       op->getUsers(),
                       [](Operation *user) { return isa<scf::YieldOp, arith::SelectOp>(user); })
             ? 2
             : 0;
}

/// By two, or not at all.
bool changeStep(Operation *op, const Role &, int variant) {
  OpBuilder b(op);
  op->setOperand(1, integer(b, op, op->getOperand(1).getType(), variant ? 0 : 2));
  return true;
}

OperandRange initials(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getInitArgs();
  auto loop = dyn_cast<scf::WhileOp>(op);
  return loop ? loop.getInits() : op->getOperands().take_front(0);
}

bool isBit(Value value) { return constantOf(value) == 0 || constantOf(value) == 1; }

int starts(Operation *op, const Role &, const KernelFacts &) {
  return static_cast<int>(llvm::count_if(initials(op), isBit));
}

/// 1 for 0 and 0 for 1.
bool changeStart(Operation *op, const Role &, int variant) {
  OpBuilder b(op);
  unsigned at = initials(op).getBeginOperandIndex();
  for (; !isBit(op->getOperand(at)) || variant-- > 0; ++at) {
  }
  Value old = op->getOperand(at);
  op->setOperand(at, integer(b, op, old.getType(), 1 - *constantOf(old)));
  return true;
}

arith::CmpIPredicate otherBound(arith::CmpIPredicate predicate) {
  using enum arith::CmpIPredicate;
  switch (predicate) {
  case slt: return sle;
  case sle: return slt;
  case sgt: return sge;
  case sge: return sgt;
  case ult: return ule;
  case ule: return ult;
  case ugt: return uge;
  case uge: return ugt;
  default: return predicate;
  }
}

int comparisons(Operation *op, const Role &, const KernelFacts &) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare && compare.getType().isInteger(1) &&
         otherBound(compare.getPredicate()) != compare.getPredicate();
}

bool changeBound(Operation *op, const Role &, int) {
  auto compare = cast<arith::CmpIOp>(op);
  compare.setPredicate(otherBound(compare.getPredicate()));
  return true;
}

int selections(Operation *op, const Role &, const KernelFacts &) {
  return isa<arith::SelectOp>(op) && op->getResult(0).getType().isInteger() && inLoop(op);
}

bool exchange(Operation *op, const Role &, int) {
  Value yes = op->getOperand(1);
  op->setOperand(1, op->getOperand(2));
  op->setOperand(2, yes);
  return true;
}

int guards(Operation *op, const Role &, const KernelFacts &) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && (synchronises(branch.getThenRegion()) || synchronises(branch.getElseRegion()))
             ? 3
             : 0;
}

/// Negated, always, never.
bool changeGuard(Operation *op, const Role &, int variant) {
  OpBuilder b(op);
  Value cond = op->getOperand(0), yes = integer(b, op, cond.getType(), 1);
  op->setOperand(0, variant == 0   ? Value(arith::XOrIOp::create(b, op->getLoc(), cond, yes))
                    : variant == 1 ? yes
                                   : integer(b, op, cond.getType(), 0));
  return true;
}

const Operator list[] = {
    {"no-flip", "a phase stays as it was", toggles, keep},
    {"step", "a counter counts by two, or not at all", steps, changeStep},
    {"start", "what a loop carries starts with 1 for 0 or 0 for 1", starts, changeStart},
    {"bound", "less for less or equal", comparisons, changeBound},
    {"select", "a selection takes the other side", selections, exchange},
    {"guard", "a branch is taken wrongly, always or never", guards, changeGuard},
};
} // namespace

ArrayRef<Operator> controlOperators() { return list; }

} // namespace tlx::mutation
