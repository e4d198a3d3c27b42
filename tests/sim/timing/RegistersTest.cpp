#include "sim/timing/Registers.h"
#include "sim/program/Builder.h"
#include "tests/sim/timing/GemmProgram.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

std::vector<RegisterEstimate> estimate(const Program &program, int warps) {
  Result<std::vector<Work>> work = decodeWork(program);
  EXPECT_TRUE(work) << work.error().str();
  return estimateRegisters(program, *work, warps, 65536, 32);
}

Program twoTilesAlive() {
  Builder b("k");
  b.facts().numWarps = 4;
  TypeId tile = b.tensor({64, 256}, DType::f32), half = b.tensor({64, 256}, DType::f16);
  Reg pointer = b.parameter("p", b.type(Type::pointerTensor({64, 256}, DType::f32)), 0);
  Reg x = b.emit1(Op::Load, {pointer}, tile);
  Reg y = b.emit1(Op::Load, {pointer}, tile);
  b.emit(Op::Sync, {});
  Reg z = b.binary(Op::AddF, x, y); // x and y are alive: 128 registers each
  Reg narrow = b.emit1(Op::TruncF, {z}, half);
  b.emit(Op::Store, {pointer, b.emit1(Op::ExtF, {narrow}, tile)});
  b.emit(Op::Return, {});
  return b.finish();
}

TEST(Registers, LiveTilesOverTheTasksThreads) {
  std::vector<RegisterEstimate> all = estimate(twoTilesAlive(), 4);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].tiles, 256);
  EXPECT_EQ(all[0].available, 255);
  EXPECT_TRUE(all[0].willSpill());
  // 27 of 256 do not fit: by that share the sum's operands and its result are in memory.
  ASSERT_EQ(all[0].spills.size(), 1u);
  EXPECT_EQ(all[0].spills[0].loaded, 27);
  EXPECT_EQ(all[0].spills[0].stored, 13);
}

TEST(Registers, WhatElementwiseCodeUsesUpNeedsNone) {
  Builder b("k");
  b.facts().numWarps = 4;
  TypeId tile = b.tensor({64, 64}, DType::f32);
  Reg pointer = b.parameter("p", b.type(Type::pointerTensor({64, 64}, DType::f32)), 0);
  Reg kept = b.emit1(Op::Load, {pointer}, tile);
  b.emit(Op::Sync, {});
  Reg x = b.emit1(Op::Load, {pointer}, tile);
  Reg root = b.unary(Op::Sqrt, x);
  Reg y = b.binary(Op::AddF, x, b.unary(Op::Exp2, root)); // x is still alive
  b.emit(Op::Store, {pointer, b.binary(Op::MulF, y, kept)});
  b.emit(Op::Return, {});
  std::vector<RegisterEstimate> all = estimate(b.finish(), 4);
  EXPECT_EQ(all[0].tiles, 32);
  EXPECT_EQ(all[0].launch, 32);        // what was loaded before the barrier
  EXPECT_EQ(launchRegisters(all), 56); // 32 and 22, in eights
}

TEST(Registers, WhatDoesNotFitTakesTimeAndTraffic) {
  Program program = twoTilesAlive();
  TimingLaunch launch;
  launch.arguments.resize(1);
  launch.arguments[0] = {TimingArgument::Kind::Pointer, 1 << 20, {}, {}};
  TimingOptions options;
  options.sensitivity = TimingOptions::Sensitivity::Off;
  TimingReport reports[2];
  for (int many : {0, 1}) {
    Chip chip = *Chip::load("h200");
    ASSERT_TRUE(chip.whatIf(many ? "sm.registers=65536" : "sm.registers=20480"));
    Result<TimingReport> report = simulateTime(program, launch, chip, options);
    ASSERT_TRUE(report) << report.error().str();
    reports[many] = *report;
  }
  EXPECT_GT(reports[0].cycles, reports[1].cycles);
  // 160 registers: more is alive than fits at every tile, by 122 of 256 at the sum.
  EXPECT_GT(reports[0].l2Bytes, reports[1].l2Bytes + 4 * 128 * (122 + 61 - 27 - 13));
}

TEST(Registers, ValuesCarriedByALoopStayAlive) {
  Builder b("k");
  b.facts().numWarps = 4;
  TypeId tile = b.tensor({64, 64}, DType::f32);
  Reg pointer = b.parameter("p", b.type(Type::pointerTensor({64, 64}, DType::f32)), 0);
  Reg zero = b.constantInt(DType::i32, 0), ten = b.constantInt(DType::i32, 10),
      one = b.constantInt(DType::i32, 1);
  Reg start = b.emit1(Op::Load, {pointer}, tile);
  Regs sum = b.forLoop(zero, ten, one, {start}, [&](Reg, const Regs &acc) {
    Reg next = b.emit1(Op::Load, {pointer}, tile);
    return Regs{b.binary(Op::AddF, acc[0], next)};
  });
  b.emit(Op::Store, {pointer, sum[0]});
  b.emit(Op::Return, {});
  std::vector<RegisterEstimate> all = estimate(b.finish(), 4);
  EXPECT_EQ(all[0].tiles, 32);          // the sum
  EXPECT_EQ(all[0].launch, 32 + 2 * 8); // the sum and eight addresses: 16 bytes of a lane each
  EXPECT_FALSE(all[0].willSpill());
}

TEST(Registers, ConstantsTakeNoneInAnyLayout) {
  for (bool constant : {true, false}) {
    Builder b("k");
    b.facts().numWarps = 4;
    TypeId tile = b.tensor({64, 64}, DType::f32);
    Reg pointer = b.parameter("p", b.type(Type::pointerTensor({64, 64}, DType::f32)), 0);
    Reg x = constant ? b.emit1(Op::Constant, {}, tile) : b.emit1(Op::Load, {pointer}, tile);
    Reg copy = b.emit1(Op::Copy, {x}, tile);
    b.emit(Op::Sync, {});
    b.emit(Op::Store, {pointer, copy});
    b.emit(Op::Return, {});
    EXPECT_EQ(estimate(b.finish(), 4)[0].tiles, constant ? 0 : 32);
  }
}

TEST(Registers, TasksHaveTheirOwn) {
  std::vector<RegisterEstimate> all = estimate(test::gemmProgram({}), 12);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].task, "default");
  EXPECT_EQ(all[0].tiles, 0);
  EXPECT_EQ(all[0].available, 168);
  EXPECT_EQ(all[1].tiles, 128);     // the accumulator
  EXPECT_EQ(all[1].available, 232); // as it asks
}

} // namespace
