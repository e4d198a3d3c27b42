// The race check: correct rings are clean under every schedule, and each way to get the
// order wrong is found with both places.
#include "Kernels.h"

using namespace tlx;
using namespace tlx::sim;
using namespace tlx::sim::test;

namespace {

RunReport checked(const Program &program, std::vector<Argument> arguments, GlobalMemory &memory,
                  Schedule schedule = {}) {
  LaunchConfig config;
  config.arguments = std::move(arguments);
  config.schedule = schedule;
  config.raceCheck = true;
  EXPECT_TRUE(validate(program).empty());
  return FunctionalMachine(program, config, memory).run();
}

Effect plain(sync::Kind kind, Reg target) {
  Effect effect;
  effect.kind = kind;
  effect.space = sync::Space::Shared;
  effect.target = target;
  return effect;
}

enum class Mistake { None, EarlyRelease, NoWait, NoFence, NoStoreWait };

/// A producer fills a ring by TMA; the default task reads it, doubles it into a
/// staging tile and stores that by TMA.
Program ring(Mistake mistake) {
  Kernel b("ring");
  Reg in = b.descArg("in", {8, 16}, DType::f32), out = b.descArg("out", {8, 16}, DType::f32);
  LayoutId layout = b.plain({8, 16});
  Reg slots = b.shared("slots", {8, 16}, DType::f32, layout, 2);
  Reg staging = b.shared("staging", {8, 16}, DType::f32, layout);
  Reg full = b.barriers("full", 2, 1), empty = b.barriers("empty", 2, 1);
  Reg zero = b.i32(0), one = b.i32(1), two = b.i32(2), steps = b.i32(6);
  TypeId tile = b.tensor({8, 16}, DType::f32);
  b.warpSpecialize(
      {in, slots, full, empty}, {},
      [&]() -> Regs {
        b.forLoop(zero, steps, one, {}, [&](Reg i, const Regs &) {
          Reg slot = b.binary(Op::RemSI, i, two),
              phase = b.binary(Op::AndI, b.binary(Op::DivSI, i, two), one);
          Reg buffer = b.buffer(slots, slot), free = b.barrier(empty, slot);
          b.at(20);
          if (mistake != Mistake::NoWait)
            b.sync({waitEffect(b.barrier(full, slot), phase)});
          if (mistake == Mistake::EarlyRelease)
            b.sync({arriveEffect(free)});
          b.at(21);
          Reg x = b.emit1(Op::LocalLoad, {buffer}, tile, {}, {plain(sync::Kind::Read, buffer)});
          if (mistake != Mistake::EarlyRelease)
            b.sync({arriveEffect(free)});
          b.at(22);
          if (mistake != Mistake::NoStoreWait)
            b.sync({groupWait(sync::Group::BulkStore, 0)});
          b.at(23);
          b.emit(Op::LocalStore, {b.binary(Op::AddF, x, x), staging}, {}, {},
                 {plain(sync::Kind::Write, staging)});
          Effect fence;
          fence.kind = sync::Kind::ProxyFence;
          b.at(24);
          if (mistake != Mistake::NoFence)
            b.sync({fence});
          b.at(25);
          b.emit(Op::TmaStore, {out, staging, b.mul(i, b.i32(8)), zero}, {}, {},
                 {later(sync::Kind::Read, staging, sync::Space::Shared, sync::Group::BulkStore),
                  later(sync::Kind::Write, out, sync::Space::Global, sync::Group::BulkStore)});
          return Regs{};
        });
        b.sync({groupWait(sync::Group::BulkStore, 0)});
        return {};
      },
      {[&] {
        Builder::PartitionSpec spec;
        spec.name = "producer";
        spec.numWarps = 1;
        spec.body = [&](const Regs &c) {
          Reg zero = b.i32(0), one = b.i32(1), two = b.i32(2), steps = b.i32(6);
          b.forLoop(zero, steps, one, {}, [&](Reg i, const Regs &) {
            Reg slot = b.binary(Op::RemSI, i, two);
            Reg phase =
                b.binary(Op::XorI, b.binary(Op::AndI, b.binary(Op::DivSI, i, two), one), one);
            b.at(40);
            b.sync({waitEffect(b.barrier(c[3], slot), phase)});
            Reg bar = b.barrier(c[2], slot);
            b.sync(expectEffects(bar, 512));
            b.at(41);
            b.tmaLoad(c[0], bar, b.buffer(c[1], slot), {b.mul(i, b.i32(8)), zero}, 512);
            return Regs{};
          });
        };
        return spec;
      }()});
  b.ret();
  return b.finish();
}

struct RingRun {
  RunReport report;
  bool right = true;
};

RingRun runRing(const Program &program, Schedule schedule) {
  std::vector<float> in(48 * 16), out(48 * 16, -1);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(i);
  GlobalMemory memory;
  uint64_t at = memory.add("in", in.data(), in.size() * 4);
  RingRun result;
  result.report = checked(program,
                          {Argument::desc(at, DType::f32, {48, 16}, {16, 1}),
                           Argument::desc(memory.add("out", out.data(), out.size() * 4), DType::f32,
                                          {48, 16}, {16, 1})},
                          memory, schedule);
  for (size_t i = 0; i < in.size(); ++i)
    result.right &= out[i] == 2 * in[i];
  return result;
}

/// The finding of a kind, as text; empty if no schedule shows it.
std::string found(const Program &program, Finding::Kind kind) {
  for (const Schedule &schedule : schedules(4)) {
    RingRun result = runRing(program, schedule);
    for (const Finding &finding : result.report.findings)
      if (finding.kind == kind)
        return render(program, finding);
  }
  return "";
}

} // namespace

