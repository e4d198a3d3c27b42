//===- FillData.cpp - fast, exact fills -----------------------------------===//
//
// Uniform fills dominate: 2^26 elements are usual, so the generator works on
// blocks, in loops that vectorise, and never converts element by element.
//
// A double must be rounded to a narrow type once. Rounding it to float "to odd"
// first (the last bit also says whether anything was cut off) keeps everything
// that the second rounding needs, as long as float has two bits more than the
// target. f16 then uses the hardware's conversion; types of one byte use a
// table over the upper 16 bits of that float, the lower half again as sticky bit.
//
//===----------------------------------------------------------------------===//
#include "runtime/loader/FillData.h"

#include "runtime/base/Npy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace tlx {

uint64_t splitmix64(uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

uint64_t fillElement(DType type, double value) {
  if (type == DType::bf16)
    return floatToBfloat(float(value));
  return fromDouble(type, value, Rounding::NearestEven,
                    byteWidth(type) == 1 ? Overflow::Saturate : Overflow::Ieee);
}

namespace {

constexpr size_t blockSize = 1024;

struct Range {
  uint64_t seed;
  double low, high;
};

// The products and sums below must not be fused: each is rounded on its own.
#define TLX_LOOP static inline __attribute__((always_inline)) void

TLX_LOOP uniformLoop(Range range, uint64_t first, double *__restrict to, size_t count) {
#pragma clang fp contract(off)
  uint64_t start = (range.seed << 40) + first;
  double span = range.high - range.low;
  for (size_t i = 0; i < count; ++i) {
    uint64_t z = start + i + 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    double unit = double(int32_t(z >> 40)) * 0x1p-24;
    double scaled = span * unit;
    to[i] = range.low + scaled;
  }
}

/// Nearest floats, made odd where they are not exact.
TLX_LOOP toOddLoop(const double *__restrict from, float *__restrict to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    double value = from[i];
    auto nearest = float(value);
    double back = nearest;
    auto bits = __builtin_bit_cast(uint32_t, nearest);
    uint32_t inexact = back != value;
    uint32_t tooLarge = std::fabs(back) > std::fabs(value);
    // Truncate, then set the sticky bit.
    bits = (bits - tooLarge) | inexact;
    to[i] = __builtin_bit_cast(float, bits);
  }
}

TLX_LOOP toFloatLoop(const double *__restrict from, float *__restrict to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = float(from[i]);
}

#undef TLX_LOOP

#if defined(__x86_64__)
#define TLX_WIDE __attribute__((target("avx512f,avx512dq,avx512vl")))
TLX_WIDE void uniformWide(Range range, uint64_t first, double *to, size_t count) {
  uniformLoop(range, first, to, count);
}
TLX_WIDE void toOddWide(const double *from, float *to, size_t count) { toOddLoop(from, to, count); }
#undef TLX_WIDE
bool isWide() {
  static const bool wide = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide;
}
#else
bool isWide() { return false; }
void uniformWide(Range, uint64_t, double *, size_t) {}
void toOddWide(const double *, float *, size_t) {}
#endif

void uniformBlock(Range range, uint64_t first, double *to, size_t count) {
  if (isWide())
    return uniformWide(range, first, to, count);
  uniformLoop(range, first, to, count);
}
void toOdd(const double *from, float *to, size_t count) {
  if (isWide())
    return toOddWide(from, to, count);
  toOddLoop(from, to, count);
}

/// Rounds doubles to elements of one type, a block at a time.
class Rounder {
public:
  explicit Rounder(DType type) : type(type) {
    if (!isFloat(type) || byteWidth(type) != 1)
      return;
    table.resize(65536);
    for (uint32_t top = 0; top < 65536; ++top)
      table[top] = uint8_t(fillElement(type, __builtin_bit_cast(float, top << 16)));
  }

  void round(const double *from, uint8_t *to, size_t count) {
    switch (type) {
    case DType::f64: std::memcpy(to, from, count * 8); return;
    case DType::f32: toFloatLoop(from, reinterpret_cast<float *>(to), count); return;
    case DType::bf16:
      toFloatLoop(from, floats, count);
      floatToBfloat(floats, reinterpret_cast<uint16_t *>(to), count);
      return;
    case DType::f16:
      toOdd(from, floats, count);
      floatToHalf(floats, reinterpret_cast<uint16_t *>(to), count);
      return;
    default: break;
    }
    if (!table.empty()) {
      toOdd(from, floats, count);
      for (size_t i = 0; i < count; ++i) {
        auto bits = __builtin_bit_cast(uint32_t, floats[i]);
        to[i] = table[(bits >> 16) | ((bits & 0xFFFF) != 0)];
      }
      return;
    }
    for (size_t i = 0; i < count; ++i)
      storeElement(type, to, i, fillElement(type, from[i]));
  }

private:
  DType type;
  std::vector<uint8_t> table;
  float floats[blockSize];
};

void fillUniform(const Fill &fill, DType type, uint8_t *to, size_t count) {
  Range range{fill.seed, fill.low, fill.high};
  Rounder rounder(type);
  double values[blockSize];
  for (size_t first = 0; first < count; first += blockSize) {
    size_t n = std::min(blockSize, count - first);
    if (fill.kind == Fill::Kind::UniformInt) {
      uniformBlock({fill.seed, 0, fill.high - fill.low}, first, values, n);
      for (size_t i = 0; i < n; ++i)
        values[i] = fill.low + std::floor(values[i]);
    } else {
      uniformBlock(range, first, values, n);
    }
    rounder.round(values, to + first * byteWidth(type), n);
  }
}

void fillConstant(DType type, double value, uint8_t *to, size_t count) {
  uint64_t bits = fillElement(type, value);
  unsigned width = byteWidth(type);
  if (count == 0)
    return;
  storeElement(type, to, 0, bits);
  // Doubles what is there until it is full.
  size_t total = count * width;
  for (size_t done = width; done < total; done *= 2)
    std::memcpy(to + done, to, std::min(done, total - done));
}

/// Whether a file of `stored` elements can serve as elements of `type`: the
/// same, or integers of the same width, which are taken as raw bits.
bool fileFits(DType stored, DType type) {
  return stored == type || (byteWidth(stored) == byteWidth(type) && isInteger(stored) &&
                            (isInteger(type) || npy::storedType(type) != type));
}

Result<void> fillFromFile(const Fill &fill, DType type, uint8_t *to, size_t count) {
  Result<npy::Array> array = npy::read(fill.path);
  if (!array) {
    Error error = std::move(array).error();
    return Error(error.location.file + ": " + error.message, fill.location);
  }
  size_t width = byteWidth(array->type);
  size_t elements = array->bytes.size() / width;
  if (!fileFits(array->type, type))
    return Error(fill.path + " holds elements of type " + name(array->type) +
                     "; the argument needs " + name(npy::storedType(type)),
                 fill.location);
  if (elements != count)
    return Error(fill.path + " has " + std::to_string(elements) +
                     " elements; the argument's shape needs " + std::to_string(count),
                 fill.location);
  std::memcpy(to, array->bytes.data(), array->bytes.size());
  return {};
}

} // namespace

Result<void> fillElements(const Fill &fill, DType type, void *to, size_t count) {
  auto *bytes = static_cast<uint8_t *>(to);
  switch (fill.kind) {
  case Fill::Kind::Zeros: std::memset(bytes, 0, count * byteWidth(type)); break;
  case Fill::Kind::Constant: fillConstant(type, fill.value, bytes, count); break;
  case Fill::Kind::Uniform:
  case Fill::Kind::UniformInt: fillUniform(fill, type, bytes, count); break;
  case Fill::Kind::Values:
    for (size_t i = 0; i < count && i < fill.bits.size(); ++i)
      storeElement(type, bytes, i, fill.bits[i]);
    break;
  case Fill::Kind::File: return fillFromFile(fill, type, bytes, count);
  }
  return {};
}

} // namespace tlx
