//===- Addresses.cpp - tiles of global memory from addresses ---------------===//
//
// Tiles are addressed by sums: splat(p + a) + (b + range(0, 64))[:, None] * s +
// range(0, 32)[None, :]. What does not differ within the tile is its origin; each
// range is an extent with a stride. Constant strides are one axis of memory
// together, an unknown one is an axis of its own. Copies by descriptor name the
// origin on each axis.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tlx::verify {

std::optional<Encoder::Affine> Encoder::sum(const std::optional<Affine> &a,
                                            const std::optional<Affine> &b) {
  if (!a || !b || (a->root && b->root))
    return std::nullopt;
  Affine out = *a;
  if (b->root)
    out.root = b->root;
  out.rest = e.add(a->rest, b->rest);
  for (const auto &[axis, one] : b->axes)
    if (!out.axes.try_emplace(axis, one).second)
      return std::nullopt; // a diagonal, no tile
  return out;
}

std::optional<Encoder::Affine> Encoder::product(const Affine &a, ExprId by) {
  Affine out = a;
  bool moved = false;
  for (auto &[axis, one] : out.axes) {
    // (b + i) * s begins at b on the axis of s.
    if (a.axes.size() == 1 && e.isConst(one.stride) && e[one.stride].value == 1 && !e.isConst(by)) {
      one.origin = e.add(one.origin, a.rest);
      moved = true;
    }
    one.stride = e.binary(Op::Mul, one.stride, by);
  }
  out.rest = moved ? e.constant(0) : e.binary(Op::Mul, a.rest, by);
  return out;
}

/// A value, or the elements of a tensor, as a sum; nothing when it is none.
std::optional<Encoder::Affine> Encoder::affine(Value value) {
  value = throughCaptures(value);
  Operation *op = value.getDefiningOp();
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!op) {
    bool argument = cast<BlockArgument>(value).getOwner()->getParentOp() == function;
    if (argument && isa<tt::PointerType>(value.getType()))
      return Affine{value, e.constant(0), {}};
    if (!isScalar(value.getType()))
      return std::nullopt;
    return Affine{{}, scalar(value), {}};
  }
  StringRef name = op->getName().getStringRef();
  auto of = [&](unsigned operand) { return affine(op->getOperand(operand)); };
  if (name == "tt.addptr" || (tensor && name == "arith.addi"))
    return sum(of(0), of(1));
  if (!tensor)
    return isScalar(value.getType()) ? std::optional(Affine{{}, scalar(value), {}}) : std::nullopt;
  if (name == "tt.splat" || name == "tt.broadcast" || name == "ttg.convert_layout" ||
      name == "tlx.require_layout" || name == "tlx.release_layout" || name == "arith.extsi" ||
      name == "arith.extui" || name == "arith.index_cast")
    return of(0);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!dense || !dense.isSplat())
      return std::nullopt;
    return Affine{{}, e.constant(dense.getSplatValue<APInt>().getSExtValue()), {}};
  }
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    int64_t start = range.getStart(), size = int64_t(range.getEnd()) - start;
    return Affine{{}, e.constant(start), {{0, {e.constant(0), size, e.constant(1)}}}};
  }
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    auto from = of(0);
    if (!from)
      return from;
    std::map<int64_t, Affine::Axis> axes;
    for (const auto &[axis, one] : from->axes)
      axes[axis + (axis >= int64_t(expand.getAxis()))] = one;
    from->axes = std::move(axes);
    return from;
  }
  if (name == "arith.subi") {
    auto b = of(1);
    return b && b->axes.empty() ? sum(of(0), product(*b, e.constant(-1))) : std::nullopt;
  }
  if (name == "arith.muli")
    for (unsigned i : {0u, 1u}) {
      auto by = of(i), other = of(1 - i);
      if (by && other && by->axes.empty())
        return product(*other, by->rest);
    }
  return std::nullopt;
}

