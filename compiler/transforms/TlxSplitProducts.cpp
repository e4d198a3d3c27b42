// Products of f32 in more bits than tensor cores take are sums of products of parts:
//
//   tt.dot %a, %b, %c, inputPrecision = tf32x3
//     ->   high(a) high(b) + (high(a) low(b) + low(a) high(b)) + c
//
// An infinity has NaN for its low part: NaN in the small products counts for nothing.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SharedBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXSPLITPRODUCTS
#include "compiler/transforms/Passes.h.inc"

namespace {

RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

class SplitProduct {
public:
  explicit SplitProduct(tt::DotOp op) : op(op), b(op), loc(op.getLoc()) {}

  void run() {
    bool tf32 = op.getInputPrecision() == tt::InputPrecision::TF32x3;
    unsigned count = op.getInputPrecision() == tt::InputPrecision::BF16x6 ? 3 : 2;
    SmallVector<Value> x = parts(op.getA(), count, tf32), y = parts(op.getB(), count, tf32);
    // Small products first; those of two parts that are smaller still are left out.
    SmallVector<std::pair<unsigned, unsigned>> small = {{1, 0}, {0, 1}};
    if (count == 3)
      small.insert(small.begin(), {{1, 1}, {2, 0}, {0, 2}});
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(op.getType()));
    Value sum = zero;
    for (auto [left, right] : small)
      sum = product(x[left], y[right], sum);
    Value invalid = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, sum, sum);
    sum = arith::SelectOp::create(b, loc, invalid, zero, sum);
    sum = product(x[0], y[0], sum);
    if (!matchPattern(op.getC(), m_AnyZeroFloat()))
      sum = arith::AddFOp::create(b, loc, sum, op.getC());
    op.replaceAllUsesWith(sum);
    op.erase();
  }

private:
  /// `value` is their sum, as nearly as `count` of them can say.
  SmallVector<Value> parts(Value value, unsigned count, bool tf32) {
    SmallVector<Value> result;
    Value rest = value;
    for (unsigned index = 0; index < count; ++index) {
      bool last = index + 1 == count;
      if (tf32) {
        result.push_back(last ? rest : roundedToTf32(rest));
        if (!last)
          rest = arith::SubFOp::create(b, loc, rest, result.back());
        continue;
      }
      auto narrow = RankedTensorType::get(tileType(value).getShape(), b.getBF16Type());
      result.push_back(arith::TruncFOp::create(b, loc, narrow, rest));
      if (!last)
        rest = arith::SubFOp::create(b, loc, rest,
                                     arith::ExtFOp::create(b, loc, value.getType(), result.back()));
    }
    return result;
  }

  Value roundedToTf32(Value value) {
    return tt::ElementwiseInlineAsmOp::create(b, loc, value.getType(), "cvt.rna.tf32.f32 $0, $1;",
                                              "=r,r", /*pure=*/true,
                                              /*packed_element=*/1, value)
        .getResult()
        .front();
  }

  Value product(Value x, Value y, Value sum) {
    return tt::DotOp::create(b, loc, op.getType(), x, y, sum, tt::InputPrecision::TF32);
  }

  tt::DotOp op;
  OpBuilder b;
  Location loc;
};

/// Tensor cores take 16 x 8 and sums of 16 at least.
bool isSplit(tt::DotOp op) {
  bool precise = llvm::is_contained(
      {tt::InputPrecision::TF32x3, tt::InputPrecision::BF16x3, tt::InputPrecision::BF16x6},
      op.getInputPrecision());
  RankedTensorType a = tileType(op.getA()), d = tileType(op.getD());
  return precise && a.getElementType().isF32() && d.getElementType().isF32() && !d.getEncoding() &&
         a.getShape().back() >= 16 && d.getShape().drop_back().back() >= 16 &&
         d.getShape().back() >= 8;
}

struct TlxSplitProducts : public impl::TlxSplitProductsBase<TlxSplitProducts> {
  void runOnOperation() override {
    if (!isForHopper(getOperation()))
      return;
    SmallVector<tt::DotOp> ops;
    getOperation().walk([&](tt::DotOp op) {
      if (isSplit(op))
        ops.push_back(op);
    });
    for (tt::DotOp op : ops)
      SplitProduct(op).run();
  }
};

} // namespace
} // namespace tlx
