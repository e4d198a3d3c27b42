// Small scenarios whose cycles can be counted by hand.
#include "sim/program/Builder.h"
#include "sim/timing/Launch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace tlx;
using namespace tlx::sim;
using sync::Kind;

namespace {

/// An H200 whose code is always there and whose CTAs start at once, so that only
/// the scenario counts.
Chip chip() {
  Chip chip = *Chip::load("h200");
  for (const char *change : {"code.coldBytesPerClk=10000", "launch.perWarp=0",
                             "launch.ctaInterval=2", "launch.ctaTurnaround=70"})
    EXPECT_TRUE(chip.whatIf(change));
  return chip;
}

int64_t at(Param param) { return chip().cycles(param); }

struct Scenario {
  Builder b{"scenario"};
  TypeId i32 = b.scalar(DType::i32), i1 = b.scalar(DType::i1);
  TypeId barrierType = b.type(Type::memDesc({1}, DType::i64, b.layout(MemLayout::rowMajor({1}))));
  TimingLaunch launch;

  Scenario() {
    b.facts().target = "cuda:90";
    b.facts().numWarps = 4;
  }

  Reg integer(int64_t value) { return b.constantInt(DType::i32, value); }

  Reg buffer(Shape shape, DType elem, const char *name) {
    Attrs attrs;
    Allocation allocation;
    allocation.name = name;
    Type type = Type::memDesc(shape, elem, b.layout(MemLayout::rowMajor(shape)));
    allocation.bytes = type.numElements() * int64_t(byteWidth(elem));
    attrs.allocation = b.allocation(allocation);
    return b.emit1(Op::LocalAlloc, {}, b.type(type), attrs);
  }

  Reg barrier(int64_t count, const char *name = "bar") {
    Reg reg = buffer({1}, DType::i64, name);
    Effect e;
    e.kind = Kind::BarrierInit;
    e.target = reg;
    e.amount = count;
    sync(e);
    return reg;
  }

  void sync(const Effect &effect) { b.emit(Op::Sync, {}, {}, {}, {effect}); }

  void arrive(Reg barrier, bool group = false) {
    Effect e;
    e.kind = Kind::BarrierArrive;
    e.target = barrier;
    e.amount = 1;
    e.threads = sync::Threads::Elected;
    e.taskBarrierBefore = group;
    sync(e);
  }

  void wait(Reg barrier, int64_t phase) {
    Effect e;
    e.kind = Kind::BarrierWait;
    e.target = barrier;
    e.phase = integer(phase);
    sync(e);
  }

  void named(Kind kind, int64_t id, int64_t threads) {
    Effect e;
    e.kind = kind;
    e.target = integer(id);
    e.amount = threads;
    sync(e);
  }

  /// Dependent additions: `count` times the ALU's latency.
  void spend(int count) {
    Reg value = integer(1);
    for (int i = 0; i < count; ++i)
      value = b.binary(Op::AddI, value, value);
    condBarrier(value);
  }
  /// Uses a value without a cost of its own, so that the chain is waited for.
  void condBarrier(Reg value) {
    Builder::Label next = b.makeLabel();
    Reg flag = b.compare(CmpI::Eq, value, value);
    b.condBr(flag, next, {}, {}, next, {}, {}, next);
    b.place(next);
  }

  Result<TimingReport> run(const TimingOptions &options = {}) {
    Program program = b.finish();
    std::vector<ProgramError> errors = validate(program);
    EXPECT_TRUE(errors.empty()) << errors[0].message;
    return simulateTime(program, launch, chip(), options);
  }