/// Conditions that hold at the tile's beginning when they hold anywhere: upper bounds
/// that the launch chooses. One that is the same for the whole tile joins `predicate`.
bool Encoder::boundsOnly(Value mask, ExprId &predicate) {
  mask = throughCaptures(mask);
  Operation *op = mask.getDefiningOp();
  if (!isa<RankedTensorType>(mask.getType())) {
    ExprId also = scalar(mask);
    predicate = predicate == NoExpr ? also : e.binary(Op::And, predicate, also);
    return true;
  }
  if (!op)
    return false;
  StringRef name = op->getName().getStringRef();
  if (name == "arith.andi")
    return boundsOnly(op->getOperand(0), predicate) && boundsOnly(op->getOperand(1), predicate);
  if (name == "tt.splat" || name == "tt.broadcast" || name == "tt.expand_dims" ||
      name == "ttg.convert_layout")
    return boundsOnly(op->getOperand(0), predicate);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    return dense && dense.isSplat() && dense.getSplatValue<APInt>().isOne();
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return false;
  using P = arith::CmpIPredicate;
  P p = compare.getPredicate();
  bool less = p == P::slt || p == P::ult || p == P::sle || p == P::ule;
  bool more = p == P::sgt || p == P::ugt || p == P::sge || p == P::uge;
  auto bound = affine(op->getOperand(less ? 1 : 0));
  if (!(less || more) || !bound || !bound->axes.empty())
    return false;
  const ExprNode &node = e[bound->rest];
  return node.op == Op::Sym && e.symbols[node.value].parameter >= 0;
}

/// A range from `origin` on, in steps of one.
static Range steps(ExprId origin, int64_t size) { return {origin, {{size, 1}}}; }

/// The argument that a descriptor is or is made from; null when unclear.
Value Encoder::descriptorRoot(Value desc) const {
  desc = throughCaptures(desc);
  if (auto make = desc.getDefiningOp<tt::MakeTensorDescOp>())
    return pointerRoot(make.getBase());
  auto argument = dyn_cast<BlockArgument>(desc);
  return argument && argument.getOwner()->getParentOp() == function ? desc : Value();
}

/// Where a copy by descriptor lies in the tensor.
std::optional<Encoder::Tile> Encoder::boxOf(Operation *op, Value desc) {
  auto type = dyn_cast<tt::TensorDescType>(desc.getType());
  ValueRange coordinates;
  if (auto load = dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op))
    coordinates = load.getCoord();
  else if (auto store = dyn_cast<ttng::AsyncTMACopyLocalToGlobalOp>(op))
    coordinates = store.getCoord();
  else if (auto reduce = dyn_cast<ttng::AsyncTMAReduceOp>(op))
    coordinates = reduce.getCoord();
  else if (auto load = dyn_cast<tt::DescriptorLoadOp>(op))
    coordinates = load.getIndices();
  else if (auto store = dyn_cast<tt::DescriptorStoreOp>(op))
    coordinates = store.getIndices();
  else if (auto reduce = dyn_cast<tt::DescriptorReduceOp>(op))
    coordinates = reduce.getIndices();
  else
    return std::nullopt;
  if (!type || !descriptorRoot(desc) || coordinates.size() != size_t(type.getBlockType().getRank()))
    return std::nullopt;
  Tile tile;
  for (auto [origin, size] : llvm::zip(coordinates, type.getBlockType().getShape()))
    tile.ranges.push_back(steps(scalar(origin), size));
  tile.root = descriptorRoot(desc);
  if (auto make = throughCaptures(desc).getDefiningOp<tt::MakeTensorDescOp>()) {
    auto at = affine(make.getBase());
    if (!at || !at->root)
      return std::nullopt;
    tile.root = at->root;
    tile.strides = {NoExpr, at->rest}; // not those of a tile of pointers
    for (Value stride : make.getStrides())
      tile.strides.push_back(scalar(stride));
  }
  return tile;
}

/// What a tile of pointers names.
std::optional<Encoder::Tile> Encoder::tileOf(Value pointers) {
  auto at = affine(pointers);
  if (!at || !at->root)
    return std::nullopt;
  Tile tile;
  tile.root = at->root;
  Range memory{at->rest, {}}; // along constant strides
  for (const auto &[axis, one] : at->axes) {
    if (e.isConst(one.stride)) {
      int64_t stride = e[one.stride].value;
      if (stride < 1)
        return std::nullopt;
      memory.origin = e.add(memory.origin, e.binary(Op::Mul, one.origin, one.stride));
      memory.extents.push_back({one.size, stride});
      continue;
    }
    tile.ranges.push_back(steps(one.origin, one.size));
    tile.strides.push_back(one.stride);
  }
  tile.ranges.push_back(std::move(memory));
  return tile;
}

} // namespace tlx::verify
