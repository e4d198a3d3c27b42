#include "sim/timing/Scalar.h"

#include <bit>
#include <cmath>

namespace tlx::sim {

static double real(int64_t bits) { return std::bit_cast<double>(bits); }

/// Wraps to the width of an integer type; i1 is 0 or 1.
static int64_t wrap(DType type, int64_t value) {
  switch (bitWidth(type)) {
  case 1: return value & 1;
  case 8: return isSigned(type) ? int64_t(int8_t(value)) : int64_t(uint8_t(value));
  case 16: return isSigned(type) ? int64_t(int16_t(value)) : int64_t(uint16_t(value));
  case 32: return isSigned(type) ? int64_t(int32_t(value)) : int64_t(uint32_t(value));
  default: return value;
  }
}

/// The bits of an integer without its sign extension.
static uint64_t plain(DType type, int64_t value) {
  unsigned width = bitWidth(type);
  return width >= 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

static int64_t round(DType type, double value) {
  if (type == DType::f32)
    value = float(value);
  else if (type != DType::f64)
    value = toDouble(type, fromDouble(type, value));
  return std::bit_cast<int64_t>(value);
}

int64_t scalarFromBits(DType type, uint64_t bits) {
  if (isFloat(type))
    return std::bit_cast<int64_t>(toDouble(type, bits));
  return wrap(type, toInt(type, bits));
}

static int64_t compareInts(const ScalarOp &op, int64_t a, int64_t b) {
  uint64_t ua = plain(op.from, a), ub = plain(op.from, b);
  if (op.from == DType::i1) { // as a signed number, true is -1
    a = -a;
    b = -b;
  }
  switch (op.cmpi) {
  case CmpI::Eq: return ua == ub;
  case CmpI::Ne: return ua != ub;
  case CmpI::Slt: return a < b;
  case CmpI::Sle: return a <= b;
  case CmpI::Sgt: return a > b;
  case CmpI::Sge: return a >= b;
  case CmpI::Ult: return ua < ub;
  case CmpI::Ule: return ua <= ub;
  case CmpI::Ugt: return ua > ub;
  case CmpI::Uge: return ua >= ub;
  }
  return 0;
}

static int64_t compareFloats(CmpF predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case CmpF::False: return 0;
  case CmpF::Oeq: return a == b;
  case CmpF::Ogt: return a > b;
  case CmpF::Oge: return a >= b;
  case CmpF::Olt: return a < b;
  case CmpF::Ole: return a <= b;
  case CmpF::One: return !unordered && a != b;
  case CmpF::Ord: return !unordered;
  case CmpF::Ueq: return unordered || a == b;
  case CmpF::Ugt: return unordered || a > b;
  case CmpF::Uge: return unordered || a >= b;
  case CmpF::Ult: return unordered || a < b;
  case CmpF::Ule: return unordered || a <= b;
  case CmpF::Une: return unordered || a != b;
  case CmpF::Uno: return unordered;
  case CmpF::True: return 1;
  }
  return 0;
}

bool isScalarOp(Op op) {
  switch (familyOf(op)) {
  case Family::Arith: return op != Op::PackedArith;
  case Family::Math: return op != Op::ExternElementwise && op != Op::InlineAsm;
  case Family::Cast:
    return op != Op::Fp4ToFp && op != Op::ScaledUpcastFp4 && op != Op::ScaledUpcastFp8;
  default:
    return op == Op::Copy || op == Op::Splat || op == Op::Unsplat || op == Op::ExpandDims ||
           op == Op::Reshape || op == Op::Broadcast || op == Op::Trans;
  }
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t evalInt(const ScalarOp &op, int64_t a, int64_t b, int64_t c) {
  uint64_t ua = plain(op.from, a), ub = plain(op.from, b);
  // The one quotient that does not fit; it wraps on the hardware.
  bool overflow = b == -1;
  switch (op.op) {
  case Op::AddI: return int64_t(uint64_t(a) + uint64_t(b));
  case Op::SubI: return int64_t(uint64_t(a) - uint64_t(b));
  case Op::MulI: return int64_t(uint64_t(a) * uint64_t(b));
  case Op::DivSI: return b == 0 ? 0 : overflow ? int64_t(-uint64_t(a)) : a / b;
  case Op::RemSI: return b == 0 || overflow ? 0 : a % b;
  case Op::DivUI: return ub == 0 ? 0 : int64_t(ua / ub);
  case Op::RemUI: return ub == 0 ? 0 : int64_t(ua % ub);
  case Op::CeilDivSI: return b == 0 ? 0 : overflow ? int64_t(-uint64_t(a)) : -floorDiv(-a, b);
  case Op::FloorDivSI: return b == 0 ? 0 : overflow ? int64_t(-uint64_t(a)) : floorDiv(a, b);
  case Op::CeilDivUI: return ub == 0 ? 0 : int64_t(ua / ub + (ua % ub != 0));
  case Op::AndI: return a & b;
  case Op::OrI: return a | b;
  case Op::XorI: return a ^ b;
  case Op::ShlI: return ub >= 64 ? 0 : int64_t(uint64_t(a) << ub);
  case Op::ShrSI: return a >> (ub >= 64 ? 63 : ub);
  case Op::ShrUI: return ub >= 64 ? 0 : int64_t(ua >> ub);
  case Op::MinSI: return a < b ? a : b;
  case Op::MaxSI: return a > b ? a : b;
  case Op::MinUI: return ua < ub ? a : b;
  case Op::MaxUI: return ua > ub ? a : b;
  case Op::MulHiUI: return int64_t(uint64_t((unsigned __int128)ua * ub >> bitWidth(op.from)));
  case Op::AbsI: return a < 0 ? int64_t(-uint64_t(a)) : a;
  default: return a;
  }
}

static double evalFloat(Op op, double a, double b, double c) {
  switch (op) {
  case Op::AddF: return a + b;
  case Op::SubF: return a - b;
  case Op::MulF: return a * b;
  case Op::DivF:
  case Op::PreciseDivF: return a / b;
  case Op::RemF: return std::fmod(a, b);
  case Op::NegF: return -a;
  case Op::MaximumF: return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b);
  case Op::MinimumF: return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
  case Op::MaxNumF: return std::fmax(a, b);
  case Op::MinNumF: return std::fmin(a, b);
  case Op::ClampF: return std::fmin(std::fmax(a, b), c);
  case Op::AbsF: return std::fabs(a);
  case Op::Exp: return std::exp(a);
  case Op::Exp2: return std::exp2(a);
  case Op::Log: return std::log(a);
  case Op::Log2: return std::log2(a);
  case Op::Sqrt:
  case Op::PreciseSqrt: return std::sqrt(a);
  case Op::Rsqrt: return 1 / std::sqrt(a);
  case Op::Sin: return std::sin(a);
  case Op::Cos: return std::cos(a);
  case Op::Tanh: return std::tanh(a);
  case Op::Erf: return std::erf(a);
  case Op::Floor: return std::floor(a);
  case Op::Ceil: return std::ceil(a);
  case Op::Fma: return std::fma(a, b, c);
  default: return a;
  }
}

static int64_t toInteger(DType type, double value) {
  if (!(std::fabs(value) < 0x1p63))
    return 0;
  return wrap(type, int64_t(value));
}

int64_t evalScalar(const ScalarOp &op, int64_t a, int64_t b, int64_t c) {
  switch (op.op) {
  case Op::CmpI: return compareInts(op, a, b);
  case Op::CmpF: return compareFloats(op.cmpf, real(a), real(b));
  case Op::Select: return a ? b : c;
  case Op::ExtSI: return op.from == DType::i1 ? wrap(op.to, -a) : wrap(op.to, a);
  case Op::ExtUI:
  case Op::IndexCastUI: return wrap(op.to, int64_t(plain(op.from, a)));
  case Op::TruncI:
  case Op::IndexCast: return wrap(op.to, a);
  case Op::SIToFP: return round(op.to, double(op.from == DType::i1 ? -a : a));
  case Op::UIToFP: return round(op.to, double(plain(op.from, a)));
  case Op::FPToSI:
  case Op::FPToUI: return toInteger(op.to, real(a));
  case Op::ExtF:
  case Op::TruncF:
  case Op::FpToFp: return round(op.to, real(a));
  case Op::Bitcast:
    if (isFloat(op.from) == isFloat(op.to))
      return a;
    return isFloat(op.from) ? wrap(op.to, int64_t(fromDouble(op.from, real(a))))
                            : scalarFromBits(op.to, uint64_t(a));
  case Op::Copy:
  case Op::Splat:
  case Op::Unsplat:
  case Op::ExpandDims:
  case Op::Reshape:
  case Op::Broadcast:
  case Op::Trans:
  case Op::IntToPtr:
  case Op::PtrToInt: return a;
  default: break;
  }
  if (isFloat(op.to))
    return round(op.to, evalFloat(op.op, real(a), real(b), real(c)));
  return wrap(op.to, evalInt(op, a, b, c));
}

} // namespace tlx::sim
