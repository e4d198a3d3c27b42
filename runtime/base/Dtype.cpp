//===- Dtype.cpp - one table of formats, one encoder, one decoder ---------===//
//
// Every float format is a row of `floatFormats`; encode and decode are generic
// over it. Encoding works on integers: the value is mantissa * 2^exponent with
// a 53-bit mantissa, the position of the last kept bit is found, and the rest
// is rounded off. Because the encodings of a format ascend with the value, a
// carry out of the mantissa lands in the exponent by itself.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/Dtype.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tlx {
namespace {

struct FloatFormat {
  uint8_t exponentBits;
  uint8_t mantissaBits;
  int16_t bias;
  bool hasSign;
  bool hasInfinity;
  bool negativeZeroIsNan; ///< FNUZ: the sign bit alone is NaN
  uint64_t maxFinite;     ///< encoding of the largest finite value
  uint64_t nan;           ///< encoding of the quiet NaN; 0: there is none
};

// In the order of DType from f16 on.
constexpr FloatFormat floatFormats[] = {
    {5, 10, 15, true, true, false, 0x7BFF, 0x7E00},                            // f16
    {8, 7, 127, true, true, false, 0x7F7F, 0x7FC0},                            // bf16
    {8, 23, 127, true, true, false, 0x7F7FFFFF, 0x7FC00000},                   // f32
    {11, 52, 1023, true, true, false, 0x7FEFFFFFFFFFFFFF, 0x7FF8000000000000}, // f64
    {4, 3, 7, true, false, false, 0x7E, 0x7F},                                 // f8E4M3FN
    {5, 2, 15, true, true, false, 0x7B, 0x7F},                                 // f8E5M2
    {4, 3, 8, true, false, true, 0x7F, 0x80},                                  // f8E4M3FNUZ
    {5, 2, 16, true, false, true, 0x7F, 0x80},                                 // f8E5M2FNUZ
    {4, 3, 11, true, false, true, 0x7F, 0x80},                                 // f8E4M3B11FNUZ
    {8, 0, 127, false, false, false, 0xFE, 0xFF},                              // f8E8M0FNU
    {2, 1, 1, true, false, false, 0x7, 0},                                     // f4E2M1
};

const FloatFormat &format(DType type) {
  return floatFormats[unsigned(type) - unsigned(DType::f16)];
}

uint64_t lowBits(unsigned count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

double decode(const FloatFormat &f, uint64_t bits) {
  if (!f.hasSign) // E8M0
    return bits == f.nan ? std::numeric_limits<double>::quiet_NaN()
                         : std::ldexp(1.0, int(bits) - f.bias);
  unsigned width = f.exponentBits + f.mantissaBits;
  bool negative = (bits >> width) & 1;
  uint64_t magnitude = bits & lowBits(width);
  if (f.negativeZeroIsNan && negative && magnitude == 0)
    return std::numeric_limits<double>::quiet_NaN();
  double value;
  if (magnitude > f.maxFinite) {
    bool infinite = f.hasInfinity && magnitude == f.maxFinite + 1;
    value = infinite ? std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::quiet_NaN();
  } else {
    uint64_t mantissa = magnitude & lowBits(f.mantissaBits);
    int exponent = int(magnitude >> f.mantissaBits);
    if (exponent == 0)
      exponent = 1;
    else
      mantissa |= uint64_t(1) << f.mantissaBits;
    value = std::ldexp(double(mantissa), exponent - f.bias - f.mantissaBits);
  }
  return negative ? -value : value;
}

/// Whether the part that is cut off makes the kept part one larger.
bool roundsAway(Rounding rounding, bool negative, bool odd, uint64_t rest, uint64_t half) {
  switch (rounding) {
  case Rounding::NearestEven: return rest > half || (rest == half && odd);
  case Rounding::TowardZero: return false;
  case Rounding::Up: return rest != 0 && !negative;
  case Rounding::Down: return rest != 0 && negative;
  }
  return false;
}

/// The encoding of a finite non-zero magnitude, with an unbounded exponent.
uint64_t encodeMagnitude(const FloatFormat &f, double magnitude, bool negative, Rounding rounding) {
  auto bitsOf = __builtin_bit_cast(uint64_t, magnitude);
  int exponent = int(bitsOf >> 52) - 1022; // of a fraction in [0.5, 1)
  uint64_t mantissa = (bitsOf & lowBits(52)) | uint64_t(1) << 52;
  if (bitsOf >> 52 == 0) // subnormal
    mantissa = uint64_t(std::ldexp(std::frexp(magnitude, &exponent), 53));
  int floorLog = exponent - 1;
  int minExponent = f.hasSign ? 1 - f.bias : -f.bias;
  bool subnormal = floorLog < minExponent;
  int shift = (subnormal ? minExponent : floorLog) - f.mantissaBits - (exponent - 53);
  uint64_t kept, rest, half;
  if (shift <= 0) {
    kept = mantissa << -shift, rest = 0, half = 1;
  } else if (shift < 64) {
    kept = mantissa >> shift;
    rest = mantissa & lowBits(shift);
    half = uint64_t(1) << (shift - 1);
  } else {
    kept = 0, rest = 1, half = 2; // less than half of the smallest
  }
  uint64_t base = 0;
  if (!f.hasSign)
    base = uint64_t(subnormal ? 0 : floorLog + f.bias) - kept;
  else if (!subnormal)
    base = (uint64_t(floorLog + f.bias) << f.mantissaBits) - (uint64_t(1) << f.mantissaBits);
  uint64_t bits = base + kept;
  // With a mantissa the encoding is odd where the significand is. Without one
  // the significand is 1, which is odd: a tie goes to the next power of two.
  bool odd = f.mantissaBits ? bits & 1 : kept != 0;
  return bits + roundsAway(rounding, negative, odd, rest, half);
}

uint64_t encodeFloat(const FloatFormat &f, double value, Rounding rounding, Overflow overflow) {
  bool negative = std::signbit(value) && f.hasSign;
  unsigned width = f.exponentBits + f.mantissaBits;
  uint64_t sign = negative ? uint64_t(1) << width : 0;
  if (std::isnan(value)) {
    if (!f.nan)
      return f.maxFinite;
    if (f.negativeZeroIsNan || !f.hasSign)
      return f.nan;
    // Wide formats keep the upper payload bits, as F16C and a cut f32 do.
    uint64_t payload = 0;
    if (f.exponentBits + f.mantissaBits > 8)
      payload = (__builtin_bit_cast(uint64_t, value) & lowBits(52)) >> (52 - f.mantissaBits);
    return sign | f.nan | payload;
  }
  if (value == 0)
    return f.negativeZeroIsNan ? 0 : sign;
  uint64_t bits = std::isinf(value) ? f.maxFinite + 1
                                    : encodeMagnitude(f, std::fabs(value), negative, rounding);
  if (bits > f.maxFinite) {
    bool towardZero =
        rounding == Rounding::TowardZero || rounding == (negative ? Rounding::Up : Rounding::Down);
    bool stays = overflow == Overflow::Saturate || !f.nan || (towardZero && !std::isinf(value));
    if (stays)
      bits = f.maxFinite;
    else if (f.hasInfinity)
      bits = f.maxFinite + 1;
    else
      return f.negativeZeroIsNan || !f.hasSign ? f.nan : sign | f.nan;
  }
  if (bits == 0 && f.negativeZeroIsNan)
    return 0;
  return sign | bits;
}

uint64_t encodeInteger(DType type, double value) {
  if (type == DType::i1)
    return value != 0;
  if (!std::isfinite(value))
    return 0;
  double whole = std::trunc(value);
  uint64_t bits;
  if (whole >= -0x1p63 && whole < 0x1p63)
    bits = uint64_t(int64_t(whole));
  else if (whole >= 0 && whole < 0x1p64)
    bits = uint64_t(whole);
  else
    bits = 0; // a multiple of 2^11 or more beyond the width: wraps
  return bits & lowBits(bitWidth(type));
}

} // namespace

unsigned bitWidth(DType type) {
  switch (type) {
  case DType::i1: return 1;
  case DType::f4E2M1: return 4;
  case DType::i16:
  case DType::u16:
  case DType::f16:
  case DType::bf16: return 16;
  case DType::i32:
  case DType::u32:
  case DType::f32: return 32;
  case DType::i64:
  case DType::u64:
  case DType::f64: return 64;
  default: return 8;
  }
}

unsigned byteWidth(DType type) { return (bitWidth(type) + 7) / 8; }

bool isFloat(DType type) { return type >= DType::f16; }
bool isInteger(DType type) { return type < DType::f16; }
bool isSigned(DType type) {
  if (isFloat(type))
    return format(type).hasSign;
  return type >= DType::i8 && type <= DType::i64;
}

double toDouble(DType type, uint64_t bits) {
  bits &= lowBits(bitWidth(type));
  switch (type) {
  case DType::f64: return __builtin_bit_cast(double, bits);
  case DType::f32: return __builtin_bit_cast(float, uint32_t(bits));
  case DType::bf16: return bfloatToFloat(uint16_t(bits));
  case DType::u64: return double(bits);
  default: break;
  }
  return isFloat(type) ? decode(format(type), bits) : double(toInt(type, bits));
}

uint64_t fromDouble(DType type, double value, Rounding rounding, Overflow overflow) {
  if (isInteger(type))
    return encodeInteger(type, value);
  if (type == DType::f64 && overflow == Overflow::Ieee)
    return __builtin_bit_cast(uint64_t, value);
  return encodeFloat(format(type), value, rounding, overflow);
}

int64_t toInt(DType type, uint64_t bits) {
  unsigned width = bitWidth(type);
  if (width == 64)
    return int64_t(bits);
  bits &= lowBits(width);
  if (isSigned(type) && (bits >> (width - 1)) & 1)
    bits |= ~lowBits(width);
  return int64_t(bits);
}

double maxFinite(DType type) { return decode(format(type), format(type).maxFinite); }

} // namespace tlx
