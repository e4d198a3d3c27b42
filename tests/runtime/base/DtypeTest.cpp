// The conversions are compared with an oracle that knows only the list of a
// format's values: the nearest one, ties to the even encoding.
#include "runtime/base/Dtype.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace tlx;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

const DType narrowFloats[] = {DType::f16,           DType::bf16,       DType::f8E4M3FN,
                              DType::f8E5M2,        DType::f8E4M3FNUZ, DType::f8E5M2FNUZ,
                              DType::f8E4M3B11FNUZ, DType::f4E2M1};

TEST(DType, NamesReadBack) {
  for (unsigned i = 0; i < numDTypes; ++i)
    EXPECT_EQ(parseDType(name(DType(i))), DType(i));
  EXPECT_EQ(parseDType("fp16"), DType::f16);
  EXPECT_EQ(parseDType("fp8e4nv"), DType::f8E4M3FN);
  EXPECT_EQ(parseDType("u1"), DType::i1);
  EXPECT_EQ(parseDType("f4E2M1FN"), DType::f4E2M1);
  EXPECT_EQ(parseDType("fp17"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
  EXPECT_EQ(parsePointerType("*bf16"), DType::bf16);
  EXPECT_EQ(parsePointerType("*kfp32"), DType::f32);
  EXPECT_EQ(parsePointerType("i32"), std::nullopt);
}

TEST(DType, Sizes) {
  EXPECT_EQ(bitWidth(DType::i1), 1u);
  EXPECT_EQ(byteWidth(DType::i1), 1u);
  EXPECT_EQ(bitWidth(DType::f4E2M1), 4u);
  EXPECT_EQ(byteWidth(DType::f8E8M0FNU), 1u);
  EXPECT_EQ(byteWidth(DType::u64), 8u);
  EXPECT_TRUE(isSigned(DType::i8));
  EXPECT_FALSE(isSigned(DType::i1));
  EXPECT_FALSE(isSigned(DType::u32));
  EXPECT_FALSE(isSigned(DType::f8E8M0FNU));
}

TEST(DType, KnownValues) {
  EXPECT_EQ(maxFinite(DType::f16), 65504);
  EXPECT_EQ(maxFinite(DType::f8E4M3FN), 448);
  EXPECT_EQ(maxFinite(DType::f8E5M2), 57344);
  EXPECT_EQ(maxFinite(DType::f8E4M3FNUZ), 240);
  EXPECT_EQ(maxFinite(DType::f8E5M2FNUZ), 57344);
  EXPECT_EQ(maxFinite(DType::f8E4M3B11FNUZ), 30);
  EXPECT_EQ(maxFinite(DType::f4E2M1), 6);
  EXPECT_EQ(maxFinite(DType::f8E8M0FNU), 0x1p127);
  EXPECT_EQ(maxFinite(DType::bf16), 0x1.FEp127);
  EXPECT_EQ(maxFinite(DType::f64), std::numeric_limits<double>::max());
  EXPECT_EQ(toDouble(DType::f16, 1), 0x1p-24);
  EXPECT_EQ(toDouble(DType::f8E4M3FN, 1), 0x1p-9);
  EXPECT_EQ(toDouble(DType::f8E5M2, 0x7C), inf);
  EXPECT_TRUE(std::isnan(toDouble(DType::f8E4M3FN, 0x7F)));
  EXPECT_TRUE(std::isnan(toDouble(DType::f8E4M3FNUZ, 0x80)));
  EXPECT_TRUE(std::isnan(toDouble(DType::f8E8M0FNU, 0xFF)));
  EXPECT_EQ(toDouble(DType::f8E8M0FNU, 0), 0x1p-127);
  const double fp4[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(toDouble(DType::f4E2M1, i), fp4[i]);
    EXPECT_EQ(toDouble(DType::f4E2M1, i | 8), -fp4[i]);
  }
}

TEST(DType, EveryEncodingSurvives) {
  for (DType type : narrowFloats)
    for (uint64_t bits = 0; bits < uint64_t(1) << bitWidth(type); ++bits) {
      double value = toDouble(type, bits);
      uint64_t back = fromDouble(type, value);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(toDouble(type, back)));
      else
        ASSERT_EQ(back, bits) << name(type);
    }
  for (uint64_t bits = 0; bits < 255; ++bits)
    EXPECT_EQ(fromDouble(DType::f8E8M0FNU, toDouble(DType::f8E8M0FNU, bits)), bits);
}

/// Non-negative finite encodings; their values ascend.
std::vector<double> positives(DType type) {
  std::vector<double> out;
  for (uint64_t bits = 0;; ++bits) {
    double value = toDouble(type, bits);
    out.push_back(value);
    if (value == maxFinite(type))
      return out;
  }
}

uint64_t oracle(const std::vector<double> &values, double magnitude, Rounding rounding) {
  size_t high = size_t(std::lower_bound(values.begin(), values.end(), magnitude) - values.begin());
  if (values[high] == magnitude)
    return high;
  size_t low = high - 1;
  switch (rounding) {
  case Rounding::TowardZero:
  case Rounding::Down: return low;
  case Rounding::Up: return high;
  case Rounding::NearestEven: break;
  }
  double below = magnitude - values[low], above = values[high] - magnitude;
  if (below != above)
    return below < above ? low : high;
  return low % 2 == 0 ? low : high;
}

TEST(DType, RoundsToTheNearest) {
  std::mt19937_64 random(3);
  for (DType type : narrowFloats) {
    std::vector<double> values = positives(type);
    uint64_t sign = uint64_t(1) << (bitWidth(type) - 1);
    auto check = [&](double magnitude) {
      for (Rounding rounding :
           {Rounding::NearestEven, Rounding::TowardZero, Rounding::Up, Rounding::Down})
        ASSERT_EQ(fromDouble(type, magnitude, rounding), oracle(values, magnitude, rounding))
            << name(type) << " " << magnitude << " " << int(rounding);
      uint64_t even = oracle(values, magnitude, Rounding::NearestEven);
      bool unsignedZero = even == 0 && std::isnan(toDouble(type, sign));
      ASSERT_EQ(fromDouble(type, -magnitude), unsignedZero ? 0 : even | sign);
      // Up on a negative number is toward zero.
      uint64_t low = oracle(values, magnitude, Rounding::TowardZero);
      unsignedZero = low == 0 && std::isnan(toDouble(type, sign));
      ASSERT_EQ(fromDouble(type, -magnitude, Rounding::Up), unsignedZero ? 0 : low | sign);
    };
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      double middle = values[i] + (values[i + 1] - values[i]) / 2;
      check(middle);
      check(std::nextafter(middle, 0.0));
      check(std::nextafter(middle, inf));
    }
    for (int i = 0; i < 2000; ++i)
      check(std::ldexp(double(random() >> 11) * 0x1p-53,
                       int(random() % 60) - 40 + std::ilogb(maxFinite(type)) - 20));
  }
}

