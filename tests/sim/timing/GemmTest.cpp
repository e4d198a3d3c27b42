#include "sim/program/Builder.h"
#include "sim/timing/Sensitivity.h"
#include "tests/sim/timing/GemmProgram.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;
using namespace tlx::sim::test;

namespace {

Chip h200() {
  Result<Chip> chip = Chip::load("h200");
  EXPECT_TRUE(chip);
  return *chip;
}

TimingReport time(const GemmConfig &config, const Chip &chip = h200()) {
  Program program = gemmProgram(config);
  std::vector<ProgramError> errors = validate(program);
  EXPECT_TRUE(errors.empty()) << errors[0].message;
  Result<TimingReport> report = simulateTime(program, gemmLaunch(config), chip);
  EXPECT_TRUE(report) << report.error().str();
  return report ? *report : TimingReport();
}

TEST(TimedGemm, CountsArithmeticAndTraffic) {
  GemmConfig config;
  Chip chip = h200();
  ASSERT_TRUE(chip.whatIf("l2.mergeMost=1"));
  TimingReport report = time(config, chip);
  EXPECT_EQ(report.ctas, 8);
  EXPECT_EQ(report.flops, 2.0 * 512 * 512 * 256);
  // Each of 8 tiles reads (128 + 256) x 256 halves and writes 128 x 256 of them.
  EXPECT_EQ(report.l2Bytes, 8 * 2 * ((128 + 256) * 256 + 128 * 256 * 3 / 2));
  EXPECT_EQ(report.hbmBytes, 0); // left in L2 by the launch before
  // CTAs that read the same tile are neighbours, and merge what they read.
  EXPECT_LT(time(config).l2Bytes, report.l2Bytes);
}

TEST(TimedGemm, TwoRunsAgree) {
  GemmConfig config{1024, 1024, 512};
  TimingReport a = time(config), b = time(config);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.events, b.events);
  ASSERT_EQ(a.stalls.size(), b.stalls.size());
  for (size_t i = 0; i < a.stalls.size(); ++i)
    EXPECT_EQ(a.stalls[i].cycles, b.stalls[i].cycles);
}

// cycles of h200-time.json; nothing here was fitted to these kernels.
TEST(TimedGemm, NearTheMeasuredCycles) {
  struct Case {
    int64_t m, n, k, blockN;
    int stages;
    bool split;
    double measured;
  } cases[] = {
      {512, 384, 320, 256, 3, true, 14761},
      {4096, 4096, 4096, 256, 3, true, 292167},
      {512, 384, 320, 128, 4, false, 10536},
      {4096, 4096, 4096, 128, 4, false, 340121},
  };
  for (const Case &c : cases) {
    GemmConfig config{c.m, c.n, c.k};
    config.blockN = c.blockN;
    config.stages = c.stages;
    config.splitEpilogue = c.split;
    TimingReport report = time(config);
    EXPECT_NEAR(double(report.cycles), c.measured, 0.15 * c.measured) << c.m << " " << c.blockN;
  }
}

TEST(TimedGemm, AForgottenArrivalIsADeadlockThatIsExplained) {
  GemmConfig config;
  config.dropEmptyArrive = true;
  Result<TimingReport> report = simulateTime(gemmProgram(config), gemmLaunch(config), h200());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ExitCode::Violated);
  EXPECT_NE(report.error().message.find("deadlock at cycle"), std::string::npos);
  std::string text = report.error().str();
  EXPECT_NE(text.find("default of CTA 0 waits here for mbarrier empty a[0]"), std::string::npos)
      << text;
  EXPECT_NE(text.find("phase 0, 1 of 1 arrivals and 0 bytes outstanding"), std::string::npos)
      << text;
}

TEST(TimedGemm, WhatIfMovesThePrediction) {
  GemmConfig config;
  Chip slow = h200();
  ASSERT_TRUE(slow.whatIf("tma.latency=2101"));
  EXPECT_GE(time(config, slow).cycles, time(config).cycles + 2000);
  Chip half = h200();
  ASSERT_TRUE(half.whatIf("mma.f16Flops=2048"));
  GemmConfig deep{512, 512, 4096};
  EXPECT_GT(double(time(deep, half).cycles), 1.5 * double(time(deep).cycles));
}

