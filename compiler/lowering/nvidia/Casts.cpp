// Conversions between element types.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

template <typename From, typename To> static LogicalResult lowerCast(From op, Emitter &e) {
  Type type = e.scalarType(op.getType());
  return elementwise(op, e, [&](ValueRange x) -> Value {
    return x[0].getType() == type ? x[0] : Value(To::create(e.b, e.loc, type, x));
  });
}

static Type elementOf(Type type) { return tt::elementTypeOrSelf(type); }

static bool isFloat8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

static LogicalResult lowerBitcast(tt::BitcastOp op, Emitter &e) {
  Type type = e.scalarType(op.getType());
  return elementwise(op, e, [&](ValueRange x) -> Value {
    bool from = isa<LL::LLVMPointerType>(x[0].getType()), to = isa<LL::LLVMPointerType>(type);
    if (from && !to)
      return LL::PtrToIntOp::create(e.b, e.loc, type, x[0]);
    if (to && !from)
      return LL::IntToPtrOp::create(e.b, e.loc, type, x[0]);
    return e.cast(x[0], type);
  });
}

static LogicalResult lowerArithBitcast(arith::BitcastOp op, Emitter &e) {
  Type type = e.scalarType(op.getType());
  return elementwise(op, e, [&](ValueRange x) { return e.cast(x[0], type); });
}

static LogicalResult lowerIndexCast(arith::IndexCastOp op, Emitter &e) {
  Type type = e.scalarType(op.getType());
  bool wider =
      type.getIntOrFloatBitWidth() > e.scalarType(op.getIn().getType()).getIntOrFloatBitWidth();
  return elementwise(op, e, [&](ValueRange x) -> Value {
    return wider ? Value(LL::SExtOp::create(e.b, e.loc, type, x[0])) : e.resize(x[0], type);
  });
}

/// The instruction's name for an eight-bit format; empty for one it does not have.
static StringRef float8Name(Type type) {
  return isa<Float8E4M3FNType>(type) ? "e4m3" : isa<Float8E5M2Type>(type) ? "e5m2" : "";
}

/// A float of any width as f32; exact.
static Value widened(Emitter &e, Value x, Type format) {
  if (isFloat8(format))
    x = ptx::fromFloat8(e, x, float8Name(format));
  if (x.getType().isF32() || x.getType().isF64())
    return x;
  return LL::FPExtOp::create(e.b, e.loc, e.b.getF32Type(), x);
}

/// Two f32 at a time to 16 bits, where they are made: an instruction takes pairs, and
/// half the registers hold them from there on.
static void narrowPairs(Operation *op, Emitter &e, Type target) {
  const Registers source = e.get(op->getOperand(0));
  Type wide = VectorType::get({2}, e.b.getF32Type()), narrow = VectorType::get({2}, target);
  Registers results;
  for (size_t index = 0; index < source.size(); index += 2) {
    Value pair = e.undefined(wide);
    for (int64_t part : {0, 1})
      pair = LL::InsertElementOp::create(e.b, e.loc, pair, source[index + part], e.i32(part));
    Value both = LL::FPTruncOp::create(e.b, e.loc, narrow, pair);
    for (int64_t part : {0, 1})
      results.push_back(LL::ExtractElementOp::create(e.b, e.loc, both, e.i32(part)));
  }
  e.set(op->getResult(0), std::move(results));
}

static LogicalResult convertFloat(Operation *op, Emitter &e, Type from, Type to,
                                  tt::RoundingMode rounding) {
  for (Type type : {from, to})
    if (isFloat8(type) && float8Name(type).empty())
      return op->emitError("'") << op->getName() << "' of " << type
                                << " has no lowering for sm_90a";
  if (rounding == tt::RoundingMode::RS)
    return op->emitError("'") << op->getName() << "' rounding stochastically needs sm_100a";
  bool truncates = rounding == tt::RoundingMode::RTZ;
  if (truncates && isFloat8(to) && (!isa<Float8E5M2Type>(to) || from.isF64()))
    return op->emitError("'") << op->getName() << "' of " << from << " to " << to
                              << " rounding towards zero has no lowering for sm_90a";
  Type target = e.scalarType(to);
  if (from.isF32() && (to.isF16() || to.isBF16()) && !truncates &&
      e.get(op->getOperand(0)).size() % 2 == 0) {
    narrowPairs(op, e, target);
    return success();
  }
  return elementwise(op, e, [&](ValueRange x) -> Value {
    if (from == to)
      return x[0];
    if (to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth() && !isFloat8(from))
      return LL::FPExtOp::create(e.b, e.loc, target, x[0]);
    Value wide = widened(e, x[0], from);
    if (isFloat8(to)) {
      if (truncates) // the upper byte of an f16
        return e.resize(
            e.lshr(e.cast(ptx::roundToZero(e, wide, e.b.getF16Type()), e.b.getI16Type()), 8),
            target);
      if (wide.getType().isF64())
        wide = LL::FPTruncOp::create(e.b, e.loc, e.b.getF32Type(), wide);
      return ptx::toFloat8(e, wide, float8Name(to));
    }
    if (wide.getType() == target)
      return wide;
    if (target.getIntOrFloatBitWidth() > wide.getType().getIntOrFloatBitWidth())
      return LL::FPExtOp::create(e.b, e.loc, target, wide);
    if (truncates && wide.getType().isF32())
      return ptx::roundToZero(e, wide, target);
    return LL::FPTruncOp::create(e.b, e.loc, target, wide);
  });
}

