// Integer and floating-point arithmetic, element by element.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

/// An operation that LLVM has under another name.
template <typename From, typename To> static LogicalResult lowerSame(From op, Emitter &e) {
  return elementwise(
      op, e, [&](ValueRange x) -> Value { return To::create(e.b, e.loc, x[0].getType(), x); });
}

template <typename From, typename To> static void addSame(LoweringTable &table) {
  table.add<From>(lowerSame<From, To>);
}

static LogicalResult lowerConstant(arith::ConstantOp op, Emitter &e) {
  auto scalarOf = [&](Attribute value) -> Value {
    if (auto floating = dyn_cast<FloatAttr>(value)) {
      APInt bits = floating.getValue().bitcastToAPInt();
      if (bits.getBitWidth() == 8)
        return e.constant(e.b.getI8Type(), bits.getSExtValue());
      return LL::ConstantOp::create(e.b, e.loc, floating.getType(), floating);
    }
    auto integer = cast<IntegerAttr>(value);
    return e.constant(e.scalarType(integer.getType()), integer.getValue().getSExtValue());
  };
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements) {
    e.set(op.getResult(), scalarOf(op.getValue()));
    return success();
  }
  if (!elements.isSplat())
    return op.emitError("'arith.constant' of different elements has no lowering for sm_90a");
  Value element = scalarOf(elements.getSplatValue<Attribute>());
  e.set(op.getResult(), Registers(e.registerTypes(op.getType()).size(), element));
  return success();
}

static LogicalResult lowerPoison(ub::PoisonOp op, Emitter &e) {
  Registers registers;
  for (Type type : e.registerTypes(op.getType()))
    registers.push_back(e.undefined(type));
  e.set(op.getResult(), std::move(registers));
  return success();
}

static LogicalResult lowerCmpI(arith::CmpIOp op, Emitter &e) {
  // The two enumerations have the same order.
  auto predicate = LL::ICmpPredicate(uint64_t(op.getPredicate()));
  return elementwise(op, e, [&](ValueRange x) { return e.compare(predicate, x[0], x[1]); });
}

static LogicalResult lowerCmpF(arith::CmpFOp op, Emitter &e) {
  auto predicate = LL::FCmpPredicate(uint64_t(op.getPredicate()));
  return elementwise(op, e, [&](ValueRange x) -> Value {
    return LL::FCmpOp::create(e.b, e.loc, predicate, x[0], x[1]);
  });
}

static LogicalResult lowerSelect(arith::SelectOp op, Emitter &e) {
  Registers results;
  const Registers condition = e.get(op.getCondition());
  const Registers x = e.get(op.getTrueValue()), y = e.get(op.getFalseValue());
  for (size_t index = 0; index < x.size(); ++index)
    results.push_back(e.select(condition[condition.size() == 1 ? 0 : index], x[index], y[index]));
  e.set(op.getResult(), std::move(results));
  return success();
}

/// ceil or floor of a signed quotient: the truncated one, moved by one where a
/// remainder is left on the side that truncation rounded away from.
template <typename Op, bool up> static LogicalResult lowerRoundedDiv(Op op, Emitter &e) {
  return elementwise(op, e, [&](ValueRange x) -> Value {
    Value zero = e.zero(x[0].getType()), one = e.constant(x[0].getType(), 1);
    Value quotient = LL::SDivOp::create(e.b, e.loc, x[0], x[1]);
    Value rest = LL::SRemOp::create(e.b, e.loc, x[0], x[1]);
    Value inexact = e.compare(LL::ICmpPredicate::ne, rest, zero);
    Value sameSign =
        e.compare(up ? LL::ICmpPredicate::sge : LL::ICmpPredicate::slt, e.bxor(x[0], x[1]), zero);
    Value moved = up ? e.add(quotient, one) : e.sub(quotient, one);
    return e.select(e.band(inexact, sameSign), moved, quotient);
  });
}

static LogicalResult lowerCeilDivUI(arith::CeilDivUIOp op, Emitter &e) {
  return elementwise(op, e, [&](ValueRange x) -> Value {
    Value zero = e.zero(x[0].getType());
    Value quotient = LL::UDivOp::create(e.b, e.loc, x[0], x[1]);
    Value rest = LL::URemOp::create(e.b, e.loc, x[0], x[1]);
    Value inexact = e.compare(LL::ICmpPredicate::ne, rest, zero);
    return e.add(quotient, e.resize(inexact, x[0].getType()));
  });
}

