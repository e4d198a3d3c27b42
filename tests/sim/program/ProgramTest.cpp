// The program tables, the builder's control flow, the listing and the validator.
#include "sim/program/Builder.h"

#include <gtest/gtest.h>

#include <set>

using namespace tlx;
using namespace tlx::sim;

TEST(Ops, NamesAreUniqueAndReadBack) {
  std::set<std::string> seen;
  for (unsigned i = 0; i < numOps; ++i) {
    EXPECT_TRUE(seen.insert(name(Op(i))).second) << name(Op(i));
    EXPECT_EQ(opFromName(name(Op(i))), Op(i));
  }
  EXPECT_EQ(opFromName("ttng.wait_barrier"), Op::Sync);
  EXPECT_EQ(opFromName("tt.bitcast"), Op::Bitcast);
  EXPECT_EQ(opFromName("tt.nonsense"), std::nullopt);
  EXPECT_EQ(familyOf(Op::Tcgen05Mma), Family::Tmem);
}

TEST(MemLayout, RowMajorCountsElements) {
  MemLayout layout = MemLayout::rowMajor({4, 8});
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 8; ++c) {
      int64_t coords[] = {r, c};
      EXPECT_EQ(layout.offset(coords), uint32_t(r * 8 + c));
    }
}

TEST(MemLayout, SwizzleFollowsTheFormula) {
  MemLayout layout = MemLayout::swizzled(64, 64, 8, 2, 4);
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t c = 0; c < 64; ++c) {
      int64_t coords[] = {r, c};
      EXPECT_EQ(layout.offset(coords), uint32_t(r * 64 + (c ^ (8 * (r / 2 % 4)))));
    }
}

TEST(MemLayout, PaddingsAddUp) {
  MemLayout layout = MemLayout::rowMajor({64});
  layout.paddings = {{8, 1}, {32, 4}};
  int64_t coord = 40;
  EXPECT_EQ(layout.offset(&coord), 40u + 5u + 4u);
}

static Program sumProgram() {
  Builder b("sum");
  b.setLocation(b.location({"k.py", 7, 3, -1}));
  TypeId i32 = b.scalar(DType::i32);
  Reg n = b.parameter("n", i32, 0);
  Reg zero = b.constantInt(DType::i32, 0), one = b.constantInt(DType::i32, 1);
  b.forLoop(zero, n, one, {zero},
            [&](Reg iv, const Regs &args) { return Regs{b.binary(Op::AddI, args[0], iv)}; });
  b.emit(Op::Return, {});
  return b.finish();
}

TEST(Builder, LoopBecomesJumps) {
  Program program = sumProgram();
  EXPECT_TRUE(validate(program).empty());
  ASSERT_EQ(program.loops.size(), 1u);
  EXPECT_EQ(program.code[program.loops[0].head].op, Op::CmpI);
  EXPECT_EQ(program.code[program.loops[0].exit].op, Op::Return);
  EXPECT_EQ(program.functions[0].end, Pc(program.code.size()));
}

TEST(Dump, ShowsJumpsAndLocations) {
  std::string text = dump(sumProgram());
  EXPECT_NE(text.find("kernel @sum(%0 \"n\": i32)"), std::string::npos) << text;
  EXPECT_NE(text.find("arith.addi"), std::string::npos);
  EXPECT_NE(text.find("; k.py:7:3"), std::string::npos);
}

TEST(Validate, NamesTheBrokenInstruction) {
  Program program = sumProgram();
  program.regs[program.code[program.loops[0].head].operands] = 99;
  std::vector<ProgramError> errors = validate(program);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].message, "k.py:7:3: error: 'arith.cmpi' an operand is register 99 of 9");
}

TEST(Validate, FindsUndefinedRegistersAndMissingEnds) {
  Builder b("k");
  Reg never = b.newReg(b.scalar(DType::i32));
  b.binary(Op::AddI, never, never);
  std::vector<ProgramError> errors = validate(b.finish());
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_NE(errors[0].message.find("%0 is never defined"), std::string::npos);
  EXPECT_NE(errors[2].message.find("never ends"), std::string::npos);
}

TEST(Builder, RegionsStandBehindTheKernel) {
  Builder b("k");
  TypeId f32 = b.scalar(DType::f32);
  Reg x = b.constantFloat(b.tensor({8}, DType::f32), 1.0);
  Attrs attrs;
  attrs.block = b.block(
      {f32, f32}, [&](const Regs &args) { return Regs{b.binary(Op::AddF, args[0], args[1])}; });
  b.emit1(Op::Reduce, {x}, f32, attrs);
  b.emit(Op::Return, {});
  Program program = b.finish();
  EXPECT_TRUE(validate(program).empty());
  EXPECT_EQ(program.blocks[0].entry, 3);
  EXPECT_EQ(program.blocks[0].end, 5);
  EXPECT_TRUE(program.blocks[0].straightLine);
  EXPECT_EQ(program.code[4].op, Op::Return);
}
