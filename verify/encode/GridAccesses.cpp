//===- GridAccesses.cpp - what programs of a grid touch in global memory ---===//
//
// Programs are compared by executing them for numbers (model/Programs.h), so here every
// access says where its elements lie, bounds included, and what the stored value is made
// of, whatever a proof for all sizes makes of it.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tlx::verify {

/// What tells an operation without regions from others, but for its operands; nothing when it
/// reads what the kernel writes, or has effects.
std::optional<std::string> Encoder::functionName(Operation *op) const {
  Value root;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    root = pointerRoot(load.getPtr());
  else if (auto load = dyn_cast<tt::DescriptorLoadOp>(op))
    root = pointerRoot(load.getDesc());
  else if (!isPure(op))
    return std::nullopt;
  if (!isPure(op) && (!root || writtenPointers.contains(root)))
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName().getStringRef();
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      for (int64_t size : tensor.getShape())
        os << ' ' << size;
      os << ' ' << tensor.getElementType();
    }
  for (NamedAttribute attr : op->getAttrs()) {
    Attribute what = attr.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(what)) {
      if (!dense.isSplat())
        return std::nullopt;
      what = dense.getSplatValue<Attribute>();
    }
    os << ' ' << attr.getName().getValue() << '=' << what;
  }
  return text;
}

/// What a loop, a branch or a reduction gives: a function of all that it looks at.
ExprId Encoder::regionKey(Value value, Operation *owner) {
  bool loads = false, known = true;
  owner->walk([&](Operation *inner) {
    bool isLoad = isa<tt::LoadOp, tt::DescriptorLoadOp>(inner);
    loads |= isLoad;
    known &= inner->hasTrait<OpTrait::IsTerminator>() || isa<tt::StoreOp>(inner) ||
             inner->getNumRegions() || functionName(inner).has_value();
  });
  if (!known)
    return NoExpr;
  unsigned which = isa<BlockArgument>(value) ? cast<BlockArgument>(value).getArgNumber()
                                             : cast<OpResult>(value).getResultNumber();
  ExprId key = e.opaque(std::string(isa<BlockArgument>(value) ? "carried " : "region ") +
                        std::to_string(numbers.lookup(owner)) + '#' + std::to_string(which) +
                        (loads ? " loading" : ""));
  llvm::SetVector<Value> used(owner->operand_begin(), owner->operand_end());
  getUsedValuesDefinedAbove(owner->getRegions(), used);
  if (auto loop = dyn_cast<scf::ForOp>(owner); loop && isa<BlockArgument>(value))
    used.insert(loop.getInductionVar());
  return functionOf(key, used.takeVector());
}

/// A function of what these values are made of.
ExprId Encoder::functionOf(ExprId key, ArrayRef<Value> values) {
  for (Value one : values) {
    ExprId part = contentKey(one);
    if (part == NoExpr)
      return NoExpr;
    key = e.opaque("with", key, part);
  }
  return key;
}

/// What a value is made of: arguments, ids, iteration numbers and memory that nobody writes;
/// NoExpr when there is more.
ExprId Encoder::contentKey(Value value) {
  value = throughCaptures(value);
  Type type = value.getType();
  Operation *op = value.getDefiningOp();
  bool ofKernel = !op && value.getParentRegion() == &function->getRegion(0);
  if (type.isIntOrIndex() || (ofKernel && isScalar(type)))
    return scalar(value);
  if (ofKernel)
    return e.opaque("argument " + std::to_string(cast<BlockArgument>(value).getArgNumber()));
  if (auto it = contentKeys.find(value); it != contentKeys.end())
    return it->second;
  contentKeys[value] = NoExpr;
  if (!op) {
    auto loop = dyn_cast<scf::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
    return contentKeys[value] = loop ? regionKey(value, loop) : NoExpr;
  }
  if (isa<ttg::MemDescType>(type))
    return NoExpr;
  if (op->getNumRegions())
    return contentKeys[value] = regionKey(value, op);
  if (isa<ttg::ConvertLayoutOp, tlxd::RequireLayoutOp, tlxd::ReleaseLayoutOp>(op))
    return contentKeys[value] = contentKey(op->getOperand(0));
  std::optional<std::string> name = functionName(op);
  if (!name && isa<tt::LoadOp, tt::DescriptorLoadOp>(op))
    name = Reread; // from the same place it may be the same
  if (!name)
    return NoExpr;
  return contentKeys[value] = functionOf(e.opaque(*name), SmallVector<Value>(op->getOperands()));
}

ExprId Encoder::fixedKey(Value value) {
  ExprId key = contentKey(value);
  return isFixed(key) ? key : NoExpr;
}

int Encoder::tensorNumber(Value root) {
  if (!root)
    return -1;
  return tensorNumbers.try_emplace(root, static_cast<int>(tensorNumbers.size())).first->second;
}

/// Takes elements away where `quantity` is not below (or not above) `bound`. False: they cannot
/// be told by one axis.
bool Encoder::cutAt(Value quantity, Value bound, bool below, bool inclusive, ArrayRef<size_t> axes,
                    GridAccess &access) {
  auto what = affine(quantity), limit = affine(bound);
  if (!what || !limit || what->root || limit->root || !limit->axes.empty())
    return false;
  ExprId left = e.sub(limit->rest, what->rest), one = e.constant(1);
  if (what->axes.empty()) {
    ExprId holds = below ? (inclusive ? e.le(e.constant(0), left) : e.lt(e.constant(0), left))
                         : (inclusive ? e.le(left, e.constant(0)) : e.lt(left, e.constant(0)));
    access.pred = e.both(access.pred, holds);
    return true;
  }
  const auto &[axis, steps] = *what->axes.begin();
  if (what->axes.size() > 1 || !e.isConst(steps.stride) || e[steps.stride].value != 1)
    return false;
  left = e.sub(left, steps.origin);
  GridAccess::Axis &cut = access.axes[axes[static_cast<size_t>(axis)]];
  if (below) {
    ExprId to = inclusive ? e.add(left, one) : left;
    cut.to = cut.to == NoExpr ? to : e.binary(Op::Min, cut.to, to);
  } else {
    ExprId from = inclusive ? left : e.add(left, one);
    cut.from = cut.from == NoExpr ? from : e.binary(Op::Max, cut.from, from);
  }
  return true;
}