TEST(DType, Overflow) {
  // 464 is halfway between 448 and the next step, and 448 is even.
  EXPECT_EQ(fromDouble(DType::f8E4M3FN, 464), 0x7Eu);
  EXPECT_EQ(fromDouble(DType::f8E4M3FN, 464.01), 0x7Fu); // NaN
  EXPECT_EQ(fromDouble(DType::f8E4M3FN, -inf), 0xFFu);
  auto saturated = [](DType type, double value) {
    return fromDouble(type, value, Rounding::NearestEven, Overflow::Saturate);
  };
  EXPECT_EQ(saturated(DType::f8E4M3FN, 1e9), 0x7Eu);
  EXPECT_EQ(saturated(DType::f8E4M3FN, -inf), 0xFEu);
  EXPECT_EQ(saturated(DType::f8E5M2, inf), 0x7Bu);
  EXPECT_EQ(saturated(DType::f64, -inf), 0xFFEFFFFFFFFFFFFFu);
  EXPECT_EQ(fromDouble(DType::f8E5M2, 61440), 0x7Cu); // tie with 65536: inf
  EXPECT_EQ(fromDouble(DType::f8E5M2, 61439), 0x7Bu);
  EXPECT_EQ(fromDouble(DType::f16, 65520), 0x7C00u);
  EXPECT_EQ(fromDouble(DType::f16, 1e9, Rounding::TowardZero), 0x7BFFu);
  EXPECT_EQ(fromDouble(DType::f16, inf, Rounding::TowardZero), 0x7C00u);
  EXPECT_EQ(fromDouble(DType::f16, -1e9, Rounding::Up), 0xFBFFu);
  EXPECT_EQ(fromDouble(DType::f16, -1e9, Rounding::Down), 0xFC00u);
  EXPECT_EQ(fromDouble(DType::f8E4M3FNUZ, 1e9), 0x80u);
  EXPECT_EQ(fromDouble(DType::f4E2M1, -1e9), 0xFu);
  EXPECT_EQ(fromDouble(DType::f4E2M1, nan), 0x7u);
  EXPECT_EQ(fromDouble(DType::f32, 1e39), 0x7F800000u);
  EXPECT_EQ(fromDouble(DType::f32, 0x1p-149 * 0.5), 0u); // tie to even
  EXPECT_EQ(fromDouble(DType::f32, 0x1.8p-150), 1u);
}

