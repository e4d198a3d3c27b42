#include "runtime/tools/tlx-run/Compare.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::run;

namespace {

std::string floats(std::vector<float> values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * 4);
}

npy::Array expected(std::vector<float> values) {
  return {DType::f32, {int64_t(values.size())}, floats(values)};
}

TEST(Compare, FloatsWithinToleranceOfTheLargestMatch) {
  auto close = compare(DType::f32, floats({1, 100.001f}), expected({1, 100}), 1e-4);
  ASSERT_TRUE(close);
  EXPECT_TRUE(close->matches);
  EXPECT_EQ(close->differing, 1);
  auto far = compare(DType::f32, floats({1.02f, 100}), expected({1, 100}), 1e-4);
  ASSERT_TRUE(far);
  EXPECT_FALSE(far->matches);
  EXPECT_NEAR(far->largestError, 0.02, 1e-6);
}

TEST(Compare, NanAndInfinityMustStandWhereTheyAreExpected) {
  float nan = std::nanf(""), inf = INFINITY;
  EXPECT_TRUE(compare(DType::f32, floats({-nan, inf}), expected({nan, inf}), 1)->matches);
  EXPECT_FALSE(compare(DType::f32, floats({1, inf}), expected({nan, inf}), 1)->matches);
  EXPECT_FALSE(compare(DType::f32, floats({nan, -inf}), expected({nan, inf}), 1)->matches);
}

TEST(Compare, IntegersMustBeEqual) {
  std::string one("\1\0\0\0", 4), two("\2\0\0\0", 4);
  npy::Array wanted{DType::i32, {1}, one};
  EXPECT_TRUE(compare(DType::i32, one, wanted, 10)->matches);
  EXPECT_FALSE(compare(DType::i32, two, wanted, 10)->matches);
}

TEST(Compare, SizesMustAgree) {
  EXPECT_FALSE(compare(DType::f32, floats({1}), expected({1, 2}), 1));
}

} // namespace
