#include "runtime/backends/sim/SimDevice.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::device;

static std::string errorOf(const std::string &target, const std::string &chip) {
  DeviceOptions options;
  options.target = target;
  options.chip = chip;
  options.targetLocation = {"l.json", 2, 12};
  auto device = makeSimDevice(options);
  return device.ok() ? "opened" : device.error().str();
}

TEST(SimDevice, ChipsAndTargets) {
  for (const char *target : {"cuda:90", "cuda:100", "hip:gfx942", "hip:gfx950", "hip:gfx1250"})
    EXPECT_EQ(errorOf(target, ""), "opened") << target;
  EXPECT_EQ(errorOf("cuda:90", "h100"), "opened");
  EXPECT_EQ(errorOf("cuda:70", "").substr(0, 62),
            "l.json:2:12: error: target 'cuda:70' cannot be simulated\nhint:");
  EXPECT_EQ(errorOf("hip:gfx950", "h200"),
            "l.json:2:12: error: chip h200 cannot run target 'hip:gfx950'\n"
            "hint: without --chip, mi350x is simulated");
  EXPECT_NE(errorOf("cuda:90", "h2000"), "opened");
  EXPECT_NE(errorOf("cuda:90", "/nonexistent/x.chip"), "opened");
}

TEST(SimDevice, WhatIf) {
  DeviceOptions options;
  options.target = "cuda:90";
  options.whatIf = {"tma.latency=400", "sm.smemPerCta=65536"};
  EXPECT_TRUE(makeSimDevice(options).ok());
  options.whatIf = {"tma.latencey=400"};
  auto device = makeSimDevice(options);
  ASSERT_FALSE(device.ok());
  EXPECT_NE(device.error().str().find("tma.latency"), std::string::npos); // the hint
}
