// Traces written by hand for a producer and a consumer around one mbarrier.
#include "runtime/backends/sim/SimReplay.h"
#include "runtime/backends/sim/ReplayMatch.h"
#include "tests/sim/functional/Kernels.h"

using namespace tlx;
using namespace tlx::device;
using sim::Op;

namespace {

constexpr int waitLine = 20, arriveLine = 30, writeLine = 40, readLine = 50;

/// One task writes a tile that another reads, and nothing orders them.
std::shared_ptr<sim::Program> racing() {
  sim::test::Kernel b("racing");
  sim::Reg tile = b.shared("tile", {128}, DType::f32, b.plain({128}));
  auto on = [](sync::Kind kind, sim::Reg target) {
    sim::Effect effect;
    effect.kind = kind;
    effect.space = sync::Space::Shared;
    effect.target = target;
    return effect;
  };
  sim::test::Kernel::PartitionSpec reader;
  reader.name = "partition0";
  reader.body = [&](const sim::Regs &args) {
    b.at(readLine);
    b.emit1(Op::LocalLoad, {args[0]}, b.tensor({128}, DType::f32), {},
            {on(sync::Kind::Read, args[0])});
  };
  b.warpSpecialize({tile}, {},
                   [&] {
                     b.at(writeLine);
                     sim::Reg ones = b.constantFloat(b.tensor({128}, DType::f32), 1);
                     b.emit(Op::LocalStore, {ones, tile}, {}, {}, {on(sync::Kind::Write, tile)});
                     return sim::Regs{};
                   },
                   {reader});
  b.ret();
  return std::make_shared<sim::Program>(b.finish());
}

/// The default task waits for phase 0 in each of `n` rounds (with the parity of
/// the round); the partition arrives once a round, or not at all in round 1.
std::shared_ptr<sim::Program> ring(bool skipsSecond) {
  sim::test::Kernel b("ring");
  b.at(1);
  sim::Reg n = b.intArg("n");
  sim::Reg bars = b.barriers("full", 1, 1);
  auto body = [&](sim::Reg count, sim::Reg barriers, const auto &each) {
    sim::Reg zero = b.i32(0), one = b.i32(1);
    b.forLoop(zero, count, one, {}, [&](sim::Reg i, const sim::Regs &) {
      each(i, b.barrier(barriers, zero));
      return sim::Regs{};
    });
  };
  sim::test::Kernel::PartitionSpec partition;
  partition.name = "partition0";
  partition.body = [&](const sim::Regs &args) {
    body(args[0], args[1], [&](sim::Reg i, sim::Reg barrier) {
      b.at(arriveLine);
      if (!skipsSecond)
        return b.sync({sim::test::arriveEffect(barrier)});
      sim::Reg isSecond = b.compare(sim::CmpI::Eq, i, b.i32(1));
      b.ifElse(
          isSecond, {}, [&] { return sim::Regs{}; },
          [&] {
            b.sync({sim::test::arriveEffect(barrier)});
            return sim::Regs{};
          });
    });
  };
  b.warpSpecialize({n, bars}, {},
                   [&] {
                     body(n, bars, [&](sim::Reg i, sim::Reg barrier) {
                       b.at(waitLine);
                       sim::Reg parity = b.binary(Op::AndI, i, b.i32(1));
                       b.sync({sim::test::waitEffect(barrier, parity)});
                     });
                     return sim::Regs{};
                   },
                   {partition});
  b.ret();
  sim::Program program = b.finish();
  auto errors = sim::validate(program);
  EXPECT_TRUE(errors.empty()) << errors[0].message;
  return std::make_shared<sim::Program>(std::move(program));
}

replay::Operation wait() { return {"ttng.wait_barrier", -1, {"kernel.py", waitLine, 1}}; }
replay::Operation arrive() { return {"ttng.arrive_barrier", -1, {"kernel.py", arriveLine, 1}}; }

replay::Trace trace(std::string category, int64_t n) {
  replay::Trace t;
  t.kernel = "ring";
  t.launch.target = "cuda:90";
  t.scalars = {{0, "n", "i32", false, n, 0}};
  t.ctas = {{}};
  t.violation = {std::move(category), "as claimed", wait()};
  return t;
}

LaunchReport follow(bool skipsSecond, const replay::Trace &t) {
  SimKernel kernel(ring(skipsSecond), "ring.ttir");
  auto report = replayOnSim(kernel, t);
  EXPECT_TRUE(report.ok()) << report.error().str();
  return report.ok() ? *report : LaunchReport();
}

std::string notes(const LaunchReport &report) {
  std::string all;
  for (const std::string &note : report.notes)
    all += note + "\n";
  for (const Finding &finding : report.findings) {
    all += finding.category + ": " + finding.message + "\n";
    for (const ErrorNote &note : finding.notes)
      all += note.message + "\n";
  }
  return all;
}

TEST(SimReplay, DeadlockIsReached) {
  replay::Trace t = trace("deadlock", 3);
  t.events = {{0, "partition0", arrive(), {0}, false, ""},
              {0, "default", wait(), {0}, false, ""},
              {0, "default", wait(), {1}, false, "waits for ever"}};
  LaunchReport report = follow(true, t);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].category, "deadlock") << notes(report);
  EXPECT_NE(notes(report).find("ends in the violation of the trace"), std::string::npos)
      << notes(report);
}

