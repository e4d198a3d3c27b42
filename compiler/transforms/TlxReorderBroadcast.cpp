// Arithmetic on repeated values is done once, before they are repeated:
//
//   add(splat a, splat b)         ->  splat(add a, b)
//   add(broadcast x, splat b)     ->  broadcast(add x, splat b')
//
// The other order would compute every element of the big tile to find that they
// are equal.
#include "compiler/transforms/Passes.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXREORDERBROADCAST
#include "compiler/transforms/Passes.h.inc"

namespace {

/// An element-wise op without effects on tiles, with one result.
bool isMovable(Operation *op) {
  bool elementwise = op->hasTrait<OpTrait::Elementwise>() || isa<tt::ElementwiseInlineAsmOp>(op);
  return elementwise && op->getNumOperands() > 0 && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

/// `op` on other operands, with a result of `type`.
Operation *cloneOn(PatternRewriter &rewriter, Operation *op, ValueRange operands, Type type) {
  OperationState state(op->getLoc(), op->getName(), operands, type, op->getAttrs());
  return rewriter.create(state);
}

/// The scalar that `value` repeats, made where none exists; null: it is no splat.
Value scalarOf(PatternRewriter &rewriter, Value value) {
  if (auto splat = value.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return {};
  auto scalar = dyn_cast<TypedAttr>(constant.getSplatValue<Attribute>());
  return scalar ? arith::ConstantOp::create(rewriter, value.getLoc(), scalar).getResult() : Value();
}

bool isSplat(Value value) {
  DenseElementsAttr constant;
  return value.getDefiningOp<tt::SplatOp>() ||
         (matchPattern(value, m_Constant(&constant)) && constant.isSplat());
}

struct MoveSplat : public RewritePattern {
  explicit MoveSplat(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isMovable(op) || !llvm::all_of(op->getOperands(), isSplat))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(scalarOf(rewriter, operand));
    Operation *scalar = cloneOn(rewriter, op, scalars, type.getElementType());
    rewriter.replaceOpWithNewOp<tt::SplatOp>(op, type, scalar->getResult(0));
    return success();
  }
};

struct MoveBroadcast : public RewritePattern {
  explicit MoveBroadcast(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isMovable(op))
      return failure();
    tt::BroadcastOp broadcast;
    for (Value operand : op->getOperands()) {
      auto candidate = operand.getDefiningOp<tt::BroadcastOp>();
      if (!candidate) {
        if (!isSplat(operand))
          return failure();
        continue;
      }
      if (!broadcast)
        broadcast = candidate;
      else if (cast<RankedTensorType>(broadcast.getSrc().getType()).getShape() !=
               cast<RankedTensorType>(candidate.getSrc().getType()).getShape())
        return failure();
    }
    if (!broadcast)
      return failure();

    auto small = cast<RankedTensorType>(broadcast.getSrc().getType());
    auto ofSmall = [&](Type type) {
      auto tensor = cast<RankedTensorType>(type);
      return RankedTensorType::get(small.getShape(), tensor.getElementType(), small.getEncoding());
    };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (auto source = operand.getDefiningOp<tt::BroadcastOp>()) {
        operands.push_back(source.getSrc());
        continue;
      }
      Type type = ofSmall(operand.getType());
      DenseElementsAttr constant;
      if (matchPattern(operand, m_Constant(&constant)))
        operands.push_back(arith::ConstantOp::create(
            rewriter, operand.getLoc(),
            SplatElementsAttr::get(cast<ShapedType>(type), constant.getSplatValue<Attribute>())));
      else
        operands.push_back(tt::SplatOp::create(rewriter, operand.getLoc(), type,
                                               operand.getDefiningOp<tt::SplatOp>().getSrc()));
    }
    Type result = op->getResult(0).getType();
    Operation *moved = cloneOn(rewriter, op, operands, ofSmall(result));
    rewriter.replaceOpWithNewOp<tt::BroadcastOp>(op, result, moved->getResult(0));
    return success();
  }
};

struct TlxReorderBroadcast : public impl::TlxReorderBroadcastBase<TlxReorderBroadcast> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    tt::BroadcastOp::getCanonicalizationPatterns(patterns, context);
    tt::ExpandDimsOp::getCanonicalizationPatterns(patterns, context);
    patterns.add<MoveSplat, MoveBroadcast>(context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
