//===- DtypeBulk.cpp - fast conversions of arrays -------------------------===//
//
// F16C has hardware conversions; bf16 is shifts and adds, which the compiler
// vectorises for whatever instruction set the function is compiled for. The
// choice is made at run time, and every path gives the same bits.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/Dtype.h"

#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tlx {

//===----------------------------------------------------------------------===//
// f16
//===----------------------------------------------------------------------===//

float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7FFF;
  if (magnitude >= 0x7C00) { // infinity, or NaN made quiet
    uint32_t quiet = magnitude > 0x7C00 ? 0x400000 : 0;
    return __builtin_bit_cast(float, sign | 0x7F800000 | quiet | ((magnitude & 0x3FF) << 13));
  }
  if (magnitude < 0x400) { // zero and subnormals are multiples of 2^-24
    float value = float(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return __builtin_bit_cast(float, sign | ((magnitude + (112u << 10)) << 13));
}

uint16_t floatToHalf(float value) {
  auto bits = __builtin_bit_cast(uint32_t, value);
  auto sign = uint16_t((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000)
    return uint16_t(sign | 0x7E00 | ((magnitude >> 13) & 0x3FF));
  if (magnitude >= 0x47800000) // 2^16 and up
    return uint16_t(sign | 0x7C00);
  if (magnitude < 0x38800000) { // below 2^-14: in units of 2^-24
    // Adding 0.5 makes the float's own rounding cut at 2^-24.
    float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
    return uint16_t(sign |
                    (__builtin_bit_cast(uint32_t, shifted) - __builtin_bit_cast(uint32_t, 0.5f)));
  }
  uint32_t odd = (magnitude >> 13) & 1;
  return uint16_t(sign | ((magnitude + 0xFFF + odd - (112u << 23)) >> 13));
}

#if defined(__x86_64__)
static bool hasF16c() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return has;
}
static bool hasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

__attribute__((target("avx2,f16c"))) static size_t halfToFloatF16c(const uint16_t *from, float *to,
                                                                   size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
  }
  return i;
}

__attribute__((target("avx2,f16c"))) static size_t floatToHalfF16c(const float *from, uint16_t *to,
                                                                   size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i), half);
  }
  return i;
}
#endif

void halfToFloat(const uint16_t *from, float *to, size_t count) {
  size_t i = 0;
#if defined(__x86_64__)
  if (hasF16c())
    i = halfToFloatF16c(from, to, count);
#endif
  for (; i < count; ++i)
    to[i] = halfToFloat(from[i]);
}

void floatToHalf(const float *from, uint16_t *to, size_t count) {
  size_t i = 0;
#if defined(__x86_64__)
  if (hasF16c())
    i = floatToHalfF16c(from, to, count);
#endif
  for (; i < count; ++i)
    to[i] = floatToHalf(from[i]);
}

//===----------------------------------------------------------------------===//
// bf16
//===----------------------------------------------------------------------===//

uint16_t floatToBfloat(float value) {
  auto bits = __builtin_bit_cast(uint32_t, value);
  uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  uint32_t nan = (bits >> 16) | 0x40;
  return uint16_t((bits & 0x7FFFFFFF) > 0x7F800000 ? nan : rounded);
}