  /// Cycles between the CTA's first instruction and its last.
  Cycles body() {
    Result<TimingReport> report = run();
    EXPECT_TRUE(report) << report.error().str();
    if (!report)
      return -1;
    Cycles total = report->cycles - at(Param::LaunchBase) - at(Param::LaunchCtaStart) -
                   at(Param::LaunchCtaExit);
    // Shared memory of a scenario is a few bytes.
    return total;
  }
};

TEST(TimedSync, AnEmptyKernel) {
  Scenario s;
  s.b.emit(Op::Return, {});
  EXPECT_EQ(s.body(), 0);
}

TEST(TimedSync, ADependentChainCostsItsLatency) {
  Cycles cycles[2];
  for (int i = 0; i < 2; ++i) {
    Scenario s;
    s.spend(10 + 10 * i);
    s.b.emit(Op::Return, {});
    cycles[i] = s.body();
  }
  EXPECT_EQ(cycles[1] - cycles[0], 10 * at(Param::PipeAluLatency));
}

TEST(TimedSync, AWaitThatNeedNotWait) {
  Scenario s;
  Reg bar = s.barrier(1);
  s.wait(bar, 1); // the phase before the first counts as complete
  s.b.emit(Op::Return, {});
  EXPECT_EQ(s.body(), at(Param::MbarrierInit) + at(Param::MbarrierReady));
}

/// A hand-off: partition 0 arrives `work` additions after it started.
Cycles handOff(int work) {
  Scenario s;
  Reg bar = s.barrier(1);
  Builder::PartitionSpec producer;
  producer.numWarps = 4;
  producer.body = [&](const Regs &args) {
    s.spend(work);
    s.arrive(args[0]);
  };
  s.b.warpSpecialize({bar}, {},
                     [&]() -> Regs {
                       s.wait(bar, 0);
                       return {};
                     },
                     {producer});
  s.b.emit(Op::Return, {});
  return s.body();
}

TEST(TimedSync, AHandOffThroughAnMbarrier) {
  EXPECT_EQ(handOff(60) - handOff(50), 10 * at(Param::PipeAluLatency));
  // Init, fork, the chain and its test, arrival and its landing, wake-up, join.
  int64_t start = at(Param::MbarrierInit) + at(Param::LaunchFork) + at(Param::LaunchSetRegisters);
  int64_t chain = 51 * at(Param::PipeAluLatency) + 1;
  EXPECT_EQ(handOff(50), start + chain + at(Param::MbarrierArrive) + at(Param::MbarrierLand) +
                             at(Param::MbarrierWake) + at(Param::LaunchJoin));
}

TEST(TimedSync, OfALargeGridTheFirstWavesAreSimulated) {
  TimingReport reports[2];
  for (int large : {0, 1}) {
    Scenario s;
    s.launch.grid = {132 * (large ? 128 : 64), 1, 1};
    s.launch.sharedBytes = 200 * 1024; // one CTA on an SM
    s.spend(200);
    s.b.emit(Op::Return, {});
    TimingOptions options;
    options.sensitivity = TimingOptions::Sensitivity::Off;
    Result<TimingReport> report = s.run(options);
    ASSERT_TRUE(report) << report.error().str();
    reports[large] = *report;
  }
  auto waves = [](const TimingReport &report) { // of 64
    return double(report.cycles - at(Param::LaunchBase) -
                  std::llround(200 * chip()[Param::LaunchPerSmemKib])) /
           64;
  };
  EXPECT_EQ(reports[1].ctas, 2 * reports[0].ctas);
  EXPECT_NEAR(waves(reports[1]) / waves(reports[0]), 2, 0.01);
  EXPECT_LT(reports[1].events, reports[0].events);
  auto announced = [](const TimingReport &report) {
    return std::any_of(report.notes.begin(), report.notes.end(), [](const std::string &note) {
      return note.find("4224 of 16896 clusters") != std::string::npos;
    });
  };
  EXPECT_TRUE(announced(reports[1]));
  EXPECT_FALSE(announced(reports[0]));
}

/// Every CTA asks for another one's place; who is granted one works.
TimingReport askForAnother(int64_t grid) {
  Scenario s;
  s.launch.grid = {grid, 1, 1};
  s.launch.sharedBytes = 200 * 1024; // one CTA on an SM
  Reg bar = s.barrier(1), response = s.buffer({2}, DType::i64, "response");
  Effect expect, ask, answered;
  expect.kind = Kind::BarrierExpect;
  expect.target = bar;
  expect.amount = 16;
  s.sync(expect);
  s.arrive(bar);
  ask.kind = Kind::ClcRequest;
  ask.target = response;
  answered.kind = Kind::BarrierComplete;
  answered.target = bar;
  answered.amount = 16;
  answered.moment = sync::Moment::Completion;
  answered.rankMask = ~uint64_t(0);
  s.b.emit(Op::ClcTryCancel, {bar, response}, {}, {}, {ask, answered});
  s.wait(bar, 0);
  Regs first = s.b.emit(Op::ClcQuery, {response}, {s.i32, s.i32, s.i32});
  Builder::Label work = s.b.makeLabel(), done = s.b.makeLabel();
  s.b.condBr(s.b.compare(CmpI::Slt, first[0], s.integer(0)), done, {}, {}, work, {}, {}, done);
  s.b.place(work);
  s.spend(500);
  s.b.br(done);
  s.b.place(done);
  s.b.emit(Op::Return, {});
  Result<TimingReport> report = s.run();
  EXPECT_TRUE(report) << report.error().str();
  return report ? *report : TimingReport();
}

TEST(TimedSync, LaunchControlGrantsWhatHasNotStarted) {
  TimingReport none = askForAnother(132), some = askForAnother(264);
  EXPECT_EQ(none.ctas, 132);
  EXPECT_EQ(some.ctas, 264);
  EXPECT_EQ(some.smsUsed, 132);
  EXPECT_GE(some.cycles - none.cycles, 500 * at(Param::PipeAluLatency));
  // A second wave would also have started and asked.
  EXPECT_LT(some.cycles - none.cycles, 500 * at(Param::PipeAluLatency) + 70);
}

TEST(TimedSync, AGroupBarrierComesBeforeAnOrdinaryArrival) {
  Cycles cycles[2];
  for (bool group : {false, true}) {
    Scenario s;
    s.arrive(s.barrier(1), group);
    s.b.emit(Op::Return, {});
    cycles[group] = s.body();
  }
  EXPECT_EQ(cycles[1] - cycles[0], at(Param::BarLatency) + 3 * at(Param::BarIssue));
}

TEST(TimedSync, NamedBarriersCountThreads) {
  Scenario s;
  Builder::PartitionSpec other;
  other.numWarps = 4;
  other.body = [&](const Regs &) { s.named(Kind::NamedBarrierArrive, 9, 256); };
  s.b.warpSpecialize({}, {},
                     [&]() -> Regs {
                       s.spend(100);
                       s.named(Kind::NamedBarrierSync, 9, 256);
                       return {};
                     },
                     {other});
  s.b.emit(Op::Return, {});
  int64_t expected = at(Param::LaunchFork) + at(Param::LaunchSetRegisters) +
                     101 * at(Param::PipeAluLatency) + 1 + 4 * at(Param::BarIssue) +
                     at(Param::BarLatency) + at(Param::LaunchJoin);
  EXPECT_EQ(s.body(), expected);
}

TEST(TimedSync, ANamedBarrierThatNobodyCompletes) {
  Scenario s;
  s.b.setLocation(s.b.location({"k.py", 12, 3, -1}));
  s.named(Kind::NamedBarrierSync, 9, 256);
  s.b.emit(Op::Return, {});
  Result<TimingReport> report = s.run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().location.str(), "k.py:12:3");
  EXPECT_NE(report.error().str().find(
                "main of CTA 0 waits here for named barrier 9: 128 threads have arrived"),
            std::string::npos)
      << report.error().str();
}

