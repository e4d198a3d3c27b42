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
  if (auto it = carried.find(value); it != carried.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!op) {
    bool argument = cast<BlockArgument>(value).getOwner() == &function->getRegion(0).front();
    if (argument && isa<tt::PointerType>(value.getType()))
      return Affine{value, e.constant(0), {}};
    if (!isScalar(value.getType()) || isa<tt::PointerType>(value.getType()))
      return std::nullopt;
    return Affine{{}, scalar(value), {}};
  }
  StringRef name = op->getName().getStringRef();
  auto of = [&](unsigned operand) { return affine(op->getOperand(operand)); };
  if (name == "tt.addptr" || (tensor && name == "arith.addi"))
    return sum(of(0), of(1));
  bool pointer = isa<tt::PointerType>(value.getType());
  if (!tensor && !(pointer && name == "arith.select"))
    return isScalar(value.getType()) && !pointer ? std::optional(Affine{{}, scalar(value), {}})
                                                 : std::nullopt;
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
  if (name == "arith.select" && isScalar(op->getOperand(0).getType())) {
    auto yes = of(1), no = of(2);
    if (!yes || !no || !yes->sameButRest(*no))
      return std::nullopt;
    yes->rest = e.select(scalar(op->getOperand(0)), yes->rest, no->rest);
    return yes;
  }
  if (name == "arith.subi") {
    auto b = of(1);
    return b ? sum(of(0), product(*b, e.constant(-1))) : std::nullopt;
  }
  if (name == "arith.muli")
    for (unsigned i : {0u, 1u}) {
      auto by = of(i), other = of(1 - i);
      if (by && other && by->axes.empty())
        return product(*other, by->rest);
    }
  return std::nullopt;
}

/// Whether a value is one for the whole tile.
static bool isUniform(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<tt::SplatOp>(op) ||
         (isa<arith::MulIOp, arith::AddIOp, arith::SubIOp, arith::ExtSIOp, ttg::ConvertLayoutOp,
              tt::BroadcastOp, tt::ExpandDimsOp>(op) &&
          llvm::all_of(op->getOperands(), isUniform));
}

/// Whether a value is `from` with the same added to each element.
static bool isMoved(Value value, Value from) {
  if (value == from)
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tt::AddPtrOp, arith::SubIOp>(op))
    return isMoved(op->getOperand(0), from) && isUniform(op->getOperand(1));
  if (isa_and_nonnull<arith::AddIOp>(op))
    return (isMoved(op->getOperand(0), from) && isUniform(op->getOperand(1))) ||
           (isMoved(op->getOperand(1), from) && isUniform(op->getOperand(0)));
  return isa_and_nonnull<ttg::ConvertLayoutOp>(op) && isMoved(op->getOperand(0), from);
}

/// A pointer or an offset that the iterations of a loop move on, as a whole tile: where it is
/// becomes a variable of the loop. -1 when it changes otherwise.
VarId Encoder::carryOffset(Value arg, Value init, Value next, Stmt &loop) {
  if (!isAddress(arg.getType()) || !isMoved(next, arg))
    return -1;
  std::optional<Affine> from = affine(init);
  if (!from)
    return -1;
  VarId var = newVar(arg);
  loop.inits.push_back({var, from->rest});
  from->rest = e.var(var);
  carried[arg] = *from;
  return var;
}

Encoder::MaskConditions Encoder::conditionsOf(Value mask) {
  MaskConditions out;
  auto type = dyn_cast<RankedTensorType>(mask.getType());
  out.rank = type ? static_cast<size_t>(type.getRank()) : 0;
  SmallVector<size_t> axes = llvm::to_vector(llvm::seq(out.rank));
  addConditions(mask, axes, out);
  return out;
}