TEST(Races, CorrectRingIsCleanAndRightUnderManySchedules) {
  Program program = ring(Mistake::None);
  for (const Schedule &schedule : schedules(200)) {
    RingRun result = runRing(program, schedule);
    ASSERT_TRUE(result.report.clean()) << schedule.text() << text(program, result.report);
    ASSERT_TRUE(result.right) << schedule.text();
  }
}

TEST(Races, SlotReleasedBeforeItIsRead) {
  std::string message = found(ring(Mistake::EarlyRelease), Finding::Kind::Race);
  bool order = message.find("'producer' asynchronously writes 'slots'") != std::string::npos &&
               message.find("kernel.py:21:1: note: 'default' reads them here") != std::string::npos;
  bool other = message.find("'default' reads 'slots'") != std::string::npos;
  EXPECT_TRUE(order || other) << message;
}

TEST(Races, SlotReadWithoutWaiting) {
  std::string message = found(ring(Mistake::NoWait), Finding::Kind::Race);
  EXPECT_NE(message.find("'slots'"), std::string::npos) << message;
}

TEST(Races, StagingTileRewrittenUnderItsStore) {
  Program program = ring(Mistake::NoStoreWait);
  std::string message = found(program, Finding::Kind::Race);
  EXPECT_NE(message.find("kernel.py:23:1: error: race: 'default' writes 'staging', and nothing "
                         "orders this after an earlier read"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("kernel.py:25:1: note: 'default' asynchronously reads them here"),
            std::string::npos)
      << message;
}

TEST(Races, MissingProxyFenceIsFoundWhereFencesAreExplicit) {
  Program program = ring(Mistake::NoFence);
  std::string message = found(program, Finding::Kind::MissingFence);
  EXPECT_NE(message.find("kernel.py:25:1: error: 'default' asynchronously reads 'staging' through "
                         "the async proxy after a generic write"),
            std::string::npos)
      << message;
  program.facts.level = "ttir"; // the compiler has yet to insert them
  EXPECT_EQ(found(program, Finding::Kind::MissingFence), "");
}
