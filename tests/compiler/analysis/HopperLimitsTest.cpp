// The compiler and the simulator take the same chip for Hopper. What the verifier asks of warps and
// registers is asked of Blackwell too.

#include "compiler/analysis/HopperLimits.h"
#include "sim/chips/Chip.h"

#include <gtest/gtest.h>

using namespace tlx;

TEST(HopperLimits, AreThoseOfTheChipTables) {
  for (const char *name : {"h100", "h200", "b200"}) {
    Result<sim::Chip> chip = sim::Chip::load(name);
    ASSERT_TRUE(chip) << name;
    EXPECT_EQ(hopper::kWarpSize, chip->integer(sim::Param::SmWarpSize));
    EXPECT_EQ(hopper::kRegisters, chip->integer(sim::Param::SmRegisters));
    EXPECT_EQ(hopper::kWarps, chip->integer(sim::Param::SmMaxWarps));
    EXPECT_EQ(hopper::kCtas, chip->integer(sim::Param::SmMaxCtas));
    EXPECT_EQ(hopper::kSharedBytes, chip->integer(sim::Param::SmSmemBytes));
    EXPECT_EQ(hopper::kCtaSharedBytes, chip->integer(sim::Param::SmSmemPerCta));
    EXPECT_EQ(hopper::kReservedBytes, chip->integer(sim::Param::SmSmemReserved));
  }
}