/// Takes away what a mask leaves out; false when that is not known exactly.
bool Encoder::cutBy(Value mask, GridAccess &access) {
  MaskConditions conditions = conditionsOf(mask);
  access.pred = e.both(access.pred, conditions.uniform);
  if (conditions.rank > access.axes.size())
    return false;
  bool known = conditions.areAll;
  for (auto &[compare, axes] : conditions.compares) {
    Value lhs = compare.getLhs(), rhs = compare.getRhs();
    auto cut = [&](bool less, bool inclusive) {
      return cutAt(lhs, rhs, less, inclusive, axes, access) ||
             cutAt(rhs, lhs, !less, inclusive, axes, access);
    };
    using P = arith::CmpIPredicate;
    switch (compare.getPredicate()) {
    case P::eq: known &= cut(true, true) && cut(false, true); break;
    case P::ne: known = false; break;
    case P::slt:
    case P::ult: known &= cut(true, false); break;
    case P::sle:
    case P::ule: known &= cut(true, true); break;
    case P::sgt:
    case P::ugt: known &= cut(false, false); break;
    case P::sge:
    case P::uge: known &= cut(false, true); break;
    }
  }
  return known;
}

/// What a copy by descriptor touches: nothing beyond the tensor's sizes.
void Encoder::alongDescriptor(Operation *op, Value desc, GridAccess &access) {
  auto type = dyn_cast<tt::TensorDescType>(desc.getType());
  std::optional<ValueRange> coordinates = coordinatesOf(op);
  desc = throughCaptures(desc);
  if (!type || !coordinates || access.tensor < 0 ||
      coordinates->size() != size_t(type.getBlockType().getRank()))
    return;
  std::optional<Described> made = layoutOf(op, desc);
  if (pointerRoot(desc) != desc && (!made || made->sizes.size() != coordinates->size()))
    return;
  access.base = made ? made->base.rest : e.constant(0);
  for (auto [i, origin, size] : llvm::enumerate(*coordinates, type.getBlockType().getShape())) {
    GridAccess::Axis axis{scalar(origin), made ? made->strides[i] : NoExpr, size};
    if (made) {
      axis.from = e.sub(e.constant(0), axis.origin);
      axis.to = e.sub(made->sizes[i], axis.origin);
    }
    access.axes.push_back(axis);
  }
}

/// What `op` touches through `target`.
void Encoder::gridAccess(Operation *op, Value target, const Effect &effect) {
  bool described = isa<tt::TensorDescType>(target.getType());
  Value root = pointerRoot(target);
  GridAccess access;
  access.tensor = tensorNumber(root);
  access.write = effect.kind == sync::Kind::Write;
  access.reduces = effect.reduces;
  access.async = effect.moment == sync::Moment::Completion;
  access.pred = effect.pred;
  if (described) {
    alongDescriptor(op, target, access);
  } else if (auto at = affine(target); at && at->root) {
    access.base = at->rest;
    auto tensor = dyn_cast<RankedTensorType>(target.getType());
    access.axes.resize(tensor ? static_cast<size_t>(tensor.getRank()) : 0);
    for (auto [i, axis] : llvm::enumerate(access.axes)) {
      axis = {e.constant(0), e.constant(0), tensor.getDimSize(static_cast<unsigned>(i))};
      if (auto moved = at->axes.find(static_cast<int64_t>(i)); moved != at->axes.end())
        axis = {moved->second.origin, moved->second.stride, axis.size};
    }
    if (tensor && tensor.getEncoding())
      access.layout = tensor.getEncoding().getAsOpaquePointer();
  }
  if (Value mask = maskOf(op))
    access.partial = !cutBy(mask, access);
  if (auto store = dyn_cast<tt::StoreOp>(op))
    access.value = contentKey(store.getValue());
  else if (auto stores = dyn_cast<tt::DescriptorStoreOp>(op))
    access.value = contentKey(stores.getSrc());
  gridAccesses.push_back(std::move(access));
}

/// Whether the threads of the task meet in what an operation is compiled to. Elements that
/// change threads do so through shared memory, or within a warp.
Joins Encoder::joinsOf(Operation *op) const {
  StringRef dialect = op->getName().getDialectNamespace();
  bool elementwise =
      dialect == "arith" || dialect == "math" ||
      isa<tt::LoadOp, tt::StoreOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::AddPtrOp,
          tt::MakeRangeOp, tt::GetProgramIdOp, tt::GetNumProgramsOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>();
  SmallVector<tlx::SyncEffect> declared;
  collectSyncEffects(op, declared);
  if (llvm::any_of(declared, [](const tlx::SyncEffect &one) {
        return one.kind == sync::Kind::TaskBarrier || one.taskBarrierBefore;
      }))
    return Joins::Always;
  return elementwise ? Joins::Never : Joins::Perhaps;
}

} // namespace tlx::verify
