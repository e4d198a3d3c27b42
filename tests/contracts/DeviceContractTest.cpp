// What every backend must do, whatever it is; run on each that this build has.
#include "runtime/backends/Backends.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::device;

namespace {

class DeviceContract : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    DeviceOptions options;
    options.target = "cuda:90";
    auto opened = openDevice(GetParam(), options);
    if (!opened && GetParam() == "cuda")
      GTEST_SKIP() << opened.error().str();
    ASSERT_TRUE(opened.ok()) << opened.error().str();
    device = std::move(*opened);
  }
  std::unique_ptr<Device> device;
};

TEST_P(DeviceContract, KnowsItsName) { EXPECT_EQ(device->name(), GetParam()); }

TEST_P(DeviceContract, FreshMemoryIsZeroAndAligned) {
  auto address = device->allocate(1000);
  ASSERT_TRUE(address.ok());
  EXPECT_NE(*address, 0u);
  EXPECT_EQ(*address % 256, 0u);
  std::string bytes(1000, 'x');
  ASSERT_TRUE(device->read(*address, bytes.data(), bytes.size()).ok());
  EXPECT_EQ(bytes, std::string(1000, '\0'));
}

TEST_P(DeviceContract, WhatIsWrittenIsRead) {
  auto address = device->allocate(64);
  ASSERT_TRUE(address.ok());
  ASSERT_TRUE(device->write(*address + 5, "hello", 5).ok());
  char back[7] = {};
  ASSERT_TRUE(device->read(*address + 4, back, 7).ok());
  EXPECT_EQ(std::string(back, 7), std::string("\0hello\0", 7));
}

TEST_P(DeviceContract, AdoptedMemoryKeepsItsContents) {
  HostBuffer buffer(4);
  std::memcpy(buffer.data(), "abcd", 4);
  auto address = device->adopt(std::move(buffer));
  ASSERT_TRUE(address.ok());
  char back[4];
  ASSERT_TRUE(device->read(*address, back, 4).ok());
  EXPECT_EQ(std::string(back, 4), "abcd");
  if (const uint8_t *seen = device->view(*address, 4))
    EXPECT_EQ(std::memcmp(seen, "abcd", 4), 0);
}

TEST_P(DeviceContract, AllocationsDoNotMeet) {
  auto a = device->allocate(100), b = device->allocate(100);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(*a + 100 <= *b || *b + 100 <= *a);
}

TEST_P(DeviceContract, EmptyAllocationsAreFine) {
  auto address = device->allocate(0);
  ASSERT_TRUE(address.ok());
  EXPECT_TRUE(device->read(*address, nullptr, 0).ok());
  EXPECT_TRUE(device->release(*address).ok());
}

TEST_P(DeviceContract, AccessOutsideIsAnError) {
  auto address = device->allocate(16);
  ASSERT_TRUE(address.ok());
  char byte = 0;
  EXPECT_FALSE(device->read(*address + 16, &byte, 1).ok());
  EXPECT_FALSE(device->write(*address + 10, "1234567", 7).ok());
  EXPECT_FALSE(device->read(0, &byte, 1).ok());
  EXPECT_EQ(device->view(*address, 17), nullptr);
}

TEST_P(DeviceContract, ReleasedMemoryIsGone) {
  auto address = device->allocate(16);
  ASSERT_TRUE(address.ok());
  EXPECT_FALSE(device->release(*address + 1).ok());
  EXPECT_TRUE(device->release(*address).ok());
  EXPECT_FALSE(device->release(*address).ok());
}

INSTANTIATE_TEST_SUITE_P(AllBackends, DeviceContract, testing::ValuesIn(deviceNames()),
                         [](const auto &info) { return info.param; });

TEST(Backends, UnknownAndMissingDevices) {
  auto unknown = openDevice("tpu", {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "device 'tpu' is not known");
  EXPECT_EQ(unknown.error().code, ExitCode::BadInput);
  auto missing = openDevice("hip", {});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "device 'hip' is not available in this build");
}

} // namespace