TEST(DType, Scales) {
  auto scale = [](double v, Rounding r = Rounding::NearestEven) {
    return fromDouble(DType::f8E8M0FNU, v, r, Overflow::Saturate);
  };
  EXPECT_EQ(scale(1), 127u);
  EXPECT_EQ(scale(0x1p-8), 119u);
  EXPECT_EQ(scale(1.49), 127u);
  EXPECT_EQ(scale(1.5), 128u); // the significand 1 is odd
  EXPECT_EQ(scale(2.9, Rounding::TowardZero), 128u);
  EXPECT_EQ(scale(2.1, Rounding::Up), 129u);
  EXPECT_EQ(scale(-4), 129u);
  EXPECT_EQ(scale(0), 0u);
  EXPECT_EQ(scale(0x1p-140), 0u);
  EXPECT_EQ(scale(inf), 254u);
  EXPECT_EQ(scale(nan), 255u);
  EXPECT_EQ(fromDouble(DType::f8E8M0FNU, 0x1p128), 255u);
}

TEST(DType, Integers) {
  EXPECT_EQ(fromDouble(DType::i8, -3.9), 0xFDu);
  EXPECT_EQ(fromDouble(DType::u8, 258), 2u);
  EXPECT_EQ(fromDouble(DType::i1, 0.25), 1u);
  EXPECT_EQ(fromDouble(DType::u64, 0x1p63), uint64_t(1) << 63);
  EXPECT_EQ(fromDouble(DType::i32, nan), 0u);
  EXPECT_EQ(toDouble(DType::i16, 0xFFFE), -2);
  EXPECT_EQ(toDouble(DType::u16, 0xFFFE), 65534);
  EXPECT_EQ(toDouble(DType::u64, UINT64_MAX), 0x1p64);
  EXPECT_EQ(toInt(DType::i1, 1), 1);
  EXPECT_EQ(toInt(DType::i8, 0x180), -128);
}