TEST(TimedGemm, SaysWhatItRestsOn) {
  GemmConfig config;
  auto chipWith = [](std::string from, const std::string &to) {
    std::string text = h200().text();
    for (size_t at; (at = text.find(" " + from + " \"")) != std::string::npos;)
      text.replace(at + 1, from.size(), to);
    return *Chip::parse(text, "other.chip");
  };
  TimingReport report = time(config, chipWith("fitted", "assumed"));
  ASSERT_GT(report.assumedShare, 0.005);
  ASSERT_FALSE(report.assumed.empty());
  for (size_t i = 1; i < report.assumed.size(); ++i)
    EXPECT_GE(report.assumed[i - 1].share, report.assumed[i].share);
  double sum = 0;
  for (const AssumedShare &assumed : report.assumed)
    sum += assumed.share;
  EXPECT_NEAR(sum, report.assumedShare, 0.05);
  // Once everything counts as measured, nothing is assumed.
  EXPECT_EQ(time(config, chipWith("assumed", "measured")).assumedShare, 0);
}

TEST(Sensitivity, SlowerMeansLessOfARateAndMoreOfADelay) {
  Chip chip = h200();
  EXPECT_NEAR(slower(chip, Param::TmaLatency, 2)[Param::TmaLatency], 2 * chip[Param::TmaLatency],
              1e-6);
  EXPECT_NEAR(slower(chip, Param::L2BytesPerClk, 2)[Param::L2BytesPerClk],
              chip[Param::L2BytesPerClk] / 2, 1e-6);
  EXPECT_EQ(slower(chip, Param::SmCount, 2)[Param::SmCount], 132);
}

TEST(SharedMemoryPort, LanesExchangeThroughIt) {
  for (bool across : {true, false}) {
    Builder b("k");
    b.facts().numWarps = 4;
    TypeId f32 = b.scalar(DType::f32), tile = b.tensor({64, 64}, DType::f32),
           row = b.tensor({64}, DType::f32);
    Reg pointer = b.parameter("p", b.type(Type::pointerTensor({64, 64}, DType::f32)), 0);
    Reg x = b.emit1(Op::Load, {pointer}, tile);
    Attrs attrs;
    attrs.axis = 1;
    attrs.block = b.block(
        {f32, f32}, [&](const Regs &args) { return Regs{b.binary(Op::AddF, args[0], args[1])}; });
    if (across)
      b.emit1(Op::Reduce, {x}, row, attrs);
    b.emit(Op::Return, {});
    TimingLaunch launch;
    launch.arguments.resize(1);
    launch.arguments[0] = {TimingArgument::Kind::Pointer, 1 << 20, {}, {}};
    Result<TimingReport> report = simulateTime(b.finish(), launch, *Chip::load("h200"), {});
    ASSERT_TRUE(report) << report.error().str();
    EXPECT_EQ(report->smemUtilisation > 0, across);
  }
}

TEST(TimedGemm, RejectsWhatDoesNotFit) {
  GemmConfig config;
  Program program = gemmProgram(config);
  TimingLaunch launch = gemmLaunch(config);
  launch.grid = {0, 1, 1};
  EXPECT_EQ(simulateTime(program, launch, h200()).error().message,
            "the grid has no CTAs: 0 x 1 x 1");
  launch = gemmLaunch(config);
  launch.sharedBytes = 300000;
  EXPECT_EQ(simulateTime(program, launch, h200()).error().message,
            "a CTA of this launch needs 300000 bytes of shared memory; the chip gives 232448");
  launch = gemmLaunch(config);
  launch.arguments.pop_back();
  EXPECT_EQ(simulateTime(program, launch, h200()).error().message,
            "the launch gives 5 arguments; parameter 'K' of the kernel is argument 5");
  launch = gemmLaunch(config);
  launch.cluster = {3, 1, 1};
  EXPECT_EQ(simulateTime(program, launch, h200()).error().message,
            "the grid's extent 8 is no multiple of the cluster's 3");
}

} // namespace
