#include "runtime/base/Package.h"

#include <gtest/gtest.h>

using namespace tlx;

namespace {

Package example() {
  Package package;
  package.kernel = "gemm";
  package.target = "cuda:90";
  package.warps = 12;
  package.cluster = {2, 1, 1};
  package.sharedBytes = 213256;
  package.sourceSha256 = std::string(64, 'a');
  PackageParameter descriptor;
  descriptor.kind = PackageParameter::Kind::Descriptor;
  descriptor.name = "a_desc";
  descriptor.element = DType::f16;
  descriptor.block = {64, 256};
  descriptor.box = {64, 64};
  descriptor.swizzleBytes = 128;
  package.parameters = {descriptor, {PackageParameter::Kind::Scalar, "M", DType::i32, {}, {}, 0}};
  package.codes = {{"sm_90a", "cubin",
                    std::string("\x7f"
                                "ELF\0\n",
                                6)},
                   {"sm_90a", "ptx", "//"}};
  return package;
}

TEST(Package, WhatIsWrittenIsRead) {
  std::string bytes = writePackage(example());
  ASSERT_TRUE(isPackage(bytes));
  Result<Package> read = readPackage(bytes, "k.tlxk");
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(*read, example());
}

TEST(Package, DamageIsFound) {
  std::string bytes = writePackage(example());
  for (size_t cut : {size_t(3), size_t(8), bytes.size() / 2, bytes.size() - 1}) {
    Result<Package> read = readPackage(bytes.substr(0, cut), "k.tlxk");
    ASSERT_FALSE(read) << cut;
    EXPECT_EQ(read.error().location.file, "k.tlxk");
  }
  Result<Package> longer = readPackage(bytes + "x", "k.tlxk");
  ASSERT_FALSE(longer);
  EXPECT_NE(longer.error().message.find("follows"), std::string::npos);
}

TEST(Package, HeaderIsChecked) {
  std::string bytes = writePackage(example());
  size_t at = bytes.find("\"warps\": 12");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 11, "\"warps\": 99");
  Result<Package> read = readPackage(bytes, "k.tlxk");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("'warps'"), std::string::npos) << read.error().message;
}

} // namespace
