// The wrong object: another barrier, buffer, alias, part or CTA.
#include "tests/mutation/Operators.h"

#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using tlx::sync::Kind;

namespace tlx::mutation {
namespace {

/// Other memory of the same type that `op` could have named instead: first what
/// its region was given or has allocated, in order.
SmallVector<Value> others(Operation *op, Value than) {
  SmallVector<Value> found;
  auto consider = [&](Value value) {
    if (value != than && value.getType() == than.getType() && found.size() < 2)
      found.push_back(value);
  };
  for (Block *block = op->getBlock(); block; block = block->getParentOp()->getBlock()) {
    for (Value argument : block->getArguments())
      consider(argument);
    Operation *before = block->findAncestorOpInBlock(*op);
    for (Operation &at : *block) {
      if (&at == before)
        break;
      bool allocates = at.getNumResults() == 1 && at.getName().getStringRef().ends_with("alloc");
      if (allocates)
        consider(at.getResult(0));
    }
    if (block->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>() ||
        !block->getParentOp()->getBlock())
      break;
  }
  return found;
}

/// Views are cut where they are used: the cut of something else is another object.
template <bool Barriers> int objects(Operation *op, const Role &, const KernelFacts &) {
  auto index = dyn_cast<ttg::MemDescIndexOp>(op);
  if (!index)
    return 0;
  auto type = cast<ttg::MemDescType>(op->getOperand(0).getType());
  if (ttg::isBarrierType(type) != Barriers)
    return 0;
  return static_cast<int>(others(op, op->getOperand(0)).size());
}

bool changeObject(Operation *op, const Role &, int variant) {
  op->setOperand(0, others(op, op->getOperand(0))[variant]);
  return true;
}

/// Parts of one buffer that are told apart by an offset fall together, or halfway.
int parts(Operation *op, const Role &, const KernelFacts &) {
  if (auto slice = dyn_cast<ttg::MemDescSubsliceOp>(op))
    return llvm::any_of(slice.getOffsets(), [](int32_t offset) { return offset != 0; });
  auto offset = op->getAttrOfType<IntegerAttr>("N");
  bool later = op->getName().getStringRef() == "ttng.tmem_subslice" && offset && offset.getInt();
  return later ? 1 + (offset.getInt() % 2 == 0) : 0;
}

bool changePart(Operation *op, const Role &, int variant) {
  if (auto slice = dyn_cast<ttg::MemDescSubsliceOp>(op)) {
    SmallVector<int32_t> zeros(slice.getOffsets().size(), 0);
    slice.setOffsets(zeros);
  } else {
    auto offset = op->getAttrOfType<IntegerAttr>("N");
    op->setAttr("N", IntegerAttr::get(offset.getType(), variant ? offset.getInt() / 2 : 0));
  }
  return true;
}

/// An alias is laid over other memory of the same type.
int aliases(Operation *op, const Role &, const KernelFacts &) {
  return op->getName().getStringRef() == "tlx.local_alias"
             ? static_cast<int>(others(op, op->getOperand(0)).size())
             : 0;
}

int overlaps(Operation *op, const Role &, const KernelFacts &) {
  return isa<tlxd::ReuseGroupOp>(op) ? 2 : 0;
}

/// What lay side by side shares its storage and the other way round; or groups are of
/// another size.
bool changeOverlap(Operation *op, const Role &, int variant) {
  auto group = cast<tlxd::ReuseGroupOp>(op);
  if (variant) {
    group.setGroupSize(group.getGroupSize() == 1 ? 2 : 1);
    return true;
  }
  auto kind = group.getGroupKind() == tlxd::ReuseGroupKind::Shared ? tlxd::ReuseGroupKind::Distinct
                                                                   : tlxd::ReuseGroupKind::Shared;
  group.setGroupKind(kind);
  group.getResult().setType(tlxd::ReuseGroupType::get(op->getContext(), kind));
  return true;
}

const SyncEffect *ranked(const Role &role, bool mask) {
  for (const SyncEffect &effect : role.effects)
    if (effect.rank && effect.rankIsMask == mask)
      return &effect;
  return nullptr;
}

int masks(Operation *, const Role &role, const KernelFacts &) { return ranked(role, true) ? 3 : 0; }

/// Multicast to the first CTA only, to all but the first, or to each one's successor.
bool changeMask(Operation *op, const Role &role, int variant) {
  Value mask = ranked(role, true)->rank;
  OpBuilder b(op);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, op->getLoc(), b.getIntegerAttr(mask.getType(), value));
  };
  Value wrong = variant == 2
                    ? Value(arith::ShLIOp::create(b, op->getLoc(), mask, number(1)))
                    : arith::AndIOp::create(b, op->getLoc(), mask, number(variant ? -2 : 1));
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == mask) {
      operand.set(wrong);
      return true;
    }
  return false;
}

int ranks(Operation *op, const Role &, const KernelFacts &) {
  return op->getName().getStringRef() == "ttng.map_to_remote_buffer" ? 2 : 0;
}

/// The neighbour's copy, or always that of CTA 0.
bool changeRank(Operation *op, const Role &, int variant) {
  OpBuilder b(op);
  Value rank = op->getOperand(1);
  Value one =
      arith::ConstantOp::create(b, op->getLoc(), b.getIntegerAttr(rank.getType(), variant ? 0 : 1));
  op->setOperand(1, variant ? one : Value(arith::XOrIOp::create(b, op->getLoc(), rank, one)));
  return true;
}

const Operator list[] = {
    {"wrong-barrier", "another barrier array", objects<true>, changeObject},
    {"wrong-buffer", "another buffer", objects<false>, changeObject},
    {"part", "a part of a buffer lies at its start or halfway there", parts, changePart},
    {"alias", "an alias of other memory", aliases, changeObject},
    {"overlap", "buffers of one storage overlap differently", overlaps, changeOverlap},
    {"mask", "a multicast reaches other CTAs", masks, changeMask},
    {"rank", "another CTA of the cluster", ranks, changeRank},
};
} // namespace

ArrayRef<Operator> targetOperators() { return list; }

} // namespace tlx::mutation
