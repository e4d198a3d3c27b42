// Hashes come from an independent implementation of the schema in numpy.
#include "runtime/loader/FillData.h"
#include "runtime/base/Sha256.h"

#include <gtest/gtest.h>
#include <vector>

using namespace tlx;

TEST(FillData, Splitmix) {
  // First outputs of the reference generator with seed 0.
  EXPECT_EQ(splitmix64(0), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(splitmix64(0x9E3779B97F4A7C15), 0x6E789E6AA1B965F4u);
}

namespace {
struct Row {
  DType type;
  Fill::Kind kind;
  uint64_t seed;
  double low, high;
  const char *sha256;
};
const Row rows[] = {
    {DType::f16, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "5d41423ca31d59b476039b1a222ccca2bd6bfc57ae1e9aad89818bbbd20d1246"},
    {DType::f16, Fill::Kind::Uniform, 77, -0.0004, 700.0,
     "83ecd095a9b2d099b2474c18f96ccefa6f61bc7032fe0e6b30bd361dae25c336"},
    {DType::f16, Fill::Kind::UniformInt, 5, -7, 100,
     "c5acdfc6c5ae4efee974745656249b6216bf72a630e1209edb112d5b9c25a921"},
    {DType::bf16, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "9414aeccf34767954f703970181e328d35b296ccffd5f36612903bb5a1ad6a57"},
    {DType::bf16, Fill::Kind::Uniform, 77, -0.0004, 700.0,
     "31889e463324660324681ba7f13d7cda345e9046faa2e3bc8d8ca0236641ae86"},
    {DType::f32, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "3fac3ae19f0bf2debcc61c538f622d139043b7df25eebdc5d7590738b503091a"},
    {DType::f32, Fill::Kind::Uniform, 77, -0.0004, 700.0,
     "6703f4aa9b4915ab9e7a72927df587d44ba94ddb3ca4086c655fa18b6fcc7f76"},
    {DType::f32, Fill::Kind::UniformInt, 5, -7, 100,
     "f4bbbafc5d2adc7abece7a0c1caaed315c913662339f2384efdc181d4e38dc37"},
    {DType::f64, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "394d156a12ceb8692c0d3669632cc2eebed5c40924e9c68e7fc6521b18271f13"},
    {DType::f64, Fill::Kind::Uniform, 77, -0.0004, 700.0,
     "d15b3a01326fcfa7b96e706698693e4f493f2c4d312b42c8eeeaa397b51deb6d"},
    {DType::f64, Fill::Kind::UniformInt, 5, -7, 100,
     "ece7f4b7a42e45eeeb9aa54892689e4b4b7a2805848e8a2fa52c7f94b5a71189"},
    {DType::f8E4M3FN, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "c006311062bf3cee596ae8bc31a1d95d9764cdc8ab4577f46af6dbd5bb02c859"},
    {DType::f8E4M3FN, Fill::Kind::Uniform, 77, -0.0004, 700.0,
     "4b53227cb60d04719884fb4ce2f8c90daa038bacaea6e3c138f7ca87352f7ec3"},
    {DType::f8E5M2, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "d648625fd165013eea83b8b6172092e4faf3dd9846f96dc7454a1847d0771608"},
    {DType::f8E5M2, Fill::Kind::Uniform, 77, -0.0004, 700.0,
     "464d1d646a93d443220a2366d6dad7c051e313bafe21280ed4ca8f8586431b75"},
    {DType::i8, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "c4bc93766e91f9dec87b8c69643d5c5a47413aa22b42b64d8412805074756e9b"},
    {DType::i8, Fill::Kind::Uniform, 77, -0.0004, 101.5,
     "c260388b8e31c0f568a1c099d7d35219bcd3af0cf2b994dabbdcb0bb446074cc"},
    {DType::i8, Fill::Kind::UniformInt, 5, -7, 100,
     "d093a9224c4d7fab493af334855e133b1061a0c5cf3599326ee1e167681df502"},
    {DType::i32, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "8931eda47c019269454527c8556dfcf71a2846d205ae69f374c183b50059e919"},
    {DType::i32, Fill::Kind::Uniform, 77, -0.0004, 700.0,
     "9d98ef9df31c5cc69c822bb9c0912163040acfd315efd22c6869548a0b8d71a9"},
    {DType::i32, Fill::Kind::UniformInt, 5, -7, 100,
     "a5ab07b3506c28240718ce2d18c6d195a119983fefe5179d6bc9e276c894b2d7"},
    {DType::i64, Fill::Kind::Uniform, 3, -1.73, 1.73,
     "a5f55986967a21da642806ad5b1bf4da73e11e4046f5fb236b072256c559b636"},
    {DType::i64, Fill::Kind::Uniform, 77, -0.0004, 700.0,
     "4260588956165e19e66f929fcee46d88677a3d60983f55fa83308d19244ae9ee"},
    {DType::i64, Fill::Kind::UniformInt, 5, -7, 100,
     "ff19515b4204066d541646687f681cd05772b0baf8a3b02fa78e4d41979a453b"},
    {DType::u8, Fill::Kind::Uniform, 3, 3, 1.73,
     "58d51945461ecee7c11b284dcafb5c570c2cc5b9dd82b038729e0e41733c72f6"},
    {DType::u8, Fill::Kind::Uniform, 77, 3, 255.9,
     "bf92e8ddffcec686eae47ebaf853f684a1f82461db7049e7ec96786d3e98fad2"},
    {DType::u8, Fill::Kind::UniformInt, 5, 3, 100,
     "162bfa9351e60fb7ea3a4e2bc9758bada7fb04e9debaa1a0ab1f54e05abc7b3f"},
};
} // namespace

TEST(FillData, UniformAgreesWithNumpy) {
  constexpr size_t count = 100003;
  for (const Row &row : rows) {
    Fill fill;
    fill.kind = row.kind;
    fill.seed = row.seed;
    fill.low = row.low;
    fill.high = row.high;
    std::vector<uint8_t> bytes(count * byteWidth(row.type));
    ASSERT_TRUE(fillElements(fill, row.type, bytes.data(), count).ok());
    EXPECT_EQ(sha256Hex(bytes.data(), bytes.size()), row.sha256)
        << name(row.type) << " " << row.seed;
  }
}

TEST(FillData, BlocksAgreeWithOneAtATime) {
  // The fast path of every type against the definition.
  for (DType type : {DType::f16, DType::f8E4M3FN, DType::f8E5M2, DType::f8E4M3FNUZ,
                     DType::f8E5M2FNUZ, DType::f8E8M0FNU, DType::f4E2M1, DType::f32}) {
    for (double scale : {1e-6, 1.0, 300.0, 1e6}) {
      Fill fill;
      fill.kind = Fill::Kind::Uniform;
      fill.seed = 9;
      fill.low = -scale;
      fill.high = scale * 1.5;
      constexpr size_t count = 5000;
      std::vector<uint8_t> bytes(count * byteWidth(type));
      ASSERT_TRUE(fillElements(fill, type, bytes.data(), count).ok());
      double span = fill.high - fill.low;
      for (size_t i = 0; i < count; ++i) {
        double u = double(splitmix64((uint64_t(9) << 40) + i) >> 40) * 0x1p-24;
        volatile double scaled = span * u; // no fused multiply-add
        ASSERT_EQ(loadElement(type, bytes.data(), i), fillElement(type, fill.low + scaled))
            << name(type) << " " << i;
      }
    }
  }
}

TEST(FillData, Constants) {
  Fill fill;
  fill.kind = Fill::Kind::Constant;
  fill.value = 0.00390625;
  uint8_t scales[5] = {};
  ASSERT_TRUE(fillElements(fill, DType::f8E8M0FNU, scales, 5).ok());
  for (uint8_t scale : scales)
    EXPECT_EQ(scale, 119);
  fill.value = -3;
  int32_t integers[7] = {};
  ASSERT_TRUE(fillElements(fill, DType::i32, integers, 7).ok());
  for (int32_t integer : integers)
    EXPECT_EQ(integer, -3);
  fill.value = 1000;
  uint8_t bytes[1];
  ASSERT_TRUE(fillElements(fill, DType::f8E4M3FN, bytes, 1).ok());
  EXPECT_EQ(bytes[0], 0x7E); // saturates
}
