#include "sim/timing/Strides.h"
#include "sim/program/Builder.h"
#include "sim/timing/Functions.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

Strides::Form form(std::vector<int64_t> steps) {
  Strides::Form result;
  result.known = true;
  result.steps = std::move(steps);
  return result;
}

/// A row of 1024 elements on four warps: each thread holds four, then the next 512 follow.
TileLayout row() {
  TileLayout layout;
  layout.registers = {{1}, {2}, {512}};
  layout.lanes = {{4}, {8}, {16}, {32}, {64}};
  layout.warps = {{128}, {256}};
  return layout;
}

TEST(AccessWork, RowsAreVectors) {
  AccessWork work = accessWork(row(), form({4}), 4);
  EXPECT_EQ(work.instructions, 8); // 16 bytes each, two for each of four warps
  EXPECT_EQ(work.lines, 8 * 4);
  EXPECT_EQ(work.sectors, 8 * 16);
  EXPECT_EQ(work.distinct, 128);
}

TEST(AccessWork, ElementsApart) {
  // Two words apart: no vectors, half of each sector is wanted.
  AccessWork two = accessWork(row(), form({8}), 4);
  EXPECT_EQ(two.instructions, 32);
  EXPECT_EQ(two.sectors, 32 * 32); // lanes are 32 bytes apart
  EXPECT_EQ(two.distinct, 256);
  // A line apart: each element alone.
  AccessWork line = accessWork(row(), form({128}), 4);
  EXPECT_EQ(line.lines, 1024);
  EXPECT_EQ(line.distinct, 1024);
}

TEST(AccessWork, OneAddress) {
  AccessWork work = accessWork(row(), form({0}), 4);
  EXPECT_EQ(work.distinct, 1);
  EXPECT_EQ(work.lines, work.instructions);
}

TEST(AccessWork, Scattered) {
  Strides::Form anywhere;
  anywhere.known = anywhere.scattered = true;
  EXPECT_EQ(accessWork(row(), anywhere, 4).lines, 1024);
  TileLayout copies = row();
  copies.lanes[4] = {0}; // half of the lanes hold copies
  EXPECT_EQ(accessWork(copies, anywhere, 4).lines, 512);
}

struct Kernel {
  Builder b{"k"};
  Regs pointers;
  Reg stride = b.parameter("stride", b.scalar(DType::i32), 0);
  Reg base = b.parameter("p", b.pointer(DType::f32), 1);

  Strides strides(int64_t value) {
    b.emit(Op::Return, {});
    static Program program;
    program = b.finish();
    TimingLaunch launch;
    launch.arguments.resize(2);
    launch.arguments[0].bits = value;
    return Strides(program, launch);
  }
};

TEST(Strides, FollowFromRangesAndArguments) {
  Kernel k;
  Builder &b = k.b;
  TypeId column = b.tensor({64}, DType::i32), tall = b.tensor({64, 1}, DType::i32);
  TypeId tile = b.tensor({64, 32}, DType::i32);
  TypeId pointers = b.type(Type::pointerTensor({64, 32}, DType::f32));
  Reg range = b.emit1(Op::MakeRange, {}, column);
  Attrs second;
  second.axis = 1;
  Reg rows = b.emit1(Op::ExpandDims, {range}, tall, second);
  Reg scaled = b.binary(Op::MulI, rows, b.emit1(Op::Splat, {k.stride}, tall));
  Reg offsets = b.emit1(Op::Broadcast, {scaled}, tile);
  Reg start = b.emit1(Op::Splat, {k.base}, pointers);
  Reg address = b.emit1(Op::AddPtr, {start, offsets}, pointers);
  Reg loaded = b.emit1(Op::Load, {address}, b.tensor({64, 32}, DType::i32));
  Reg indirect = b.emit1(Op::AddPtr, {start, loaded}, pointers);
  Strides strides = k.strides(100);
  EXPECT_EQ(strides.of(address).steps, (std::vector<int64_t>{400, 0}));
  EXPECT_FALSE(strides.of(address).scattered);
  EXPECT_TRUE(strides.of(indirect).scattered);
}

TEST(Strides, LoopsKeepThem) {
  Kernel k;
  Builder &b = k.b;
  TypeId offsets = b.tensor({64}, DType::i32);
  TypeId pointers = b.type(Type::pointerTensor({64}, DType::f32));
  Reg range = b.emit1(Op::MakeRange, {}, offsets);
  Reg first = b.emit1(Op::AddPtr, {b.emit1(Op::Splat, {k.base}, pointers), range}, pointers);
  Reg inside = noReg;
  Reg zero = b.constantInt(DType::i32, 0), one = b.constantInt(DType::i32, 1);
  b.forLoop(zero, k.stride, one, {first}, [&](Reg i, const Regs &args) {
    inside = args[0];
    return Regs{b.emit1(Op::AddPtr, {args[0], b.emit1(Op::Splat, {i}, offsets)}, pointers)};
  });
  Strides strides = k.strides(3);
  EXPECT_EQ(strides.of(inside).steps, (std::vector<int64_t>{4}));
}

TEST(Functions, ByOperationAndSymbol) {
  EXPECT_EQ(functionCode(Op::ExternElementwise, "__nv_tanhf", false).instructions,
            functionCode(Op::Tanh, "", false).instructions);
  EXPECT_GT(functionCode(Op::Exp, "", true).series, 0);
  EXPECT_EQ(functionCode(Op::Exp, "", false).instructions, 0); // one instruction of its own
  EXPECT_EQ(functionCode(Op::ExternElementwise, "__nv_cos", true).series,
            functionCode(Op::Sin, "", true).series);
  EXPECT_EQ(functionCode(Op::AddF, "", true).instructions, 0);
  EXPECT_EQ(functionCode(Op::ExternElementwise, "__nv_unheard_of", true).instructions, 0);
}

} // namespace