/// `axes`: of the mask, for each of `part`.
void Encoder::addConditions(Value part, SmallVector<size_t> axes, MaskConditions &out) {
  part = throughCaptures(part);
  Operation *op = part.getDefiningOp();
  if (!isa<RankedTensorType>(part.getType())) {
    out.uniform = e.both(out.uniform, scalar(part));
  } else if (isa_and_nonnull<arith::AndIOp, tt::SplatOp, tt::BroadcastOp, ttg::ConvertLayoutOp>(
                 op)) {
    for (Value operand : op->getOperands())
      addConditions(operand, axes, out);
  } else if (auto expand = dyn_cast_or_null<tt::ExpandDimsOp>(op)) {
    axes.erase(axes.begin() + expand.getAxis());
    addConditions(expand.getSrc(), std::move(axes), out);
  } else if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
    out.compares.emplace_back(compare, std::move(axes));
  } else {
    auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
    auto dense = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
    out.areAll &= dense && dense.isSplat() && dense.getSplatValue<APInt>().isOne();
  }
}

/// Conditions that hold at the tile's beginning when they hold anywhere: upper bounds
/// that the launch chooses, see `bounds`. One that is the same for the whole tile joins
/// `predicate`.
bool Encoder::boundsOnly(Value mask, ExprId &predicate, std::set<int64_t> &bounds) {
  MaskConditions conditions = conditionsOf(mask);
  predicate = e.both(predicate, conditions.uniform);
  return conditions.areAll && llvm::all_of(conditions.compares, [&](auto &part) {
           using P = arith::CmpIPredicate;
           P p = part.first.getPredicate();
           bool less = p == P::slt || p == P::ult || p == P::sle || p == P::ule;
           bool equality = p == P::eq || p == P::ne;
           auto bound = affine(less ? part.first.getRhs() : part.first.getLhs());
           if (equality || !bound || !bound->axes.empty())
             return false;
           const ExprNode &node = e[bound->rest];
           bounds.insert(node.value);
           return node.op == Op::Sym && e.symbols[node.value].parameter >= 0;
         });
}

/// Whether the launch gives an expression, the same to all programs.
bool Encoder::isOfParameters(ExprId expr) const {
  if (expr == NoExpr)
    return true;
  const ExprNode &node = e[expr];
  if (node.op == Op::Var || node.op == Op::Opaque ||
      (node.op == Op::Sym && e.symbols[node.value].parameter < 0))
    return false;
  return isOfParameters(node.a) && isOfParameters(node.b) && isOfParameters(node.c);
}

/// How much of a box lies within a tensor along a dimension, where it shows. A size that the
/// launch gives may be as large as it likes, and whole boxes divide a constant one.
std::optional<int64_t> Encoder::within(ExprId origin, int64_t size, ExprId whole) const {
  if (!e.isConst(whole))
    return isOfParameters(whole) ? std::optional(size) : std::nullopt;
  int64_t all = e[whole].value;
  if (!e.isConst(origin))
    return all % size == 0 ? std::optional(size) : std::nullopt;
  int64_t from = e[origin].value;
  return from >= 0 && from < all ? std::optional(std::min(size, all - from)) : std::nullopt;
}

/// A constant stride is one more of memory, an unknown one a range of its own.
void Encoder::addAxis(Tile &tile, Range &memory, const Affine::Axis &axis) {
  if (e.isConst(axis.stride)) {
    memory.origin = e.add(memory.origin, e.binary(Op::Mul, axis.origin, axis.stride));
    memory.extents.push_back({axis.size, e[axis.stride].value});
    return;
  }
  auto at = std::upper_bound(tile.strides.begin(), tile.strides.end(), axis.stride);
  tile.ranges.insert(tile.ranges.begin() + (at - tile.strides.begin()),
                     Range{axis.origin, {{axis.size, 1}}, false});
  tile.strides.insert(at, axis.stride);
}

