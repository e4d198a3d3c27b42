// Folders and canonical forms of dialect `tt`. A tile whose elements are equal is
// a constant or a splat of a scalar, whatever its shape went through; views
// compose; masks that are constant go.
#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tlx::tt {
namespace {

/// A constant tile of equal elements in another shape.
OpFoldResult reshapeSplat(Attribute source, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(source);
  return splat ? splat.resizeSplat(cast<ShapedType>(type)) : OpFoldResult();
}

/// Op on `splat x` gives `splat x` in the result's shape.
LogicalResult forwardSplat(Operation *op, PatternRewriter &rewriter) {
  auto splat = op->getOperand(0).getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op->getResult(0).getType(), splat.getSrc());
  return success();
}

std::optional<bool> constantMask(Value mask) {
  DenseElementsAttr elements;
  if (!mask || !matchPattern(mask, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<bool>();
}

} // namespace

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return reshapeSplat(adaptor.getSrc(), getType());
}

// expand_dims(broadcast x) -> broadcast(expand_dims x): broadcasts then meet.
LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  if (succeeded(forwardSplat(op, rewriter)))
    return success();
  auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return failure();
  auto small = cast<RankedTensorType>(broadcast.getSrc().getType());
  auto big = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(small.getShape());
  shape.insert(shape.begin() + op.getAxis(), 1);
  auto type = RankedTensorType::get(shape, small.getElementType(), big.getEncoding());
  Value expanded =
      ExpandDimsOp::create(rewriter, op.getLoc(), type, broadcast.getSrc(), op.getAxis());
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, big, expanded);
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  return reshapeSplat(adaptor.getSrc(), getType());
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (op.getEfficientLayout())
    return failure();
  if (auto inner = op.getSrc().getDefiningOp<ReshapeOp>()) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSrc(),
                                           op.getAllowReorder() || inner.getAllowReorder(),
                                           op.getEfficientLayout());
    return success();
  }
  return forwardSplat(op, rewriter);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return reshapeSplat(adaptor.getSrc(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  if (auto inner = op.getSrc().getDefiningOp<BroadcastOp>()) {
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
    return success();
  }
  return forwardSplat(op, rewriter);
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  bool identity = llvm::all_of(llvm::enumerate(getOrder()),
                               [](auto entry) { return int64_t(entry.index()) == entry.value(); });
  if (identity && getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> order;
    for (int32_t dim : getOrder())
      order.push_back(inner.getOrder()[dim]);
    setOrder(order);
    setOperand(inner.getSrc());
    return getResult();
  }
  return reshapeSplat(adaptor.getSrc(), getType());
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getStart() + 1 != getEnd())
    return {};
  auto type = cast<RankedTensorType>(getType());
  return SplatElementsAttr::get(type, Builder(getContext()).getI32IntegerAttr(getStart()));
}

// Zeros convert to zeros; other constants are left to the target's rounding.
OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  bool negative = matchPattern(getSrc(), m_NegZeroFloat());
  if (!negative && !matchPattern(getSrc(), m_PosZeroFloat()))
    return {};
  auto type = cast<FloatType>(elementTypeOrSelf(getType()));
  if (!APFloat::semanticsHasZero(type.getFloatSemantics()))
    return {};
  auto zero = FloatAttr::get(type, APFloat::getZero(type.getFloatSemantics(), negative));
  if (auto tensor = dyn_cast<ShapedType>(getType()))
    return SplatElementsAttr::get(tensor, Attribute(zero));
  return zero;
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  return matchPattern(adaptor.getOffset(), m_Zero()) ? getPtr() : Value();
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  std::optional<bool> mask = constantMask(op.getMask());
  if (!mask)
    return failure();
  if (*mask) {
    rewriter.replaceOpWithNewOp<LoadOp>(op, op.getType(), op.getPtr(), Value(), Value(),
                                        op.getCache(), op.getEvict(), op.getIsVolatile());
    return success();
  }
  // What a load that reads nothing gives without `other` is not defined: it stays.
  if (!op.getOther())
    return failure();
  rewriter.replaceOp(op, op.getOther());
  return success();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  std::optional<bool> mask = constantMask(op.getMask());
  if (!mask)
    return failure();
  if (*mask)
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  else
    rewriter.eraseOp(op);
  return success();
}

} // namespace tlx::tt
