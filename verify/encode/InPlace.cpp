//===- InPlace.cpp - memory that is changed in place -----------------------===//
//
// Attention rescales its accumulator before each product, the first included, which then
// does not take it over:
//
//   %x = ttng.tmem_load %acc
//   %y = arith.mulf %x, %alpha
//   ttng.tmem_store %y, %acc
//
// Such a load may find anything, and the store leaves there as much as it found.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tlx::verify {

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Whether the results are nothing but a function of the operands.
static bool onlyComputes(Operation *op) {
  return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
         isMemoryEffectFree(op);
}

/// Whether two values are computed alike from the same.
static bool isSame(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (a == b || !x || !y || !onlyComputes(x) || x->getNumResults() > 1)
    return a == b;
  return OperationEquivalence::isEquivalentTo(
      x, y, [](Value of, Value other) { return success(isSame(of, other)); }, nullptr,
      OperationEquivalence::IgnoreLocations);
}

/// Whether `op` has that effect on this place.
static bool touches(Operation *op, sync::Kind kind, Value place) {
  SmallVector<tlx::SyncEffect> declared;
  collectSyncEffects(op, declared);
  return llvm::any_of(declared, [&](const tlx::SyncEffect &one) {
    return one.kind == kind && one.target && isSame(one.target, place);
  });
}

/// Whether all that becomes of what `op` reads at `place` is written there again.
bool readsInPlace(Operation *op, Value place) {
  SmallVector<Value> open;
  llvm::DenseSet<Operation *> seen;
  llvm::copy_if(op->getResults(), std::back_inserter(open), isTensor);
  bool isWritten = false;
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (!seen.insert(user).second)
        continue;
      if (touches(user, sync::Kind::Write, place))
        isWritten = true;
      else if (onlyComputes(user))
        llvm::append_range(open, user->getResults());
      else
        return false;
    }
  return isWritten;
}

/// Whether what `op` writes at `place` rests on what it held. A selection may choose
/// something else.
bool writesInPlace(Operation *op, Value place) {
  SmallVector<Value> open;
  llvm::DenseSet<Operation *> seen;
  llvm::copy_if(op->getOperands(), std::back_inserter(open), isTensor);
  while (!open.empty()) {
    Operation *from = open.pop_back_val().getDefiningOp();
    if (!from || !seen.insert(from).second || isa<arith::SelectOp>(from))
      continue;
    if (touches(from, sync::Kind::Read, place) && readsInPlace(from, place))
      return true;
    if (onlyComputes(from))
      llvm::copy_if(from->getOperands(), std::back_inserter(open), isTensor);
  }
  return false;
}

} // namespace tlx::verify
