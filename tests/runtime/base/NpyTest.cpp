#include "runtime/base/Npy.h"

#include <gtest/gtest.h>
#include <random>

using namespace tlx;

static std::string file(std::string dict, std::string data, char major = 1) {
  dict += '\n';
  std::string out("\x93NUMPY", 6);
  out += major;
  out += '\0';
  out += char(dict.size());
  out += '\0';
  if (major > 1)
    out.append(2, '\0');
  return out + dict + data;
}

static std::string errorOf(const std::string &contents) {
  auto result = npy::parse(contents, "x.npy");
  return result.ok() ? "parsed" : result.error().str();
}

TEST(Npy, WhatIsWrittenIsRead) {
  std::string bytes = "abcdefghijkl";
  for (auto shape : std::vector<std::vector<int64_t>>{{6}, {2, 3}, {1, 6, 1}}) {
    std::string text = npy::print(DType::bf16, shape, bytes);
    EXPECT_EQ((text.size() - bytes.size()) % 64, 0u);
    auto array = npy::parse(text, "x.npy");
    ASSERT_TRUE(array.ok()) << array.error().str();
    EXPECT_EQ(array->type, DType::u16);
    EXPECT_EQ(array->shape, shape);
    EXPECT_EQ(array->bytes, bytes);
  }
  auto scalar = npy::parse(npy::print(DType::f32, {}, "abcd"), "x.npy");
  ASSERT_TRUE(scalar.ok());
  EXPECT_TRUE(scalar->shape.empty());
  auto empty = npy::parse(npy::print(DType::f32, {0, 4}, ""), "x.npy");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(npy::print(DType::f8E4M3FN, {3}, "abc").substr(10, 58),
            "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), } ");
}

TEST(Npy, ReadsTheVersionsAndOrders) {
  for (char major : {1, 2, 3}) {
    auto array = npy::parse(file("{\"shape\": (2, 3), 'fortran_order': True, 'descr': '<i2'}",
                                 std::string("\1\0\4\0\2\0\5\0\3\0\6\0", 12), major),
                            "x.npy");
    ASSERT_TRUE(array.ok()) << array.error().str();
    EXPECT_EQ(array->bytes, std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12));
  }
  auto flags = npy::parse(
      file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", std::string("\0\1", 2)),
      "x.npy");
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->type, DType::i1);
}

TEST(Npy, BadFilesAreRefused) {
  const std::string prefix = "x.npy: error: not a .npy file that can be read: ";
  EXPECT_EQ(errorOf("\x7f"
                    "ELF"),
            prefix + "it does not begin with \\x93NUMPY");
  EXPECT_EQ(errorOf(file("{'descr': '>f4', 'fortran_order': False, 'shape': "
                         "(1,)}",
                         "abcd")),
            prefix + "elements of type '>f4' are not supported (big-endian)");
  EXPECT_EQ(errorOf(file("{'descr': '|O', 'fortran_order': False, 'shape': "
                         "(1,)}",
                         "abcdefgh")),
            prefix + "elements of type '|O' are not supported");
  EXPECT_EQ(errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': "
                         "(3,)}",
                         "abcd")),
            prefix + "its header announces 12 bytes of data; it has 4");
  EXPECT_EQ(errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': "
                         "(9999999999, 9999999999)}",
                         "abcd")),
            prefix + "its header announces too many bytes of data; it has 4");
  EXPECT_EQ(errorOf(file("{'descr': '<f4', 'shape': (1,)}", "abcd")),
            prefix + "the header must have descr, fortran_order and shape");
  EXPECT_EQ(errorOf(file("{'descr': [('a', '<f4')], 'fortran_order': False, "
                         "'shape': (1,)}",
                         "abcd")),
            prefix + "structured types are not supported");
}

TEST(Npy, DamageNeverCrashes) {
  std::string good = npy::print(DType::f32, {2, 2}, std::string(16, 'x'));
  for (size_t n = 0; n < good.size(); ++n)
    EXPECT_NE(errorOf(good.substr(0, n)), "parsed");
  std::mt19937 random(13);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = good;
    damaged[random() % 80] = char(random());
    (void)errorOf(damaged);
  }
}
