// Operations in the wrong place: before or after a neighbour, not in the first or
// last iteration, in a loop that runs once too often or too seldom.
#include "tests/mutation/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using tlx::sync::Kind;

namespace tlx::mutation {
namespace {

/// A neighbour that it matters to pass: it synchronises or touches memory.
bool matters(Operation *op) {
  if (op->getNumRegions())
    return false;
  Role role(op);
  return role.synchronises || role.touches;
}

Operation *neighbour(Operation *op, bool later) {
  for (Operation *at = later ? op->getNextNode() : op->getPrevNode(); at;
       at = later ? at->getNextNode() : at->getPrevNode())
    if (at->getNumRegions() || matters(at))
      return matters(at) ? at : nullptr;
  return nullptr;
}

/// Do two operations of the same kind on the same place stand side by side?
bool sameThing(Operation *a, Operation *b) {
  return a->getName() == b->getName() && a->getOperands() == b->getOperands();
}

bool isUsedUpTo(Operation *op, Operation *last) {
  for (Operation *user : op->getUsers()) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock || !last->isBeforeInBlock(inBlock))
      return true;
  }
  return false;
}

/// What `op` needs of its own block and does not yet stand before `place`, in
/// order; false when something of it cannot be moved.
bool needs(Operation *op, Operation *place, SmallVectorImpl<Operation *> &out) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || def->getBlock() != place->getBlock() || def->isBeforeInBlock(place))
      continue;
    if (llvm::is_contained(out, def))
      continue;
    if (def == place || def->getNumRegions() ||
        syncEffectsKind(def->getName()) != SyncEffectsKind::None || !needs(def, place, out))
      return false;
    out.push_back(def);
  }
  return true;
}

int laterVariants(Operation *op, const Role &role, const KernelFacts &) {
  if (!role.synchronises || role.init || op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  Operation *next = neighbour(op, true);
  return next && !sameThing(op, next) && !isUsedUpTo(op, next);
}

bool moveLater(Operation *op, const Role &, int) {
  op->moveAfter(neighbour(op, true));
  return true;
}

int earlierVariants(Operation *op, const Role &role, const KernelFacts &) {
  if (!role.synchronises || role.init || op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  Operation *previous = neighbour(op, false);
  SmallVector<Operation *> defs;
  return previous && !sameThing(op, previous) && needs(op, previous, defs);
}

/// With what it needs.
void moveBefore(Operation *op, Operation *place) {
  SmallVector<Operation *> defs;
  needs(op, place, defs);
  for (Operation *def : defs)
    def->moveBefore(place);
  op->moveBefore(place);
}

bool moveEarlier(Operation *op, const Role &, int) {
  moveBefore(op, neighbour(op, false));
  return true;
}

/// The farthest neighbour that `op` can pass, when that is not the nearest.
Operation *farthest(Operation *op, bool later) {
  Operation *found = nullptr;
  auto movable = [&](Operation *to) {
    SmallVector<Operation *> defs;
    return later ? !isUsedUpTo(op, to) : needs(op, to, defs);
  };
  for (Operation *at = neighbour(op, later); at && movable(at); at = neighbour(at, later))
    found = at;
  return found == neighbour(op, later) ? nullptr : found;
}

template <bool Later> int farVariants(Operation *op, const Role &role, const KernelFacts &) {
  return role.synchronises && !role.init && !op->hasTrait<OpTrait::IsTerminator>() &&
         farthest(op, Later);
}

bool hoist(Operation *op, const Role &, int) {
  moveBefore(op, farthest(op, false));
  return true;
}

bool sink(Operation *op, const Role &, int) {
  op->moveAfter(farthest(op, true));
  return true;
}

int inLoop(Operation *op, const Role &role, const KernelFacts &) {
  return role.synchronises && op->getNumResults() == 0 && isa<scf::ForOp>(op->getParentOp()) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

/// Skipped in the first or last iteration.
template <bool Last> bool skip(Operation *op, const Role &, int) {
  auto loop = cast<scf::ForOp>(op->getParentOp());
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value iv = loop.getInductionVar(), other = loop.getLowerBound();
  auto predicate = arith::CmpIPredicate::ne;
  if (Last) {
    iv = arith::AddIOp::create(b, loc, iv, loop.getStep());
    other = loop.getUpperBound();
    predicate = arith::CmpIPredicate::slt;
  }
  Value cond = arith::CmpIOp::create(b, loc, predicate, iv, other);
  auto guard = scf::IfOp::create(b, loc, cond, /*withElseRegion=*/false);
  op->moveBefore(guard.thenBlock()->getTerminator());
  return true;
}

int synchronisingLoop(Operation *op, const Role &, const KernelFacts &) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return 0;
  bool found = false;
  loop.getBody()->walk([&](Operation *inner) { found |= Role(inner).synchronises; });
  return found;
}

/// The loop starts or ends one step later.
template <bool Start> bool shiftBound(Operation *op, const Role &, int) {
  auto loop = cast<scf::ForOp>(op);
  OpBuilder b(op);
  Value bound = Start ? loop.getLowerBound() : loop.getUpperBound();
  Value moved = arith::AddIOp::create(b, op->getLoc(), bound, loop.getStep());
  op->setOperand(Start ? 0 : 1, moved);
  return true;
}

const Operator list[] = {
    {"move-later", "changes places with what follows", laterVariants, moveLater},
    {"move-earlier", "changes places with what comes before", earlierVariants, moveEarlier},
    {"hoist", "comes as early in its block as it can", farVariants<false>, hoist},
    {"sink", "comes as late in its block as it can", farVariants<true>, sink},
    {"skip-first", "left out in the first iteration", inLoop, skip<false>},
    {"skip-last", "left out in the last iteration", inLoop, skip<true>},
    {"trip-less", "a loop starts one step late", synchronisingLoop, shiftBound<true>},
    {"trip-more", "a loop ends one step late", synchronisingLoop, shiftBound<false>},
};
} // namespace

ArrayRef<Operator> orderOperators() { return list; }

} // namespace tlx::mutation
