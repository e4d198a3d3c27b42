// tcgen05 and tensor memory on a B200 table.
#include "sim/program/Builder.h"
#include "sim/timing/Launch.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;
using sync::Kind;

namespace {

Chip b200() {
  Chip chip = *Chip::load("b200");
  EXPECT_TRUE(chip.whatIf("code.coldBytesPerClk=10000"));
  EXPECT_TRUE(chip.whatIf("launch.perWarp=0"));
  return chip;
}

struct Mma {
  Builder b{"mma"};

  Reg allocate(Shape shape, DType elem, sync::Space space) {
    Type type = Type::memDesc(shape, elem, b.layout(MemLayout::rowMajor(shape)), space);
    Allocation allocation;
    allocation.space = space;
    allocation.bytes = type.numElements() * int64_t(byteWidth(elem));
    Attrs attrs;
    attrs.allocation = b.allocation(allocation);
    return b.emit1(space == sync::Space::Tensor ? Op::TmemAlloc : Op::LocalAlloc, {}, b.type(type),
                   attrs);
  }

  /// Products of 128 x 128 x 64, each followed by a commit; the last is waited for.
  Program products(int count, bool aInTensorMemory = false, DType elem = DType::f16) {
    b.facts().target = "cuda:100";
    b.facts().numWarps = 4;
    Reg a = allocate({128, 64}, elem, aInTensorMemory ? sync::Space::Tensor : sync::Space::Shared);
    Reg bm = allocate({64, 128}, elem, sync::Space::Shared);
    Reg d = allocate({128, 128}, DType::f32, sync::Space::Tensor);
    Reg bar = allocate({1}, DType::i64, sync::Space::Shared);
    Effect init;
    init.kind = Kind::BarrierInit;
    init.target = bar;
    init.amount = 1;
    b.emit(Op::Sync, {bar}, {}, {}, {init});
    Reg yes = b.constant(b.scalar(DType::i1), {1});
    for (int i = 0; i < count; ++i)
      b.emit(Op::Tcgen05Mma, {a, bm, d, yes, yes});
    Effect commit;
    commit.kind = Kind::BarrierArrive;
    commit.moment = sync::Moment::Completion;
    commit.group = sync::Group::Tcgen05;
    commit.target = bar;
    commit.amount = 1;
    b.emit(Op::Sync, {bar}, {}, {}, {commit});
    Effect wait;
    wait.kind = Kind::BarrierWait;
    wait.target = bar;
    wait.phase = b.constantInt(DType::i32, 0);
    b.emit(Op::Sync, {bar}, {}, {}, {wait});
    b.emit(Op::TmemLoad, {d}, {b.tensor({128, 128}, DType::f32)});
    b.emit(Op::Return, {});
    return b.finish();
  }
};

TimingReport run(int count, bool aInTensorMemory = false, DType elem = DType::f16) {
  Mma mma;
  Program program = mma.products(count, aInTensorMemory, elem);
  EXPECT_TRUE(validate(program).empty());
  Result<TimingReport> report = simulateTime(program, {}, b200());
  EXPECT_TRUE(report) << report.error().str();
  return report ? *report : TimingReport();
}

TEST(Blackwell, ProductsFollowAtTheirRate) {
  // 2 * 128 * 128 * 64 FLOP at 8192 a cycle.
  EXPECT_EQ(run(5).cycles - run(4).cycles, 256);
  EXPECT_EQ(run(3).flops, 3 * 2.0 * 128 * 128 * 64);
  // fp8 at twice the rate, but B alone then takes 64 cycles of the port.
  EXPECT_EQ(run(5, false, DType::f8E4M3FN).cycles - run(4, false, DType::f8E4M3FN).cycles, 128);
}

TEST(Blackwell, OperandAFromTensorMemoryIsFaster) {
  // 16 KiB of shared memory less, one allocation of tensor memory more.
  Chip chip = b200();
  EXPECT_EQ(run(4).cycles - run(4, true).cycles, chip.cycles(Param::TcgenSmemOperand) +
                                                     16 * chip.cycles(Param::LaunchPerSmemKib) -
                                                     chip.cycles(Param::TmemAlloc));
}

TEST(Blackwell, LatencyOfOneProduct) {
  // N / 2 for each of four K steps, and 136 with A in shared memory (a published
  // law for one CTA), then commit, wake-up and 64 KB at 466 bytes a cycle.
  Chip chip = b200();
  int64_t fixed = chip.cycles(Param::LaunchBase) + chip.cycles(Param::LaunchCtaStart) +
                  chip.cycles(Param::LaunchCtaExit) + 2 * chip.cycles(Param::MbarrierInit);
  int64_t product = chip.cycles(Param::MmaIssue) + 256 + 136;
  int64_t handOff = chip.cycles(Param::TcgenCommit) + chip.cycles(Param::MbarrierWake);
  int64_t read = 141 + chip.cycles(Param::TmemLoadLatency);
  EXPECT_NEAR(double(run(1).cycles),
              double(fixed + product + handOff + read) + chip[Param::TmemAlloc] +
                  8 * chip[Param::LaunchPerSmemKib] * 4,
              20.0);
}

TEST(Blackwell, AHopperChipRefusesFp4) {
  Mma mma;
  Program program = mma.products(1, false, DType::f4E2M1);
  Result<TimingReport> report = simulateTime(program, {}, *Chip::load("h200"));
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("the chip 'h200' does not multiply these element types"),
            std::string::npos);
}

} // namespace