static LogicalResult lowerMulhi(tt::MulhiUIOp op, Emitter &e) {
  return elementwise(op, e, [&](ValueRange x) -> Value {
    unsigned bits = x[0].getType().getIntOrFloatBitWidth();
    Type wide = e.b.getIntegerType(2 * bits);
    Value product = e.mul(e.resize(x[0], wide), e.resize(x[1], wide));
    return e.resize(e.lshr(product, bits), x[0].getType());
  });
}

/// The fast quotient of 2 ulp for f32; correctly rounded for other types.
static LogicalResult lowerDivF(arith::DivFOp op, Emitter &e) {
  return elementwise(op, e, [&](ValueRange x) -> Value {
    if (!x[0].getType().isF32())
      return LL::FDivOp::create(e.b, e.loc, x[0], x[1]);
    return LL::CallIntrinsicOp::create(e.b, e.loc, x[0].getType(),
                                       e.b.getStringAttr("llvm.nvvm.div.full"), x)
        .getResult(0);
  });
}

/// Where a tile's rows (or the like) come from, one value for many elements.
static Value broadcastSource(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<tt::BroadcastOp, tt::ExpandDimsOp, ttg::ConvertLayoutOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether `chosen` may be `old` itself, as a selection says.
static bool mayKeep(Value chosen, Value old) {
  auto select = chosen.getDefiningOp<arith::SelectOp>();
  return chosen == old ||
         (select && (mayKeep(select.getTrueValue(), old) || mayKeep(select.getFalseValue(), old)));
}

/// Whether a factor is 1 for as long as a selection keeps a value: 2^(old - chosen), as an online
/// softmax has it whose maximum moves only when it must.
static bool isMostlyOne(Value factor) {
  Value power = broadcastSource(factor);
  if (power == factor || !power.getDefiningOp<math::Exp2Op>())
    return false;
  auto difference = power.getDefiningOp()->getOperand(0).getDefiningOp<arith::SubFOp>();
  return difference && difference.getRhs() != difference.getLhs() &&
         mayKeep(difference.getRhs(), difference.getLhs());
}

/// A product with factors that are mostly 1 is passed over by a warp whose factors all are.
static LogicalResult lowerMulF(arith::MulFOp op, Emitter &e) {
  auto multiply = [&](ValueRange x) -> Value {
    return LL::FMulOp::create(e.b, e.loc, x[0].getType(), x);
  };
  const bool left = isMostlyOne(op.getLhs());
  const Registers factors = e.get(left ? op.getLhs() : op.getRhs());
  if (!left && !isMostlyOne(op.getRhs()))
    return elementwise(op, e, multiply);
  Value all;
  llvm::SmallPtrSet<Value, 8> seen;
  for (Value factor : factors)
    if (seen.insert(factor).second) {
      Value one = LL::ConstantOp::create(e.b, e.loc, factor.getType(),
                                         e.b.getFloatAttr(factor.getType(), 1.0));
      Value isOne = LL::FCmpOp::create(e.b, e.loc, LL::FCmpPredicate::oeq, factor, one);
      all = all ? e.band(all, isOne) : isOne;
    }
  if (4 * seen.size() > factors.size())
    return elementwise(op, e, multiply);
  all = NVVM::VoteSyncOp::create(e.b, e.loc, e.i1Type(), e.i32(-1), all, NVVM::VoteSyncKind::all);
  const Registers kept = e.get(left ? op.getRhs() : op.getLhs());
  Block *scale = e.newBlock(), *after = e.newBlock(e.registerTypes(op.getType()));
  e.branch(all, after, kept, scale, {});
  e.moveTo(scale);
  if (failed(elementwise(op, e, multiply)))
    return failure();
  e.branch(after, e.get(op.getResult()));
  e.moveTo(after);
  e.set(op.getResult(), Registers(after->args_begin(), after->args_end()));
  return success();
}

template <typename Op, typename Low, typename High>
static LogicalResult lowerClamp(Op op, Emitter &e) {
  return elementwise(op, e, [&](ValueRange x) -> Value {
    Type type = x[0].getType();
    Value low = Low::create(e.b, e.loc, type, ValueRange{x[0], x[1]});
    return High::create(e.b, e.loc, type, ValueRange{low, x[2]});
  });
}

static bool isNegation(Value value, Value of) {
  if (auto sub = value.getDefiningOp<arith::SubFOp>())
    return sub.getRhs() == of && matchPattern(sub.getLhs(), m_AnyZeroFloat());
  auto neg = value.getDefiningOp<arith::NegFOp>();
  return neg && neg.getOperand() == of;
}

static LogicalResult lowerClampF(tt::ClampFOp op, Emitter &e) {
  if (op.getPropagateNan() == tt::PropagateNan::ALL)
    return lowerClamp<tt::ClampFOp, LL::MaximumOp, LL::MinimumOp>(op, e);
  Type element = getElementTypeOrSelf(op.getType());
  // One instruction, as Triton has it: the smaller magnitude with the product of the signs, which
  // is a clamp unless the limit is negative.
  if ((element.isF16() || element.isF32()) && isNegation(op.getMin(), op.getMax())) {
    auto name = e.b.getStringAttr(element.isF16() ? "llvm.nvvm.fmin.xorsign.abs.f16"
                                                  : "llvm.nvvm.fmin.xorsign.abs.f");
    return elementwise(op, e, [&](ValueRange x) -> Value {
      return LL::CallIntrinsicOp::create(e.b, e.loc, element, name, ValueRange{x[0], x[2]})
          .getResult(0);
    });
  }
  return lowerClamp<tt::ClampFOp, LL::MaxNumOp, LL::MinNumOp>(op, e);
}

static LogicalResult lowerAddPtr(tt::AddPtrOp op, Emitter &e) {
  Type pointee = cast<tt::PointerType>(tt::elementTypeOrSelf(op.getType())).getPointeeType();
  int64_t bytes = Emitter::memoryBits(pointee) / 8;
  Type memory = e.b.getIntegerType(bytes * 8);
  return elementwise(op, e, [&](ValueRange x) -> Value {
    return LL::GEPOp::create(e.b, e.loc, x[0].getType(), memory, x[0], x[1]);
  });
}

void addArith(LoweringTable &table) {
  table.add<arith::ConstantOp>(lowerConstant);
  table.add<ub::PoisonOp>(lowerPoison);
  addSame<arith::AddIOp, LL::AddOp>(table);
  addSame<arith::SubIOp, LL::SubOp>(table);
  addSame<arith::MulIOp, LL::MulOp>(table);
  addSame<arith::DivSIOp, LL::SDivOp>(table);
  addSame<arith::DivUIOp, LL::UDivOp>(table);
  addSame<arith::RemSIOp, LL::SRemOp>(table);
  addSame<arith::RemUIOp, LL::URemOp>(table);
  addSame<arith::AndIOp, LL::AndOp>(table);
  addSame<arith::OrIOp, LL::OrOp>(table);
  addSame<arith::XOrIOp, LL::XOrOp>(table);
  addSame<arith::ShLIOp, LL::ShlOp>(table);
  addSame<arith::ShRSIOp, LL::AShrOp>(table);
  addSame<arith::ShRUIOp, LL::LShrOp>(table);
  addSame<arith::MinSIOp, LL::SMinOp>(table);
  addSame<arith::MaxSIOp, LL::SMaxOp>(table);
  addSame<arith::MinUIOp, LL::UMinOp>(table);
  addSame<arith::MaxUIOp, LL::UMaxOp>(table);
  addSame<arith::AddFOp, LL::FAddOp>(table);
  addSame<arith::SubFOp, LL::FSubOp>(table);
  table.add<arith::MulFOp>(lowerMulF);
  addSame<arith::RemFOp, LL::FRemOp>(table);
  addSame<arith::NegFOp, LL::FNegOp>(table);
  addSame<arith::MinNumFOp, LL::MinNumOp>(table);
  addSame<arith::MaxNumFOp, LL::MaxNumOp>(table);
  addSame<arith::MinimumFOp, LL::MinimumOp>(table);
  addSame<arith::MaximumFOp, LL::MaximumOp>(table);
  addSame<tt::PreciseDivFOp, LL::FDivOp>(table);
  table.add<arith::DivFOp>(lowerDivF);
  table.add<arith::CeilDivSIOp>(lowerRoundedDiv<arith::CeilDivSIOp, true>);
  table.add<arith::FloorDivSIOp>(lowerRoundedDiv<arith::FloorDivSIOp, false>);
  table.add<arith::CeilDivUIOp>(lowerCeilDivUI);
  table.add<arith::CmpIOp>(lowerCmpI);
  table.add<arith::CmpFOp>(lowerCmpF);
  table.add<arith::SelectOp>(lowerSelect);
  table.add<tt::MulhiUIOp>(lowerMulhi);
  table.add<tt::ClampFOp>(lowerClampF);
  table.add<tt::AddPtrOp>(lowerAddPtr);
}

} // namespace tlx::nvidia
