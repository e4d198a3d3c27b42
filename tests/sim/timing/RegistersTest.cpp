#include "sim/timing/Registers.h"
#include "sim/program/Builder.h"
#include "tests/sim/timing/GemmProgram.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

std::vector<RegisterEstimate> estimate(const Program &program, int warps) {
  return estimateRegisters(program, warps, 65536, 32);
}

TEST(Registers, LiveTilesOverTheTasksThreads) {
  Builder b("k");
  b.facts().numWarps = 4;
  TypeId tile = b.tensor({64, 256}, DType::f32), half = b.tensor({64, 256}, DType::f16);
  Reg pointer = b.parameter("p", b.type(Type::pointerTensor({64, 256}, DType::f32)), 0);
  Reg x = b.emit1(Op::Load, {pointer}, tile);
  Reg y = b.unary(Op::Exp2, x);
  Reg z = b.binary(Op::AddF, x, y); // x and y are alive: 128 registers each
  Reg narrow = b.emit1(Op::TruncF, {z}, half);
  b.emit(Op::Store, {pointer, b.emit1(Op::ExtF, {narrow}, tile)});
  b.emit(Op::Return, {});
  std::vector<RegisterEstimate> all = estimate(b.finish(), 4);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].tiles, 256);
  EXPECT_EQ(all[0].available, 255);
  EXPECT_TRUE(all[0].willSpill());
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
  EXPECT_EQ(all[0].tiles, 64); // the sum and what was loaded
  EXPECT_FALSE(all[0].willSpill());
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