/// The base, sizes and strides of a descriptor that is made where `op` uses it, or around it.
std::optional<Encoder::Described> Encoder::layoutOf(Operation *op, Value desc) {
  Operation *maker = makerOf(desc);
  if (!maker || !maker->getBlock()->findAncestorOpInBlock(*op))
    return std::nullopt;
  Described out;
  std::optional<Affine> base;
  if (auto make = dyn_cast<tt::MakeTensorDescOp>(maker)) {
    base = affine(make.getBase());
    for (auto [size, stride] : llvm::zip(make.getShape(), make.getStrides())) {
      out.sizes.push_back(scalar(size));
      out.strides.push_back(scalar(stride));
    }
  } else {
    auto create = cast<ttng::TensormapCreateOp>(maker);
    base = affine(create.getGlobalAddress());
    Type element = cast<tt::PointerType>(create.getGlobalAddress().getType()).getPointeeType();
    int64_t bytes = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() / 8 : 0;
    for (Value size : llvm::reverse(create.getGlobalDim()))
      out.sizes.push_back(scalar(size));
    for (Value stride : llvm::reverse(create.getGlobalStride())) {
      auto elements = bytes ? divided(scalar(stride), bytes) : std::nullopt;
      if (!elements)
        return std::nullopt;
      out.strides.push_back(*elements);
    }
    out.strides.push_back(e.constant(1));
  }
  if (!base || !base->root || !base->axes.empty() || out.sizes.size() != out.strides.size())
    return std::nullopt;
  out.base = *base;
  return out;
}

/// Where a copy by descriptor begins; nothing when that is not how it says it.
std::optional<ValueRange> Encoder::coordinatesOf(Operation *op) const {
  if (auto load = dyn_cast<ttng::AsyncTMACopyGlobalToLocalOp>(op))
    return load.getCoord();
  if (auto store = dyn_cast<ttng::AsyncTMACopyLocalToGlobalOp>(op))
    return store.getCoord();
  if (auto reduce = dyn_cast<ttng::AsyncTMAReduceOp>(op))
    return reduce.getCoord();
  if (auto load = dyn_cast<tt::DescriptorLoadOp>(op))
    return load.getIndices();
  if (auto store = dyn_cast<tt::DescriptorStoreOp>(op))
    return store.getIndices();
  if (auto reduce = dyn_cast<tt::DescriptorReduceOp>(op))
    return reduce.getIndices();
  return std::nullopt;
}

/// Where a copy by descriptor lies in the tensor.
std::optional<Encoder::Tile> Encoder::boxOf(Operation *op, Value desc) {
  auto type = dyn_cast<tt::TensorDescType>(desc.getType());
  std::optional<ValueRange> coordinates = coordinatesOf(op);
  desc = throughCaptures(desc);
  if (!type || !pointerRoot(desc) || !coordinates ||
      coordinates->size() != size_t(type.getBlockType().getRank()))
    return std::nullopt;
  Tile tile;
  auto boxes = llvm::enumerate(*coordinates, type.getBlockType().getShape());
  if (pointerRoot(desc) == desc) { // whose strides the launch gives
    tile.root = desc;
    for (auto [i, origin, size] : boxes)
      tile.ranges.push_back({scalar(origin), {{size, 1}}, false});
    return tile;
  }
  std::optional<Described> what = layoutOf(op, desc);
  if (!what || what->sizes.size() != coordinates->size())
    return std::nullopt;
  tile.root = what->base.root;
  Range memory{what->base.rest, {}, true};
  for (auto [i, coordinate, size] : boxes) {
    ExprId origin = scalar(coordinate), stride = what->strides[i];
    std::optional<int64_t> length = within(origin, size, what->sizes[i]);
    if (!length || (e.isConst(stride) && e[stride].value < 1))
      return std::nullopt;
    addSymbols(what->sizes[i], tile.bounds);
    addAxis(tile, memory, {origin, *length, stride});
  }
  tile.ranges.push_back(std::move(memory));
  return tile;
}

/// What a tile of pointers names.
std::optional<Encoder::Tile> Encoder::tileOf(Value pointers) {
  auto at = affine(pointers);
  if (!at || !at->root)
    return std::nullopt;
  Tile tile;
  tile.root = at->root;
  Range memory{at->rest, {}, true}; // along constant strides
  for (const auto &[axis, one] : at->axes) {
    if (e.isConst(one.stride) && e[one.stride].value < 1)
      return std::nullopt;
    addAxis(tile, memory, one);
  }
  tile.ranges.push_back(std::move(memory));
  return tile;
}

} // namespace tlx::verify
