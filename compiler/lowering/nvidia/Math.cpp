// Elementary functions. Exponentials, logarithms and roots use the hardware's
// approximations, as the front end's contract allows (2 ulp for exp2 and rsqrt in
// f32). Logarithms know subnormal numbers, the others take them for 0, as in the
// producer's code. Half precision is computed in f32, f64 by the device library.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Library.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

template <typename From, typename To> static LogicalResult lowerSame(From op, Emitter &e) {
  return elementwise(
      op, e, [&](ValueRange x) -> Value { return To::create(e.b, e.loc, x[0].getType(), x); });
}

static Value f32(Emitter &e, double value) {
  return LL::ConstantOp::create(e.b, e.loc, e.b.getF32Type(), e.b.getF32FloatAttr(float(value)));
}

/// instruction(x * before) * after, in f32.
static LogicalResult approximate(Operation *op, Emitter &e, StringRef instruction,
                                 double before = 1, double after = 1) {
  Type type = e.scalarType(op->getResult(0).getType());
  if (type.isF64())
    return lowerFunction(op, e, op->getName().stripDialect());
  if (!type.isF32() && !type.isF16() && !type.isBF16())
    return op->emitError("'") << op->getName() << "' of " << type << " has no lowering for sm_90a";
  return elementwise(op, e, [&](ValueRange operands) -> Value {
    Value x = operands[0];
    if (!type.isF32())
      x = LL::FPExtOp::create(e.b, e.loc, e.b.getF32Type(), x);
    if (before != 1)
      x = LL::FMulOp::create(e.b, e.loc, x, f32(e, before));
    x = ptx::approximation(e, instruction, x);
    if (after != 1)
      x = LL::FMulOp::create(e.b, e.loc, x, f32(e, after));
    return type.isF32() ? x : Value(LL::FPTruncOp::create(e.b, e.loc, type, x));
  });
}

static LogicalResult lowerExp2(math::Exp2Op op, Emitter &e) {
  return approximate(op, e, "ex2.approx.ftz");
}
static LogicalResult lowerExp(math::ExpOp op, Emitter &e) {
  return approximate(op, e, "ex2.approx.ftz", std::numbers::log2e);
}
static LogicalResult lowerLog2(math::Log2Op op, Emitter &e) {
  return approximate(op, e, "lg2.approx");
}
static LogicalResult lowerLog(math::LogOp op, Emitter &e) {
  return approximate(op, e, "lg2.approx", 1, std::numbers::ln2);
}
static LogicalResult lowerRsqrt(math::RsqrtOp op, Emitter &e) {
  return approximate(op, e, "rsqrt.approx.ftz");
}

static LogicalResult lowerAbsI(math::AbsIOp op, Emitter &e) {
  return elementwise(op, e, [&](ValueRange x) -> Value {
    return LL::AbsOp::create(e.b, e.loc, x[0].getType(), x[0], /*is_int_min_poison=*/false);
  });
}

void addMath(LoweringTable &table) {
  table.add<math::Exp2Op>(lowerExp2);
  table.add<math::ExpOp>(lowerExp);
  table.add<math::Log2Op>(lowerLog2);
  table.add<math::LogOp>(lowerLog);
  table.add<math::RsqrtOp>(lowerRsqrt);
  table.add<math::SqrtOp>(lowerSame<math::SqrtOp, LL::SqrtOp>);
  table.add<tt::PreciseSqrtOp>(lowerSame<tt::PreciseSqrtOp, LL::SqrtOp>);
  table.add<math::AbsFOp>(lowerSame<math::AbsFOp, LL::FAbsOp>);
  table.add<math::AbsIOp>(lowerAbsI);
  table.add<math::FloorOp>(lowerSame<math::FloorOp, LL::FFloorOp>);
  table.add<math::CeilOp>(lowerSame<math::CeilOp, LL::FCeilOp>);
  table.add<math::FmaOp>(lowerSame<math::FmaOp, LL::FMAOp>);
}

} // namespace tlx::nvidia
