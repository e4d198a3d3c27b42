// Products with scales, which the tensor cores lack, are products of scaled operands:
//
//   tt.dot_scaled %a scale %s, %b, %c   ->   tt.dot (float(%a) * 2^(%s - 127)), float(%b), %c
//
// in bf16, or f16 where an operand has it. A scale of 255 stands for NaN.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SharedBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXDECOMPOSESCALED
#include "compiler/transforms/Passes.h.inc"

namespace {

RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

Type withElement(Value value, Type element) {
  return RankedTensorType::get(tileType(value).getShape(), element);
}

class Decompose {
public:
  explicit Decompose(tt::DotScaledOp op) : op(op), b(op), loc(op.getLoc()) {
    bool half = op.getAElemType() == tt::ScaleDotElemType::FP16 ||
                op.getBElemType() == tt::ScaleDotElemType::FP16;
    work = half ? Type(b.getF16Type()) : Type(b.getBF16Type());
  }

  LogicalResult run() {
    FailureOr<Value> x = operand(op.getA(), op.getAScale(), op.getAElemType(), 1, op.getLhsKPack());
    FailureOr<Value> y = operand(op.getB(), op.getBScale(), op.getBElemType(), 0, op.getRhsKPack());
    if (failed(x) || failed(y))
      return failure();
    auto product = tt::DotOp::create(b, loc, op.getType(), *x, *y, op.getC());
    op.replaceAllUsesWith(product.getD());
    op.erase();
    return success();
  }

private:
  /// `sum` is the summed dimension.
  FailureOr<Value> operand(Value value, Value scale, tt::ScaleDotElemType kind, unsigned sum,
                           bool packedAlongSum) {
    unsigned rank = tileType(value).getRank(), axis = rank - 2 + sum;
    FailureOr<Value> wide = widened(value, kind, packedAlongSum ? axis : 2 * rank - 3 - axis);
    if (failed(wide) || !scale)
      return wide;
    // Scales have the summed dimension last.
    bool exponents = tileType(scale).getElementType().isInteger(8);
    Value factor = spread(exponents ? powerOfTwo(scale) : converted(scale, work), *wide, sum == 0);
    Value scaled = arith::MulFOp::create(b, loc, *wide, factor);
    if (!exponents || op.getFastMath())
      return scaled;
    Value invalid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, scale,
                                          splat(scale, b.getIntegerAttr(b.getI8Type(), -1)));
    const llvm::fltSemantics &semantics = cast<FloatType>(work).getFloatSemantics();
    Value nan = splat(scaled, b.getFloatAttr(work, APFloat::getQNaN(semantics)));
    return arith::SelectOp::create(b, loc, spread(invalid, scaled, sum == 0), nan, scaled)
        .getResult();
  }

  FailureOr<Value> widened(Value value, tt::ScaleDotElemType kind, unsigned packedAxis) {
    switch (kind) {
    case tt::ScaleDotElemType::E2M1: {
      SmallVector<int64_t> shape(tileType(value).getShape());
      shape[packedAxis] *= 2;
      return ttg::Fp4ToFpOp::create(b, loc, RankedTensorType::get(shape, work), value, packedAxis)
          .getResult();
    }
    case tt::ScaleDotElemType::E4M3:
      return converted(as(value, b.getType<Float8E4M3FNType>()), work);
    case tt::ScaleDotElemType::E5M2: return converted(as(value, b.getType<Float8E5M2Type>()), work);
    case tt::ScaleDotElemType::BF16:
    case tt::ScaleDotElemType::FP16: return converted(value, work);
    default:
      op.emitError("'tt.dot_scaled' of elements of 6 bits has no lowering");
      return failure();
    }
  }

  Value as(Value value, Type element) {
    if (tileType(value).getElementType() == element)
      return value;
    return tt::BitcastOp::create(b, loc, withElement(value, element), value);
  }

  Value converted(Value value, Type element) {
    Type from = tileType(value).getElementType();
    if (from == element)
      return value;
    tt::RoundingModeAttr rounding;
    if (from.getIntOrFloatBitWidth() >= element.getIntOrFloatBitWidth())
      rounding = tt::RoundingModeAttr::get(b.getContext(), tt::RoundingMode::RTNE);
    return tt::FpToFpOp::create(b, loc, withElement(value, element), value, /*rbits=*/Value(),
                                rounding);
  }

  /// 2^(exponent - 127): the byte is the exponent of a bf16 or, since f16 holds few of
  /// them, an f32.
  Value powerOfTwo(Value exponents) {
    Type wide = work.isF16() ? Type(b.getF32Type()) : work;
    unsigned bits = wide.getIntOrFloatBitWidth();
    Type word = b.getIntegerType(bits);
    Value value = arith::ExtUIOp::create(b, loc, withElement(exponents, word), exponents);
    value = arith::ShLIOp::create(b, loc, value,
                                  splat(value, b.getIntegerAttr(word, bits == 32 ? 23 : 7)));
    return converted(tt::BitcastOp::create(b, loc, withElement(exponents, wide), value), work);
  }

  Value splat(Value like, TypedAttr element) {
    auto type = cast<RankedTensorType>(withElement(like, element.getType()));
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, element));
  }

  /// Each value of `scale` for all elements of `like` that it belongs to.
  Value spread(Value scale, Value like, bool sumFirst) {
    SmallVector<int64_t> shape(tileType(scale).getShape());
    int64_t sums = tileType(like).getDimSize(shape.size() - (sumFirst ? 2 : 1));
    Type element = tileType(scale).getElementType();
    int64_t group = sums / shape.back();
    shape.push_back(1);
    Value result = tt::ExpandDimsOp::create(b, loc, RankedTensorType::get(shape, element), scale,
                                            shape.size() - 1);
    shape.back() = group;
    result = tt::BroadcastOp::create(b, loc, RankedTensorType::get(shape, element), result);
    shape.pop_back();
    shape.back() = sums;
    result = tt::ReshapeOp::create(b, loc, RankedTensorType::get(shape, element), result);
    if (!sumFirst)
      return result;
    SmallVector<int32_t> order;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      order.push_back(dim);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return tt::TransOp::create(b, loc, withElement(like, element), result, order);
  }

  tt::DotScaledOp op;
  OpBuilder b;
  Location loc;
  Type work;
};

struct TlxDecomposeScaled : public impl::TlxDecomposeScaledBase<TlxDecomposeScaled> {
  void runOnOperation() override {
    SmallVector<tt::DotScaledOp> ops;
    getOperation().walk([&](tt::DotScaledOp op) { ops.push_back(op); });
    for (tt::DotScaledOp op : ops)
      if (failed(Decompose(op).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tlx
