//===- Dtype.h - element types and exact conversions ----------------------===//
//
// The element types of kernels, their names in launch manifests and in the
// front end, and their values. An element is handled as its bit pattern in the
// low bits of a uint64_t; conversions go through double, which holds every
// value of every type here but 64-bit integers exactly, so each conversion is
// rounded once.
//
// Formats: IEEE 754 for f16, f32, f64; bfloat16 is the upper half of f32;
// OCP 8-bit floating point (E4M3, E5M2) and OCP microscaling formats v1.0
// (E8M0 scales, E2M1); the FNUZ types are AMD's: no infinities, no negative
// zero, 0x80 is the one NaN.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tlx {

enum class DType : uint8_t {
  i1,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64,
  f8E4M3FN,
  f8E5M2,
  f8E4M3FNUZ,
  f8E5M2FNUZ,
  f8E4M3B11FNUZ, ///< Triton's fp8e4b15
  f8E8M0FNU,     ///< a power of two, 2^(bits - 127); 0xFF is NaN
  f4E2M1,        ///< OCP FP4
};
inline constexpr unsigned numDTypes = unsigned(DType::f4E2M1) + 1;

/// How a value between two representable ones is rounded.
enum class Rounding : uint8_t { NearestEven, TowardZero, Up, Down };

/// What becomes of a value beyond the largest finite one after rounding.
enum class Overflow : uint8_t {
  Ieee,     ///< infinity; NaN in formats that have no infinity
  Saturate, ///< the largest finite value, for infinities too (cvt.satfinite)
};

/// Size in bits: 1 for i1, 4 for f4E2M1, else a multiple of 8.
unsigned bitWidth(DType type);
/// Bytes that one unpacked element takes in memory (1 for i1 and f4E2M1).
unsigned byteWidth(DType type);
bool isFloat(DType type);
bool isInteger(DType type); ///< i1 and the 8- to 64-bit integers
bool isSigned(DType type);  ///< i8 to i64 and the floats that have a sign

/// The launch manifest's name, which is also MLIR's: "f16", "f8E4M3FN", "i32".
const char *name(DType type);
/// Reads a manifest name, a front-end name ("fp16", "fp8e4nv", "u1") or MLIR's
/// ("f8E4M3FN", "f4E2M1FN", "ui8"). Nothing for a name that is none of these.
std::optional<DType> parseDType(std::string_view text);
/// Reads a front-end pointer type "*fp16" and returns its element type.
std::optional<DType> parsePointerType(std::string_view text);

/// The value of an element. Unused upper bits are ignored. 64-bit integers
/// beyond 2^53 are rounded.
double toDouble(DType type, uint64_t bits);
/// The nearest element to a value. Integers truncate toward zero and wrap to
/// their width (NaN gives 0), i1 is "not zero". For floats, NaN gives a quiet
/// NaN with the sign kept; E2M1, which has neither NaN nor infinity, always
/// saturates and turns NaN into its largest value; E8M0 ignores the sign and
/// turns zero into its smallest value, 2^-127.
uint64_t fromDouble(DType type, double value, Rounding rounding = Rounding::NearestEven,
                    Overflow overflow = Overflow::Ieee);
/// Integer elements, exact for all widths: sign- or zero-extended.
int64_t toInt(DType type, uint64_t bits);

/// Largest finite value of a float type.
double maxFinite(DType type);

// One element at a time, for the two formats that dominate.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value); ///< nearest even
inline float bfloatToFloat(uint16_t bits) {
  return __builtin_bit_cast(float, uint32_t(bits) << 16);
}
uint16_t floatToBfloat(float value); ///< nearest even

/// Element `index` of an array of `byteWidth(type)` bytes each.
uint64_t loadElement(DType type, const void *from, size_t index);
void storeElement(DType type, void *to, size_t index, uint64_t bits);

// Many at a time. F16C and AVX2 are used when the machine has them; results
// do not depend on it. Source and destination must not overlap.
void halfToFloat(const uint16_t *from, float *to, size_t count);
void floatToHalf(const float *from, uint16_t *to, size_t count);
void bfloatToFloat(const uint16_t *from, float *to, size_t count);
void floatToBfloat(const float *from, uint16_t *to, size_t count);

/// `count` elements of `byteWidth(type)` bytes each to float (f64 and wide
/// integers are rounded to nearest).
void toFloats(DType type, const void *from, float *to, size_t count);
void fromFloats(DType type, const float *from, void *to, size_t count,
                Rounding rounding = Rounding::NearestEven, Overflow overflow = Overflow::Ieee);

} // namespace tlx
