// Local simplifications that fbtriton's front end leaves to a pass:
//
//   addf(dot(a, b, 0), d)               ->  dot(a, b, d)
//   addptr(addptr(p, a), b)             ->  addptr(p, a + b), 64-bit offsets or
//                                           constants whose sum fits
//   select(c, load(p, splat c, _), v)   ->  load(p, splat c, v)
//   reshape(descriptor_load)            ->  descriptor_load, where the reshape
//                                           only drops leading sizes of 1
//   reshape feeding a full reduction    ->  allow_reorder: order does not matter
//   sum over k of a[i, k] * b[k, j]     ->  dot(a, b, 0)
#include "compiler/transforms/Passes.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXCOMBINE
#include "compiler/transforms/Passes.h.inc"

namespace {

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// The sum goes into the dot's accumulator. A dot whose accumulator is rounded
/// on the way (maxNumImpreciseAcc) would give another result.
template <typename AddOp> struct DotIntoSum : public OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    for (auto [product, other] :
         {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
      auto dot = product.template getDefiningOp<tt::DotOp>();
      if (!dot || !dot->hasOneUse() || dot.getMaxNumImpreciseAcc() != 0 || !isZero(dot.getC()))
        continue;
      rewriter.modifyOpInPlace(dot, [&] {
        dot.getCMutable().assign(other);
        dot->moveBefore(add);
      });
      rewriter.replaceOp(add, dot.getD());
      return success();
    }
    return failure();
  }
};

struct AddPtrOfAddPtr : public OpRewritePattern<tt::AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tt::AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<tt::AddPtrOp>();
    if (!inner || inner.getOffset().getType() != op.getOffset().getType())
      return failure();
    if (!sumFits(inner.getOffset(), op.getOffset()))
      return failure();
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    Value sum =
        rewriter.createOrFold<arith::AddIOp>(op.getLoc(), inner.getOffset(), op.getOffset());
    auto combined =
        rewriter.replaceOpWithNewOp<tt::AddPtrOp>(op, op.getType(), inner.getPtr(), sum);
    combined->setDiscardableAttrs(attributes);
    return success();
  }

  /// Addresses have 64 bits: sums of that width are right whatever they are. A
  /// narrower sum that wraps would be another address.
  static bool sumFits(Value a, Value b) {
    if (getElementTypeOrSelf(a.getType()).isInteger(64))
      return true;
    std::optional<APInt> first = constantOf(a), second = constantOf(b);
    bool overflows = false;
    if (first && second)
      (void)first->sadd_ov(*second, overflows);
    return first && second && !overflows;
  }

  static std::optional<APInt> constantOf(Value value) {
    Attribute attribute;
    if (!matchPattern(value, m_Constant(&attribute)))
      return std::nullopt;
    if (auto elements = dyn_cast<DenseIntElementsAttr>(attribute))
      return elements.isSplat() ? std::optional(elements.getSplatValue<APInt>()) : std::nullopt;
    if (auto integer = dyn_cast<IntegerAttr>(attribute))
      return integer.getValue();
    return std::nullopt;
  }
};

/// A load reads `other` where its mask is false: the select that follows says
/// what.
struct SelectOfMaskedLoad : public OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto load = op.getTrueValue().getDefiningOp<tt::LoadOp>();
    if (!load || !load.getMask())
      return failure();
    auto mask = load.getMask().getDefiningOp<tt::SplatOp>();
    bool sameMask = mask && mask.getSrc() == op.getCondition();
    if (!sameMask)
      return failure();
    rewriter.replaceOpWithNewOp<tt::LoadOp>(op, load.getType(), load.getPtr(), load.getMask(),
                                            op.getFalseValue(), load.getCache(), load.getEvict(),
                                            load.getIsVolatile());
    return success();
  }
};

/// A descriptor reads straight into the lower rank when only sizes of 1 go.
struct ReshapeOfDescriptorLoad : public OpRewritePattern<tt::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tt::ReshapeOp op, PatternRewriter &rewriter) const override {
    auto load = op.getSrc().getDefiningOp<tt::DescriptorLoadOp>();
    if (!load || !load->hasOneUse())
      return failure();
    ArrayRef<int64_t> from = load.getType().getShape(), to = op.getType().getShape();
    if (to.size() >= from.size() || from.take_back(to.size()) != to ||
        llvm::any_of(from.drop_back(to.size()), [](int64_t size) { return size != 1; }))
      return failure();
    rewriter.modifyOpInPlace(load, [&] { load.getResult().setType(op.getType()); });
    rewriter.replaceOp(op, load.getResult());
    return success();
  }
};

/// Summing or counting all elements of a vector needs no order.
struct UnorderedReshape : public OpRewritePattern<tt::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tt::ReshapeOp op, PatternRewriter &rewriter) const override {
    if (op.getAllowReorder() || op.getType().getRank() != 1)
      return failure();
    // An op that also takes positions (argmax) reads more than this value.
    bool free = llvm::all_of(op->getUsers(), [](Operation *user) {
      if (auto reduce = dyn_cast<tt::ReduceOp>(user))
        return reduce->getNumOperands() == 1 &&
               (!reduce->hasAttr("reduction_ordering") ||
                cast<StringAttr>(reduce->getAttr("reduction_ordering")).getValue() == "unordered");
      return isa<tt::HistogramOp>(user) && user->getNumOperands() == 1;
    });
    if (op->use_empty() || !free)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.setAllowReorder(true); });
    return success();
  }
};

/// A matrix product written with broadcasts:
/// reduce<add, axis 1>(broadcast(expand_dims a, 2) * broadcast(expand_dims b, 0)).
struct ProductOfBroadcasts : public OpRewritePattern<tt::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  static constexpr int64_t kSmallestDot = 16;

  /// The matrix behind `value`, repeated along `axis`.
  static Value repeated(Value value, unsigned axis) {
    auto broadcast = value.getDefiningOp<tt::BroadcastOp>();
    auto expand =
        broadcast ? broadcast.getSrc().getDefiningOp<tt::ExpandDimsOp>() : tt::ExpandDimsOp();
    return expand && expand.getAxis() == axis ? expand.getSrc() : Value();
  }

  static bool adds(tt::ReduceOp op) {
    Block &block = op.getCombineOp().front();
    if (!llvm::hasNItems(block, 2))
      return false;
    auto add = dyn_cast<arith::AddFOp>(block.front());
    return add && add.getType().getIntOrFloatBitWidth() <= 32 &&
           block.getTerminator()->getOperand(0) == add.getResult();
  }

  LogicalResult matchAndRewrite(tt::ReduceOp op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 1 || op.getAxis() != 1 || !adds(op))
      return failure();
    auto product = op->getOperand(0).getDefiningOp<arith::MulFOp>();
    auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!product || !result || result.getRank() != 2)
      return failure();
    Value a = repeated(product.getLhs(), 2), b = repeated(product.getRhs(), 0);
    if (!a || !b || result.getDimSize(0) < kSmallestDot || result.getDimSize(1) < kSmallestDot)
      return failure();
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(result));
    rewriter.replaceOpWithNewOp<tt::DotOp>(op, result, a, b, zero);
    return success();
  }
};

struct TlxCombine : public impl::TlxCombineBase<TlxCombine> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns
        .add<DotIntoSum<arith::AddFOp>, DotIntoSum<arith::AddIOp>, AddPtrOfAddPtr,
             SelectOfMaskedLoad, ReshapeOfDescriptorLoad, UnorderedReshape, ProductOfBroadcasts>(
            context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