static inline __attribute__((always_inline)) void
bfloatToFloatLoop(const uint16_t *__restrict from, float *__restrict to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = bfloatToFloat(from[i]);
}
static inline __attribute__((always_inline)) void
floatToBfloatLoop(const float *__restrict from, uint16_t *__restrict to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    auto bits = __builtin_bit_cast(uint32_t, from[i]);
    uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    uint32_t nan = (bits >> 16) | 0x40;
    to[i] = uint16_t((bits & 0x7FFFFFFF) > 0x7F800000 ? nan : rounded);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void bfloatToFloatAvx2(const uint16_t *from, float *to,
                                                              size_t count) {
  bfloatToFloatLoop(from, to, count);
}
__attribute__((target("avx2"))) static void floatToBfloatAvx2(const float *from, uint16_t *to,
                                                              size_t count) {
  floatToBfloatLoop(from, to, count);
}
#endif

void bfloatToFloat(const uint16_t *from, float *to, size_t count) {
#if defined(__x86_64__)
  if (hasAvx2())
    return bfloatToFloatAvx2(from, to, count);
#endif
  bfloatToFloatLoop(from, to, count);
}

void floatToBfloat(const float *from, uint16_t *to, size_t count) {
#if defined(__x86_64__)
  if (hasAvx2())
    return floatToBfloatAvx2(from, to, count);
#endif
  floatToBfloatLoop(from, to, count);
}

//===----------------------------------------------------------------------===//
// Any type
//===----------------------------------------------------------------------===//

uint64_t loadElement(DType type, const void *from, size_t index) {
  uint64_t bits = 0;
  unsigned bytes = byteWidth(type);
  std::memcpy(&bits, static_cast<const char *>(from) + index * bytes, bytes);
  return bits;
}

void storeElement(DType type, void *to, size_t index, uint64_t bits) {
  unsigned bytes = byteWidth(type);
  std::memcpy(static_cast<char *>(to) + index * bytes, &bits, bytes);
}

namespace {
/// The 256 values of a one-byte type.
struct ByteTable {
  float values[256];
  explicit ByteTable(DType type) {
    for (unsigned i = 0; i < 256; ++i)
      values[i] = float(toDouble(type, i));
  }
};

/// A one-byte float for each f32, by sign, exponent and the five upper bits of the mantissa: the
/// last bit of the entry's number stands for all that follow. That tells how to round to four bits
/// and fewer, in every mode.
class NarrowTable {
public:
  NarrowTable(DType type, Rounding rounding, Overflow overflow) : bytes(size_t(1) << indexBits) {
    for (uint32_t i = 0; i < bytes.size(); ++i)
      bytes[i] = uint8_t(
          fromDouble(type, __builtin_bit_cast(float, i << (32 - indexBits)), rounding, overflow));
  }
  uint8_t operator[](float value) const {
    const auto bits = __builtin_bit_cast(uint32_t, value);
    constexpr uint32_t rest = (uint32_t(1) << (32 - indexBits)) - 1;
    return bytes[bits >> (32 - indexBits) | uint32_t((bits & rest) != 0)];
  }

private:
  static constexpr unsigned indexBits = 15;
  std::vector<uint8_t> bytes;
};

const NarrowTable &narrowTable(DType type, Rounding rounding, Overflow overflow) {
  thread_local std::map<std::tuple<DType, Rounding, Overflow>, NarrowTable> tables;
  return tables.try_emplace({type, rounding, overflow}, type, rounding, overflow).first->second;
}
} // namespace

void toFloats(DType type, const void *from, float *to, size_t count) {
  switch (type) {
  case DType::f32: std::memcpy(to, from, count * sizeof(float)); return;
  case DType::f16: return halfToFloat(static_cast<const uint16_t *>(from), to, count);
  case DType::bf16: return bfloatToFloat(static_cast<const uint16_t *>(from), to, count);
  default: break;
  }
  if (byteWidth(type) == 1 && count >= 256) {
    thread_local std::map<DType, ByteTable> tables;
    const ByteTable &table = tables.try_emplace(type, type).first->second;
    auto *bytes = static_cast<const uint8_t *>(from);
    for (size_t i = 0; i < count; ++i)
      to[i] = table.values[bytes[i]];
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = loadElement(type, from, i);
    // Integers go to float directly: through double they would round twice.
    if (type == DType::u64)
      to[i] = float(bits);
    else if (isInteger(type))
      to[i] = float(toInt(type, bits));
    else
      to[i] = float(toDouble(type, bits));
  }
}

void fromFloats(DType type, const float *from, void *to, size_t count, Rounding rounding,
                Overflow overflow) {
  bool plain = rounding == Rounding::NearestEven && overflow == Overflow::Ieee;
  if (type == DType::f32 && overflow == Overflow::Ieee) {
    std::memcpy(to, from, count * sizeof(float));
    return;
  }
  if (plain && type == DType::f16)
    return floatToHalf(from, static_cast<uint16_t *>(to), count);
  if (plain && type == DType::bf16)
    return floatToBfloat(from, static_cast<uint16_t *>(to), count);
  if (isFloat(type) && byteWidth(type) == 1 && count >= 256) {
    const NarrowTable &table = narrowTable(type, rounding, overflow);
    for (size_t i = 0; i < count; ++i)
      static_cast<uint8_t *>(to)[i] = table[from[i]];
    return;
  }
  for (size_t i = 0; i < count; ++i)
    storeElement(type, to, i, fromDouble(type, from[i], rounding, overflow));
}

} // namespace tlx