TEST(TimedSync, TooManyArrivals) {
  Scenario s;
  Reg bar = s.barrier(2);
  Effect e;
  e.kind = Kind::BarrierArrive;
  e.target = bar;
  e.amount = 3;
  s.sync(e);
  s.b.emit(Op::Return, {});
  Result<TimingReport> report = s.run();
  ASSERT_FALSE(report);
  EXPECT_NE(
      report.error().message.find("more arrivals than the phase of this mbarrier expects (2)"),
      std::string::npos);
  EXPECT_EQ(report.error().code, ExitCode::Violated);
}

TEST(TimedSync, AnMbarrierThatIsNone) {
  Scenario s;
  Reg memory = s.buffer({1}, DType::i64, "no barrier");
  s.wait(memory, 0);
  s.b.emit(Op::Return, {});
  Result<TimingReport> report = s.run();
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("no mbarrier is initialised at shared-memory offset 0"),
            std::string::npos);
}

/// Two CTAs of a cluster; rank 1 waits until rank 0 has arrived on its barrier.
TEST(TimedSync, ARemoteArrival) {
  Scenario s;
  s.b.facts().clusterDims[0] = 2;
  s.launch.grid = {2, 1, 1};
  Reg bar = s.barrier(1);
  Effect arrive, wait;
  arrive.kind = Kind::ClusterArrive;
  wait.kind = Kind::ClusterWait;
  s.b.emit(Op::Sync, {}, {}, {}, {arrive, wait});
  Reg rank = s.b.emit1(Op::ClusterId, {}, s.i32);
  Reg first = s.b.compare(CmpI::Eq, rank, s.integer(0));
  s.b.ifElse(
      first, {},
      [&]() -> Regs {
        Type remote = s.b.typeOf(bar);
        remote.space = sync::Space::SharedCluster;
        Reg mapped = s.b.emit1(Op::MapToRemoteBuffer, {bar, s.integer(1)}, s.b.type(remote));
        s.arrive(mapped);
        return {};
      },
      [&]() -> Regs {
        s.wait(bar, 0);
        return {};
      });
  s.b.emit(Op::Return, {});
  Result<TimingReport> report = s.run();
  ASSERT_TRUE(report) << report.error().str();
  int64_t body =
      report->cycles - at(Param::LaunchBase) - at(Param::LaunchCtaStart) - at(Param::LaunchCtaExit);
  EXPECT_EQ(report->smsUsed, 2);
  // Both meet in the cluster barrier; then comparison, branch, view, arrival.
  int64_t least = at(Param::MbarrierInit) + at(Param::ClusterBarrier) + at(Param::MbarrierArrive) +
                  at(Param::ClusterArrive) + at(Param::MbarrierWake);
  EXPECT_GE(body, least);
  EXPECT_LE(body, least + 20);
}

