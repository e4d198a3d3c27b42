// Operations that are missing, or there twice.
#include "tests/mutation/Operators.h"

#include "compiler/dialect/ttg/TTG.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using tlx::sync::Kind;

namespace tlx::mutation {
namespace {

/// Removes an operation; what used its results takes its operand of the same
/// type (accumulators pass through waits), or a token from nowhere.
bool drop(Operation *op, const Role &, int) {
  op->getContext()->getOrLoadDialect<ub::UBDialect>();
  OpBuilder b(op);
  unsigned next = 0;
  for (Value result : op->getResults()) {
    Value instead;
    for (unsigned i = next; i < op->getNumOperands() && !instead; ++i)
      if (op->getOperand(i).getType() == result.getType())
        instead = op->getOperand(i), next = i + 1;
    if (!instead && !result.use_empty())
      instead = ub::PoisonOp::create(b, op->getLoc(), result.getType());
    if (instead)
      result.replaceAllUsesWith(instead);
  }
  op->erase();
  return true;
}

bool twice(Operation *op, const Role &, int) {
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  b.clone(*op);
  return true;
}

template <bool Role::*Is> int once(Operation *op, const Role &role, const KernelFacts &) {
  return role.*Is && !op->hasTrait<OpTrait::IsTerminator>();
}

/// A copy keeps what its dropping would leave without a value.
int droppableCopy(Operation *op, const Role &role, const KernelFacts &) {
  return role.copy && op->getNumRegions() == 0;
}

/// A store by the threads themselves. One that allocates leaves nothing to read.
int plainStore(Operation *op, const Role &role, const KernelFacts &) {
  return role.store && !role.synchronises && !role.has(Kind::Read) &&
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<ttg::MemDescType>);
}

int clusterArrive(Operation *, const Role &role, const KernelFacts &) {
  return role.has(Kind::ClusterArrive);
}

/// An arrive and the wait that follows it.
bool dropClusterSync(Operation *op, const Role &, int) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (Role(next).has(Kind::ClusterWait)) {
      next->erase();
      op->erase();
      return true;
    }
  return false;
}

const Operator list[] = {
    {"drop-wait", "a wait on an mbarrier is missing", once<&Role::wait>, drop},
    {"drop-arrive", "an arrival is missing", once<&Role::arrive>, drop},
    {"drop-expect", "bytes are not expected", once<&Role::expect>, drop},
    {"drop-init", "a barrier is not initialised", once<&Role::init>, drop},
    {"drop-inval", "a barrier is not invalidated", once<&Role::inval>, drop},
    {"drop-fence", "a fence is missing", once<&Role::fence>, drop},
    {"drop-commit", "a group is not committed", once<&Role::commit>, drop},
    {"drop-group-wait", "a wait for groups is missing", once<&Role::groupWait>, drop},
    {"drop-named", "a task skips a named barrier", once<&Role::named>, drop},
    {"drop-cluster-half", "a cluster arrive or wait is missing", once<&Role::cluster>, drop},
    {"drop-cluster-sync", "a cluster arrive and its wait are missing", clusterArrive,
     dropClusterSync},
    {"drop-task-barrier", "a barrier over the task is missing", once<&Role::taskBarrier>, drop},
    {"drop-copy", "an asynchronous copy is missing", droppableCopy, drop},
    {"drop-store", "a store to shared or tensor memory is missing", plainStore, drop},
    {"twice-wait", "a wait stands twice", once<&Role::wait>, twice},
    {"twice-arrive", "an arrival stands twice", once<&Role::arrive>, twice},
    {"twice-expect", "bytes are expected twice", once<&Role::expect>, twice},
    {"twice-init", "a barrier is initialised twice", once<&Role::init>, twice},
    {"twice-inval", "a barrier is invalidated twice", once<&Role::inval>, twice},
    {"twice-commit", "a group is committed twice", once<&Role::commit>, twice},
    {"twice-copy", "a copy is issued twice", droppableCopy, twice},
    {"twice-named", "a named barrier is met twice", once<&Role::named>, twice},
};
} // namespace

ArrayRef<Operator> dropOperators() { return list; }

} // namespace tlx::mutation