TEST(SimReplay, ACorrectKernelDoesNotEndInTheViolation) {
  replay::Trace t = trace("deadlock", 3);
  t.events = {{0, "partition0", arrive(), {0}, false, ""}, {0, "default", wait(), {0}, false, ""}};
  // The producer laps the consumer here: that is no deadlock of the claimed kind
  // when there is one round only.
  t.scalars[0].integer = 1;
  LaunchReport report = follow(false, t);
  ASSERT_EQ(report.findings.size(), 1u) << notes(report);
  EXPECT_EQ(report.findings[0].category, "replay-mismatch");
  EXPECT_EQ(report.findings[0].code, ExitCode::Unknown);
}

TEST(SimReplay, OrderDecides) {
  // Two arrivals before the first wait: its phase is overrun.
  replay::Trace t = trace("lost-phase", 2);
  t.events = {{0, "partition0", arrive(), {0}, false, ""},
              {0, "partition0", arrive(), {1}, false, ""},
              {0, "default", wait(), {0}, false, ""}};
  LaunchReport report = follow(false, t);
  EXPECT_NE(notes(report).find("ends in the violation of the trace"), std::string::npos)
      << notes(report);
}

TEST(SimReplay, ARaceElsewhereIsAnotherOne) {
  for (bool there : {true, false}) {
    replay::Trace t = trace("race", 1);
    t.kernel = "racing";
    t.scalars.clear();
    t.violation.op = {"", -1, {"kernel.py", unsigned(there ? writeLine : readLine + 1), 1}};
    LaunchReport report;
    SimKernel kernel(racing(), "racing.ttir");
    if (auto replayed = replayOnSim(kernel, t); replayed.ok())
      report = *replayed;
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings[0].category, "race") << notes(report);
    EXPECT_EQ(report.findings.back().category == "replay-mismatch", !there) << notes(report);
  }
}

TEST(SimReplay, ATraceThatCannotBeFollowedSaysWhere) {
  replay::Trace t = trace("over-arrival", 1);
  t.events = {{0, "partition0", arrive(), {5}, false, ""}};
  LaunchReport report = follow(false, t);
  EXPECT_NE(notes(report).find("event 0, ttng.arrive_barrier of partition0 at kernel.py:30:1, "
                               "cannot be followed: the task has ended"),
            std::string::npos)
      << notes(report);
  t.events = {{0, "partition7", arrive(), {}, false, ""}};
  report = follow(false, t);
  EXPECT_NE(notes(report).find("the task has not been started"), std::string::npos)
      << notes(report);
  t.events = {{0, "default", {"ttng.async_tma_copy_global_to_local", -1, {}}, {}, true, ""}};
  report = follow(false, t);
  EXPECT_NE(notes(report).find("nothing of it is in flight"), std::string::npos) << notes(report);
}