/// An arrival that releases waits until what the SM has asked memory for is there.
TEST(TimedSync, AClusterBarrierAmongLoads) {
  auto cycles = [](bool loads, bool relaxed) {
    Scenario s;
    s.b.facts().clusterDims[0] = 2;
    s.launch.grid = {2, 1, 1};
    s.launch.footprintBytes = int64_t(1) << 30; // nothing is left in L2
    if (loads) {
      Reg pointer = s.b.parameter("p", s.b.type(Type::pointerTensor({128}, DType::f32)), 0);
      s.launch.arguments.resize(1);
      s.launch.arguments[0].kind = TimingArgument::Kind::Pointer;
      s.b.emit1(Op::Load, {pointer}, s.b.tensor({128}, DType::f32));
    }
    Effect arrive, wait;
    arrive.kind = Kind::ClusterArrive;
    arrive.relaxed = relaxed;
    wait.kind = Kind::ClusterWait;
    s.b.emit(Op::Sync, {}, {}, {}, {arrive, wait});
    s.b.emit(Op::Return, {});
    Result<TimingReport> report = s.run();
    EXPECT_TRUE(report) << report.error().str();
    return report->cycles;
  };
  EXPECT_EQ(cycles(false, false), cycles(false, true));
  int64_t answer = at(Param::L2HitLatency) + at(Param::L2FarLatency) + at(Param::HbmLatency);
  int64_t longer = cycles(true, false) - cycles(true, true);
  EXPECT_GT(longer, answer - 100);
  EXPECT_LT(longer, answer + 100);
}

TEST(TimedSync, ARankOutsideTheCluster) {
  Scenario s;
  Reg bar = s.barrier(1);
  Type remote = s.b.typeOf(bar);
  remote.space = sync::Space::SharedCluster;
  s.arrive(s.b.emit1(Op::MapToRemoteBuffer, {bar, s.integer(3)}, s.b.type(remote)));
  s.b.emit(Op::Return, {});
  Result<TimingReport> report = s.run();
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("rank 3 names no CTA of the cluster, which has 1"),
            std::string::npos);
}