TEST(DTypeBulk, AgreesWithOneAtATime) {
  std::vector<uint16_t> all(65536);
  for (unsigned i = 0; i < all.size(); ++i)
    all[i] = uint16_t(i);
  std::vector<float> floats(65536);
  for (DType type : {DType::f16, DType::bf16}) {
    toFloats(type, all.data(), floats.data(), all.size());
    for (unsigned i = 0; i < all.size(); ++i) {
      double expected = toDouble(type, i);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(floats[i]));
      else
        ASSERT_EQ(floats[i], expected);
    }
  }
  halfToFloat(all.data(), floats.data(), all.size());
  for (unsigned i = 0; i < all.size(); ++i)
    ASSERT_EQ(__builtin_bit_cast(uint32_t, floats[i]),
              __builtin_bit_cast(uint32_t, halfToFloat(uint16_t(i))));

  std::mt19937 random(5);
  std::vector<float> inputs;
  for (int i = 0; i < 400003; ++i) // not a multiple of the vector width
    inputs.push_back(__builtin_bit_cast(float, uint32_t(random())));
  for (int exponent = -27; exponent < 18; ++exponent)
    for (int i = 0; i < 2000; ++i)
      inputs.push_back(std::ldexp(1.0f + float(random() % 4096) / 4096.0f, exponent));
  std::vector<uint16_t> outputs(inputs.size());
  floatToHalf(inputs.data(), outputs.data(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(outputs[i], floatToHalf(inputs[i])) << inputs[i];
    if (!std::isnan(inputs[i]))
      ASSERT_EQ(outputs[i], fromDouble(DType::f16, inputs[i])) << inputs[i];
  }
  floatToBfloat(inputs.data(), outputs.data(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(outputs[i], floatToBfloat(inputs[i])) << inputs[i];
    if (!std::isnan(inputs[i]))
      ASSERT_EQ(outputs[i], fromDouble(DType::bf16, inputs[i])) << inputs[i];
  }
}

TEST(DTypeBulk, NarrowFloatsAgreeWithOneAtATime) {
  std::mt19937 random(6);
  std::vector<float> inputs;
  for (int i = 0; i < 20000; ++i)
    inputs.push_back(__builtin_bit_cast(float, uint32_t(random())));
  // Ties of four bits and fewer, and their neighbours.
  for (int exponent = -24; exponent < 18; ++exponent)
    for (uint32_t mantissa = 0; mantissa < 64; ++mantissa)
      for (uint32_t beside : {0xFFFFFFFFu, 0u, 1u}) {
        float tie = std::ldexp(1.0f + float(mantissa) / 64.0f, exponent);
        inputs.push_back(__builtin_bit_cast(float, __builtin_bit_cast(uint32_t, tie) + beside));
        inputs.push_back(-inputs.back());
      }
  for (float special : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f})
    inputs.push_back(special);
  std::vector<uint8_t> outputs(inputs.size());
  for (DType type : {DType::f8E4M3FN, DType::f8E5M2, DType::f8E4M3FNUZ, DType::f8E5M2FNUZ,
                     DType::f8E4M3B11FNUZ, DType::f8E8M0FNU, DType::f4E2M1})
    for (Rounding rounding :
         {Rounding::NearestEven, Rounding::TowardZero, Rounding::Up, Rounding::Down})
      for (Overflow overflow : {Overflow::Ieee, Overflow::Saturate}) {
        fromFloats(type, inputs.data(), outputs.data(), inputs.size(), rounding, overflow);
        for (size_t i = 0; i < inputs.size(); ++i)
          ASSERT_EQ(outputs[i], fromDouble(type, inputs[i], rounding, overflow))
              << name(type) << " " << inputs[i];
      }
}

TEST(DTypeBulk, OtherTypes) {
  float values[] = {-1.5f, 3.0f, 1000.0f, 0.25f};
  uint8_t bytes[4];
  fromFloats(DType::f8E4M3FN, values, bytes, 4, Rounding::NearestEven, Overflow::Saturate);
  EXPECT_EQ(bytes[2], 0x7E);
  float back[4];
  toFloats(DType::f8E4M3FN, bytes, back, 4);
  EXPECT_EQ(back[0], -1.5f);
  EXPECT_EQ(back[3], 0.25f);
  // Through double this would round twice, to 2^24 * 2^39 + ….
  int64_t wide = (int64_t(1) << 62) + (int64_t(1) << 38) + 1;
  toFloats(DType::i64, &wide, back, 1);
  EXPECT_EQ(back[0], float(wide));
}

} // namespace