TEST(SimReplay, BranchAnswersWin) {
  // The branch of round 0 is said to be taken: the arrival is skipped there.
  replay::Trace t = trace("deadlock", 1);
  replay::Operation branch{"scf.if", -1, {"kernel.py", arriveLine, 1}};
  t.answers = {{replay::Answer::Kind::Branch, 0, "partition0", branch, 0, {1}}};
  LaunchReport report = follow(true, t);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].category, "deadlock") << notes(report);
  // Without the answer the kernel runs to its end.
  t.answers.clear();
  report = follow(true, t);
  EXPECT_EQ(report.findings[0].category, "replay-mismatch") << notes(report);
}

TEST(SimReplay, ScalarsMustBeGiven) {
  replay::Trace t = trace("deadlock", 1);
  t.scalars.clear();
  SimKernel kernel(ring(false), "ring.ttir");
  auto report = replayOnSim(kernel, t);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "the trace gives no value for parameter 0 'n' of @ring");
  t.scalars = {{4, "x", "i32", false, 1, 0}};
  EXPECT_FALSE(replayOnSim(kernel, t).ok());
}

/// A tile is read and then loaded over, at a level where the compiler has yet to insert fences.
LaunchReport refill(bool fenced, std::string category) {
  sim::test::Kernel b("refill");
  b.at(1);
  sim::Reg in = b.descArg("in", {8, 16}, DType::f32);
  sim::Reg tile = b.shared("tile", {8, 16}, DType::f32, b.plain({8, 16}));
  sim::Reg zero = b.i32(0), full = b.barrier(b.barriers("full", 1, 1), zero);
  sim::Effect read;
  read.kind = sync::Kind::Read;
  read.space = sync::Space::Shared;
  read.target = tile;
  b.at(10);
  b.emit1(Op::LocalLoad, {tile}, b.tensor({8, 16}, DType::f32), {}, {read});
  sim::Effect fence;
  fence.kind = sync::Kind::ProxyFence;
  if (fenced)
    b.sync({fence});
  b.sync(sim::test::expectEffects(full, 512));
  b.at(waitLine);
  b.tmaLoad(in, full, tile, {zero, zero}, 512);
  b.sync({sim::test::waitEffect(full, zero)});
  b.ret();
  sim::Program program = b.finish();
  program.facts.level = "ttir";
  EXPECT_TRUE(sim::validate(program).empty());
  replay::Trace t = trace(std::move(category), 1);
  t.kernel = "refill";
  t.scalars.clear();
  SimKernel kernel(std::make_shared<sim::Program>(std::move(program)), "refill.ttir");
  auto report = replayOnSim(kernel, t);
  EXPECT_TRUE(report.ok()) << report.error().str();
  return report.ok() ? *report : LaunchReport();
}

TEST(SimReplay, FencesAreLookedForWhereOneIsClaimedToBeMissing) {
  LaunchReport report = refill(false, "proxy-fence");
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].category, "missing-fence") << notes(report);
  EXPECT_NE(notes(report).find("after a generic read"), std::string::npos) << notes(report);
  for (const LaunchReport &clean : {refill(true, "proxy-fence"), refill(false, "race")}) {
    ASSERT_EQ(clean.findings.size(), 1u) << notes(clean);
    EXPECT_EQ(clean.findings[0].category, "replay-mismatch") << notes(clean);
  }
}

TEST(ReplayMatch, IterationsOfNestedLoops) {
  sim::Program program;
  program.loops = {{10, 30, -1}, {15, 25, -1}};
  LoopCounter counter(program);
  for (sim::Pc pc : {5, 10, 15, 20, 15, 20}) // outer 0, inner 1
    counter.arrive(pc);
  EXPECT_TRUE(counter.agrees(20, {0, 1}));
  EXPECT_TRUE(counter.agrees(20, {1}));
  EXPECT_TRUE(counter.agrees(20, {}));
  EXPECT_TRUE(counter.agrees(20, {7, 0, 1})); // loops outside this function
  EXPECT_FALSE(counter.agrees(20, {0, 0}));
  for (sim::Pc pc : {26, 10, 15, 20}) // outer 1, inner starts again
    counter.arrive(pc);
  EXPECT_TRUE(counter.agrees(20, {1, 0}));
  EXPECT_TRUE(counter.agrees(26, {1}));
}

} // namespace