/// A multicast load completes on the barrier of each CTA of the mask, and moves
/// its bytes through L2 once.
TEST(TimedSync, AMulticastLoad) {
  Scenario s;
  s.b.facts().clusterDims[0] = 2;
  s.launch.grid = {2, 1, 1};
  Reg desc = s.b.parameter("d", s.b.type(Type::tensorDesc({64, 64}, DType::f16)), 0);
  TimingArgument argument;
  argument.kind = TimingArgument::Kind::Descriptor;
  argument.bits = int64_t(1) << 40;
  argument.shape = {64, 64};
  argument.strides = {64, 1};
  s.launch.arguments = {argument};
  s.launch.footprintBytes = 8192;
  Reg tile = s.buffer({64, 64}, DType::f16, "tile");
  Reg bar = s.barrier(1);
  Effect expect;
  expect.kind = Kind::BarrierExpect;
  expect.target = bar;
  expect.amount = 8192;
  s.sync(expect);
  s.arrive(bar);
  Effect together, apart;
  together.kind = Kind::ClusterArrive;
  apart.kind = Kind::ClusterWait;
  s.b.emit(Op::Sync, {}, {}, {}, {together, apart});
  Reg first = s.b.compare(CmpI::Eq, s.b.emit1(Op::ClusterId, {}, s.i32), s.integer(0));
  Reg mask = s.integer(3), zero = s.integer(0);
  Effect complete;
  complete.kind = Kind::BarrierComplete;
  complete.moment = sync::Moment::Completion;
  complete.target = bar;
  complete.amount = 8192;
  complete.rank = mask;
  complete.rankIsMask = true;
  complete.predicate = first;
  s.b.emit(Op::TmaLoad, {desc, bar, tile, first, mask, zero, zero}, {}, {}, {complete});
  s.wait(bar, 0);
  s.b.emit(Op::Return, {});
  Result<TimingReport> report = s.run();
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_EQ(report->l2Bytes, 8192);
}

TEST(TimedSync, BranchesOnDataAreAnnounced) {
  Scenario s;
  Reg pointer = s.b.parameter("p", s.b.pointer(DType::i32), 0);
  TimingArgument argument;
  argument.kind = TimingArgument::Kind::Pointer;
  argument.bits = 4096;
  s.launch.arguments = {argument};
  Reg value = s.b.emit1(Op::Load, {pointer}, s.i32);
  s.b.ifElse(
      s.b.compare(CmpI::Sgt, value, s.integer(5)), {},
      [&]() -> Regs {
        s.spend(10);
        return {};
      },
      [&]() -> Regs {
        s.spend(1000);
        return {};
      });
  s.b.emit(Op::Return, {});
  Program program = s.b.finish();
  Result<TimingReport> blind = simulateTime(program, s.launch, chip());
  ASSERT_TRUE(blind);
  ASSERT_EQ(blind->notes.size(), 1u);
  EXPECT_NE(blind->notes[0].find("a branch depends on data"), std::string::npos);
  // With the memory's contents there is nothing to guess.
  s.launch.read = [](uint64_t address, size_t bytes, void *to) {
    *static_cast<int32_t *>(to) = 3;
    return address == 4096 && bytes == 4;
  };
  Result<TimingReport> seeing = simulateTime(program, s.launch, chip());
  ASSERT_TRUE(seeing);
  EXPECT_TRUE(seeing->notes.empty());
  EXPECT_EQ(seeing->cycles - blind->cycles, 990 * at(Param::PipeAluLatency));
}

TEST(TimedSync, WavesOfCtas) {
  Cycles cycles[3];
  int64_t grids[3] = {132, 133, 264};
  for (int i = 0; i < 3; ++i) {
    Scenario s;
    s.launch.grid = {grids[i], 1, 1};
    s.launch.sharedBytes = 200000; // one CTA to an SM
    s.spend(1000);
    s.b.emit(Op::Return, {});
    Result<TimingReport> report = s.run();
    ASSERT_TRUE(report) << report.error().str();
    EXPECT_EQ(report->ctas, grids[i]);
    cycles[i] = report->cycles;
  }
  int64_t alone = 70 + 1001 * at(Param::PipeAluLatency) + 1 + at(Param::LaunchCtaStart) +
                  at(Param::LaunchCtaExit);
  EXPECT_EQ(cycles[1] - cycles[0], alone - 131 * at(Param::LaunchCtaInterval));
  EXPECT_EQ(cycles[2] - cycles[0], alone);
}

TEST(TimedSync, AnEndlessLoopEnds) {
  Scenario s;
  Builder::Label again = s.b.makeLabel();
  s.b.br(again);
  s.b.place(again);
  s.named(Kind::NamedBarrierSync, 1, 128);
  s.b.br(again);
  TimingOptions options;
  options.maxCycles = 100000;
  Program program = s.b.finish();
  Result<TimingReport> report = simulateTime(program, s.launch, chip(), options);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("passes the limit of 100000 cycles"), std::string::npos)
      << report.error().str();
}

} // namespace