static LogicalResult lowerFpToFp(tt::FpToFpOp op, Emitter &e) {
  return convertFloat(op, e, elementOf(op.getSrc().getType()), elementOf(op.getType()),
                      op.getRounding().value_or(tt::RoundingMode::RTNE));
}

template <typename Op> static LogicalResult lowerFloatCast(Op op, Emitter &e) {
  return convertFloat(op, e, elementOf(op.getIn().getType()), elementOf(op.getType()),
                      tt::RoundingMode::RTNE);
}

/// The low four bits of a byte as e2m1: its exponent and mantissa put into those of
/// an f16, which is then too small by 2^14, subnormals included.
static Value fromFloat4(Emitter &e, Value byte, Type type) {
  Type half = e.b.getF16Type(), word = e.b.getIntegerType(16);
  Value wide = e.resize(byte, word);
  Value magnitude = e.shl(e.band(wide, e.constant(word, 7)), 9);
  Value sign = e.shl(e.band(wide, e.constant(word, 8)), 12);
  Value value = LL::FMulOp::create(e.b, e.loc, e.cast(e.bor(magnitude, sign), half),
                                   e.constant(half, 1 << 14));
  if (type.isF16())
    return value;
  value = LL::FPExtOp::create(e.b, e.loc, e.b.getF32Type(), value);
  return type.isF32() ? value : Value(LL::FPTruncOp::create(e.b, e.loc, type, value));
}

/// Two values from each byte, neighbours along the axis.
static LogicalResult lowerFp4ToFp(ttg::Fp4ToFpOp op, Emitter &e) {
  const layout::LinearLayout bytes = e.layout(cast<RankedTensorType>(op.getSrc().getType()));
  const layout::LinearLayout values = e.layout(cast<RankedTensorType>(op.getType()));
  unsigned axis = op.getAxis();
  auto refuse = [&] {
    return op.emitError("'ttg.fp4_to_fp' across threads has no lowering for sm_90a");
  };
  for (std::string_view input : {layout::kLane, layout::kWarp, layout::kBlock}) {
    if (bytes.inBits(input) != values.inBits(input))
      return refuse();
    for (unsigned bit = 0; bit < values.inBits(input); ++bit) {
      std::vector<int32_t> from = bytes.basis(input, bit);
      from[axis] *= 2;
      if (from != values.basis(input, bit))
        return refuse();
    }
  }
  auto placeOf = [](const layout::LinearLayout &layout, int64_t reg) {
    layout::Coords at = layout.apply({{std::string(layout::kRegister), reg}});
    return llvm::map_to_vector(at, [](const auto &entry) { return entry.second; });
  };
  std::map<SmallVector<int64_t>, int64_t> held;
  for (int64_t reg = 0; reg < bytes.inSize(layout::kRegister); ++reg)
    held.try_emplace(placeOf(bytes, reg), reg);
  const Registers source = e.get(op.getSrc());
  Registers results;
  for (int64_t reg = 0; reg < values.inSize(layout::kRegister); ++reg) {
    SmallVector<int64_t> place = placeOf(values, reg);
    int64_t upper = place[axis] & 1;
    place[axis] /= 2;
    auto found = held.find(place);
    if (found == held.end())
      return refuse();
    results.push_back(
        fromFloat4(e, e.lshr(source[found->second], 4 * upper), e.scalarType(op.getType())));
  }
  e.set(op.getResult(), std::move(results));
  return success();
}

void addCasts(LoweringTable &table) {
  table.add<arith::ExtSIOp>(lowerCast<arith::ExtSIOp, LL::SExtOp>);
  table.add<arith::ExtUIOp>(lowerCast<arith::ExtUIOp, LL::ZExtOp>);
  table.add<arith::TruncIOp>(lowerCast<arith::TruncIOp, LL::TruncOp>);
  table.add<arith::SIToFPOp>(lowerCast<arith::SIToFPOp, LL::SIToFPOp>);
  table.add<arith::UIToFPOp>(lowerCast<arith::UIToFPOp, LL::UIToFPOp>);
  table.add<arith::FPToSIOp>(lowerCast<arith::FPToSIOp, LL::FPToSIOp>);
  table.add<arith::FPToUIOp>(lowerCast<arith::FPToUIOp, LL::FPToUIOp>);
  table.add<arith::ExtFOp>(lowerFloatCast<arith::ExtFOp>);
  table.add<arith::TruncFOp>(lowerFloatCast<arith::TruncFOp>);
  table.add<arith::BitcastOp>(lowerArithBitcast);
  table.add<arith::IndexCastOp>(lowerIndexCast);
  table.add<tt::BitcastOp>(lowerBitcast);
  table.add<tt::FpToFpOp>(lowerFpToFp);
  table.add<ttg::Fp4ToFpOp>(lowerFp4ToFp);
  table.add<tt::PtrToIntOp>(lowerCast<tt::PtrToIntOp, LL::PtrToIntOp>);
  table.add<tt::IntToPtrOp>(lowerCast<tt::IntToPtrOp, LL::IntToPtrOp>);
}

} // namespace tlx::nvidia
