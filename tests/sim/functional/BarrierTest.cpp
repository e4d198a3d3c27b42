// Synchronisation: phases, named and cluster barriers, async groups, launch control, leftovers.
#include "Kernels.h"

#include <algorithm>

using namespace tlx;
using namespace tlx::sim;
using namespace tlx::sim::test;

namespace {

Builder::PartitionSpec partition(std::string name, int32_t warps,
                                 std::function<void(const Regs &)> body) {
  Builder::PartitionSpec spec;
  spec.name = std::move(name);
  spec.numWarps = warps;
  spec.body = std::move(body);
  return spec;
}

RunReport runAlone(const Program &program, Schedule schedule = {}) {
  GlobalMemory memory;
  return run(program, memory, {}, {1, 1, 1}, schedule);
}

} // namespace

TEST(Mbarrier, FreshBarrierPassesParityOneAndBlocksParityZero) {
  for (int phase : {0, 1}) {
    Kernel b("fresh");
    Reg bar = b.barrier(b.barriers("bar", 1, 1), b.i32(0));
    b.at(3);
    b.sync({waitEffect(bar, b.i32(phase))});
    b.ret();
    Program program = b.finish();
    RunReport report = runAlone(program);
    EXPECT_EQ(report.clean(), phase == 1) << text(program, report);
  }
}

TEST(Mbarrier, CountsUpToTwentyBits) {
  for (int64_t count : {1048575, 1048576}) {
    Kernel b("count");
    b.barrier(b.barriers("bar", 1, count), b.i32(0));
    b.ret();
    Program program = b.finish();
    RunReport report = runAlone(program);
    EXPECT_EQ(report.clean(), count == 1048575) << text(program, report);
  }
}

TEST(Mbarrier, BytesMayCompleteBeforeTheyAreExpected) {
  Kernel b("early");
  Reg bar = b.barrier(b.barriers("bar", 1, 1), b.i32(0));
  Effect complete;
  complete.kind = sync::Kind::BarrierComplete;
  complete.target = bar;
  complete.amount = 64;
  b.sync({complete});
  b.sync(expectEffects(bar, 64));
  b.sync({waitEffect(bar, b.i32(0))});
  b.ret();
  Program program = b.finish();
  EXPECT_TRUE(runAlone(program).clean());
}

TEST(Mbarrier, PerThreadArrivalsCountThreads) {
  // 64 threads arrive on their own; with one thread's predicate false the phase stays open.
  for (int64_t limit : {64, 63}) {
    Kernel b("threads");
    b.facts().numWarps = 2;
    Reg bar = b.barrier(b.barriers("bar", 1, 64), b.i32(0));
    Reg tid = b.emit1(Op::ThreadId, {}, b.scalar(DType::i32));
    Reg active = b.compare(CmpI::Slt, tid, b.i32(limit));
    Effect arrive = arriveEffect(bar);
    arrive.threads = sync::Threads::PerThread;
    arrive.taskBarrierBefore = false;
    arrive.predicate = active;
    b.sync({arrive});
    b.sync({waitEffect(bar, b.i32(0))});
    b.ret();
    Program program = b.finish();
    EXPECT_EQ(runAlone(program).clean(), limit == 64);
  }
}

TEST(Divergence, ThreadsThatDisagreeRunBothWaysAndMeetAgain) {
  // Warp 1 arrives once per thread, the others twice; values differ by thread afterwards.
  Kernel b("diverge");
  Reg out = b.pointerArg("out", DType::i32);
  Reg bar = b.barrier(b.barriers("bar", 1, 32 + 2 * 96), b.i32(0));
  Reg tid = b.emit1(Op::ThreadId, {}, b.scalar(DType::i32));
  Reg warp = b.binary(Op::DivSI, tid, b.i32(32));
  Reg isOne = b.compare(CmpI::Eq, warp, b.i32(1));
  auto arrive = [&](int64_t count) {
    Effect effect = arriveEffect(bar, count);
    effect.threads = sync::Threads::PerThread;
    b.sync({effect});
  };
  Regs value = b.ifElse(
      isOne, {b.scalar(DType::i32)},
      [&] {
        arrive(1);
        b.emit(Op::Store, {out, b.i32(-1)});
        return Regs{b.i32(10)};
      },
      [&] {
        arrive(2);
        return Regs{b.add(tid, b.i32(5))};
      });
  b.sync({waitEffect(bar, b.i32(0))});
  Reg small = b.compare(CmpI::Slt, value[0], b.i32(11)); // threads 0..5 and warp 1
  Reg again = b.barrier(b.barriers("again", 1, 38), b.i32(0));
  Effect counted = arriveEffect(again);
  counted.threads = sync::Threads::PerThread;
  counted.predicate = small;
  b.sync({counted});
  b.sync({waitEffect(again, b.i32(0))});
  Reg at = b.emit1(Op::AddPtr, {out, b.i32(1)}, b.pointer(DType::i32));
  b.emit(Op::Store, {at, value[0]}); // thread 0's
  b.ret();
  Program program = b.finish();
  std::vector<int32_t> result(2, 77);
  GlobalMemory memory;
  RunReport report = run(program, memory, {Argument::pointer(memory.add("out", result.data(), 8))});
  EXPECT_TRUE(report.clean()) << text(program, report);
  EXPECT_EQ(result[0], 77); // thread 0 was not on that way
  EXPECT_EQ(result[1], 5);
}

TEST(Mbarrier, UseWithoutInitIsNamed) {
  Kernel b("uninit");
  Reg all = b.shared("bar", {1}, DType::i64, b.plain({1}));
  b.at(4);
  b.sync({arriveEffect(b.barrier(all, b.i32(0)))});
  b.ret();
  Program program = b.finish();
  RunReport report = runAlone(program);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(render(program, report.findings[0]), "kernel.py:4:1: error: arrive on an mbarrier that "
                                                 "was never initialised, at byte 0x0 of CTA 0\n");
}

TEST(AsyncGroups, StoresThatNobodyWaitsForAreReportedAtExit) {
  for (bool waits : {false, true}) {
    Kernel b("leftover");
    Reg desc = b.descArg("c", {8, 16}, DType::f32);
    Reg tile = b.shared("tile", {8, 16}, DType::f32, b.plain({8, 16}));
    b.emit(Op::LocalStore, {b.constantFloat(b.tensor({8, 16}, DType::f32), 2), tile});
    b.at(6);
    b.emit(Op::TmaStore, {desc, tile, b.i32(0), b.i32(0)}, {}, {},
           {later(sync::Kind::Read, tile, sync::Space::Shared, sync::Group::BulkStore)});
    if (waits)
      b.sync({groupWait(sync::Group::BulkStore, 0)});
    b.ret();
    Program program = b.finish();
    std::vector<float> c(128);
    GlobalMemory memory;
    RunReport report =
        run(program, memory,
            {Argument::desc(memory.add("c", c.data(), 512), DType::f32, {8, 16}, {16, 1})});
    EXPECT_TRUE(report.clean());
    ASSERT_EQ(report.warnings.size(), waits ? 0u : 1u);
    if (!waits)
      EXPECT_EQ(render(program, report.warnings[0]),
                "kernel.py:6:1: error: 'default' ends without waiting for 1 bulk store(s) that "
                "read its shared memory\n");
  }
}

TEST(Cluster, ReachingOutIsSafeOnlyBehindAClusterBarrier) {
  // CTA 0 arrives on CTA 1's barrier at once.
  for (bool meets : {true, false}) {
    Kernel b("start");
    b.facts().clusterDims[0] = 2;
    Reg rank = b.emit1(Op::ClusterId, {}, b.scalar(DType::i32));
    Reg bar = b.barrier(b.barriers("bar", 1, 1), b.i32(0));
    if (meets)
      for (sync::Kind kind : {sync::Kind::ClusterArrive, sync::Kind::ClusterWait}) {
        Effect effect;
        effect.kind = kind;
        b.sync({effect});
      }
    Reg other = b.binary(Op::XorI, rank, b.i32(1));
    Reg remote =
        b.emit1(Op::MapToRemoteBuffer, {bar, other},
                b.type(Type::memDesc({1}, DType::i64, b.plain({1}), sync::Space::SharedCluster)));
    b.sync({arriveEffect(remote)});
    b.sync({waitEffect(bar, b.i32(0))});
    b.ret();
    Program program = b.finish();
    bool found = false;
    for (const Schedule &schedule : schedules(20)) {
      GlobalMemory memory;
      RunReport report = run(program, memory, {}, {2, 1, 1}, schedule);
      found |= !report.clean();
      if (meets) {
        EXPECT_TRUE(report.clean()) << schedule.text() << text(program, report);
      }
    }
    EXPECT_EQ(found, !meets);
  }
}

TEST(Mbarrier, PhaseThatNobodySawIsFound) {
  // The partition completes two phases while the default task has only seen one.
  Kernel b("lost");
  Reg all = b.barriers("bar", 1, 1);
  b.warpSpecialize({all}, {},
                   [&]() -> Regs {
                     b.at(11);
                     b.sync({waitEffect(b.barrier(all, b.i32(0)), b.i32(0))});
                     return {};
                   },
                   {partition("hasty", 1, [&](const Regs &c) {
                     Reg bar = b.barrier(c[0], b.i32(0));
                     b.at(21);
                     b.sync({arriveEffect(bar)});
                     b.at(22);
                     b.sync({arriveEffect(bar)});
                   })});
  b.ret();
  Program program = b.finish();
  RunReport report = runAlone(program);
  ASSERT_EQ(report.findings.size(), 1u) << text(program, report);
  EXPECT_EQ(report.findings[0].kind, Finding::Kind::LostPhase);
  EXPECT_NE(text(program, report).find("kernel.py:22:1: note: the second phase"),
            std::string::npos);
}

TEST(Named, PingPongAndMismatches) {
  auto program = [](int64_t threads, int64_t otherThreads, bool arrives) {
    Kernel b("named");
    Reg id = b.i32(9);
    b.warpSpecialize({id}, {},
                     [&]() -> Regs {
                       b.at(10);
                       b.sync({namedEffect(sync::Kind::NamedBarrierSync, id, threads)});
                       return {};
                     },
                     {partition("other", 4, [&](const Regs &c) {
                       b.at(20);
                       if (arrives)
                         b.sync({namedEffect(sync::Kind::NamedBarrierArrive, c[0], otherThreads)});
                     })});
    b.ret();
    return b.finish();
  };
  for (const Schedule &schedule : schedules(3)) {
    EXPECT_TRUE(runAlone(program(256, 256, true), schedule).clean());
    Program mismatch = program(256, 128, true);
    RunReport report = runAlone(mismatch, schedule);
    EXPECT_FALSE(report.clean());
    Program alone = program(256, 256, false);
    RunReport hang = runAlone(alone, schedule);
    ASSERT_EQ(hang.findings.size(), 1u);
    EXPECT_NE(render(alone, hang.findings[0]).find("waits at named barrier 9: 128 of 256 threads"),
              std::string::npos);
  }
}

TEST(Cluster, BarrierAndRemoteStore) {
  Kernel b("cluster");
  b.facts().clusterDims[0] = 2;
  Reg out = b.pointerArg("out", DType::i32);
  Reg rank = b.emit1(Op::ClusterId, {}, b.scalar(DType::i32));
  Reg other = b.binary(Op::XorI, rank, b.i32(1));
  Reg tile = b.shared("tile", {8}, DType::i32, b.plain({8}));
  Reg mine = b.emit1(Op::Splat, {b.add(rank, b.i32(100))}, b.tensor({8}, DType::i32));
  Effect arrive, wait, write;
  arrive.kind = sync::Kind::ClusterArrive;
  wait.kind = sync::Kind::ClusterWait;
  write.kind = sync::Kind::Write;
  write.space = sync::Space::SharedCluster;
  write.target = tile;
  write.rank = other;
  b.emit(Op::RemoteStore, {mine, tile, other}, {}, {}, {write});
  b.sync({arrive, wait});
  Reg got = b.emit1(Op::LocalLoad, {tile}, b.tensor({8}, DType::i32));
  Reg base = b.emit1(Op::AddPtr, {out, b.mul(rank, b.i32(8))}, b.pointer(DType::i32));
  b.emit(Op::Store, {b.pointers(base, 8), got});
  b.ret();
  Program program = b.finish();
  for (const Schedule &schedule : schedules(3)) {
    std::vector<int32_t> result(16);
    GlobalMemory memory;
    RunReport report =
        run(program, memory, {Argument::pointer(memory.add("out", result.data(), 64))}, {2, 1, 1},
            schedule);
    EXPECT_TRUE(report.clean()) << schedule.text() << text(program, report);
    EXPECT_EQ(result[0], 101);
    EXPECT_EQ(result[15], 100);
  }
}

TEST(Cluster, OneSidedBarrierHangs) {
  Kernel b("onesided");
  b.facts().clusterDims[0] = 2;
  Reg rank = b.emit1(Op::ClusterId, {}, b.scalar(DType::i32));
  Effect arrive, wait;
  arrive.kind = sync::Kind::ClusterArrive;
  wait.kind = sync::Kind::ClusterWait;
  Reg leads = b.compare(CmpI::Eq, rank, b.i32(0));
  Reg bar = b.barrier(b.barriers("bar", 1, 1), b.i32(0));
  b.ifElse(
      leads, {},
      [&] {
        b.at(5);
        b.sync({arrive, wait});
        return Regs{};
      },
      [&] {
        b.at(6);
        b.sync({waitEffect(bar, b.i32(0))});
        return Regs{};
      });
  b.ret();
  Program program = b.finish();
  GlobalMemory memory;
  RunReport report = run(program, memory, {}, {2, 1, 1});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_NE(render(program, report.findings[0])
                .find("waits at the cluster barrier: 128 of 256 threads have arrived"),
            std::string::npos)
      << render(program, report.findings[0]);
}

TEST(AsyncGroups, WaitCoversAllButTheNewest) {
  // Two copies in two groups; wait(1) makes the first visible under every schedule.
  Kernel b("groups");
  Reg in = b.pointerArg("in", DType::i32), out = b.pointerArg("out", DType::i32);
  Reg ring = b.shared("ring", {8}, DType::i32, b.plain({8}), 2);
  Effect commit;
  commit.kind = sync::Kind::GroupCommit;
  commit.group = sync::Group::CpAsync;
  for (int slot = 0; slot < 2; ++slot) {
    Reg tile = b.buffer(ring, b.i32(slot));
    Reg base = b.emit1(Op::AddPtr, {in, b.i32(slot * 8)}, b.pointer(DType::i32));
    Effect write = later(sync::Kind::Write, tile, sync::Space::Shared, sync::Group::CpAsync);
    write.proxy = sync::Proxy::Generic;
    b.emit(Op::AsyncCopy, {b.pointers(base, 8), tile}, {}, {}, {write});
    b.sync({commit});
  }
  for (int slot = 0; slot < 2; ++slot) {
    b.sync({groupWait(sync::Group::CpAsync, 1 - slot)});
    Reg x = b.emit1(Op::LocalLoad, {b.buffer(ring, b.i32(slot))}, b.tensor({8}, DType::i32));
    Reg base = b.emit1(Op::AddPtr, {out, b.i32(slot * 8)}, b.pointer(DType::i32));
    b.emit(Op::Store, {b.pointers(base, 8), x});
  }
  b.ret();
  Program program = b.finish();
  for (const Schedule &schedule : schedules(8)) {
    std::vector<int32_t> data(16), result(16, -1);
    for (int i = 0; i < 16; ++i)
      data[i] = i * i;
    GlobalMemory memory;
    uint64_t at = memory.add("in", data.data(), 64);
    RunReport report =
        run(program, memory,
            {Argument::pointer(at), Argument::pointer(memory.add("out", result.data(), 64))},
            {1, 1, 1}, schedule);
    EXPECT_TRUE(report.clean()) << schedule.text() << text(program, report);
    EXPECT_EQ(result, data) << schedule.text();
  }
}

TEST(AsyncGroups, ReadingAnAccumulatorEarlyIsFound) {
  Kernel b("early");
  Reg tile = b.shared("tile", {64, 64}, DType::f16, b.plain({64, 64}));
  b.emit(Op::LocalStore, {b.constantFloat(b.tensor({64, 64}, DType::f16), 1), tile});
  TypeId type = b.tensor({64, 64}, DType::f32);
  Attrs attrs;
  attrs.isAsync = true;
  b.at(7);
  Reg d = b.emit1(Op::WarpGroupDot, {tile, tile, b.constantFloat(type, 0)}, type, attrs,
                  {later(sync::Kind::Read, tile, sync::Space::Shared, sync::Group::Wgmma)});
  b.at(8);
  b.binary(Op::AddF, d, d);
  b.ret();
  Program program = b.finish();
  RunReport report = runAlone(program, {Schedule::Kind::Adversarial, 0});
  ASSERT_GE(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, Finding::Kind::EarlyRead);
  EXPECT_EQ(program.locationText(report.findings[0].loc), "kernel.py:8:1");
}

TEST(LaunchControl, PersistentCtasShareTheGrid) {
  // Every CTA cancels clusters until none is left; each tile is done once.
  Kernel b("clc");
  b.facts().target = "cuda:100";
  Reg out = b.pointerArg("out", DType::i32);
  Reg bar = b.barrier(b.barriers("bar", 1, 1), b.i32(0));
  Type answer = Type::memDesc({1}, DType::u64, b.plain({1}));
  answer.elementBytes = 16;
  Allocation alloc;
  alloc.bytes = 16;
  Attrs attrs;
  attrs.allocation = b.allocation(alloc);
  Reg response = b.emit1(Op::LocalAlloc, {noReg}, b.type(answer), attrs);
  TypeId i32 = b.scalar(DType::i32);
  Reg zero = b.i32(0), one = b.i32(1);
  b.whileLoop(
      {b.programId(0), zero},
      [&](const Regs &r) { return Builder::WhileStep{b.compare(CmpI::Sge, r[0], zero), r}; },
      [&](const Regs &r) {
        Reg at = b.emit1(Op::AddPtr, {out, r[0]}, b.pointer(DType::i32));
        Attrs add;
        add.rmw = Rmw::Add;
        b.emit1(Op::AtomicRmw, {at, one}, i32, add);
        b.sync(expectEffects(bar, 16));
        b.emit(Op::ClcTryCancel, {bar, response}, {}, {},
               {later(sync::Kind::Write, response, sync::Space::Shared)});
        b.sync({waitEffect(bar, r[1])});
        Regs ids = b.emit(Op::ClcQuery, {response}, {i32, i32, i32});
        return Regs{ids[0], b.binary(Op::XorI, r[1], one)};
      });
  b.ret();
  Program program = b.finish();
  std::vector<int32_t> result(50);
  GlobalMemory memory;
  LaunchConfig config;
  config.grid = {50, 1, 1};
  config.residentCtas = 4;
  config.arguments = {Argument::pointer(memory.add("out", result.data(), 200))};
  RunReport report = FunctionalMachine(program, config, memory).run();
  EXPECT_TRUE(report.clean()) << text(program, report);
  EXPECT_EQ(std::count(result.begin(), result.end(), 1), 50);
}

TEST(Launch, BadArgumentsAreNamed) {
  Kernel b("args");
  b.pointerArg("p", DType::f32);
  b.descArg("d", {8, 8}, DType::f16);
  b.facts().clusterDims[0] = 2;
  b.ret();
  Program program = b.finish();
  GlobalMemory memory;
  LaunchConfig config;
  config.grid = {3, 0, 1};
  config.arguments = {Argument::ofInt(1)};
  RunReport report = FunctionalMachine(program, config, memory).run();
  ASSERT_EQ(report.findings.size(), 4u) << text(program, report);
  EXPECT_EQ(report.findings[0].message,
            "the grid has 3 programs along axis 0, not a multiple of the cluster's 2");
  EXPECT_EQ(report.findings[1].message, "the grid has 0 programs along axis 1");
  EXPECT_EQ(report.findings[2].message, "argument 0 of 'p' should be a pointer");
  EXPECT_EQ(report.findings[3].message, "parameter 'd' takes argument 1; the launch has 1");
}

TEST(Mbarrier, InitOverALiveBarrierAndWritesIntoOneAreFound) {
  Kernel b("live");
  Reg all = b.barriers("bar", 2, 1);
  b.at(3);
  b.sync({initEffect(b.barrier(all, b.i32(0)), 1)});
  b.at(4);
  b.emit(Op::LocalStore,
         {b.emit1(Op::Splat, {b.constantInt(DType::i64, 7)}, b.tensor({2}, DType::i64)), all});
  b.ret();
  Program program = b.finish();
  RunReport report = runAlone(program);
  ASSERT_EQ(report.findings.size(), 2u) << text(program, report);
  EXPECT_EQ(
      render(program, report.findings[0]),
      "kernel.py:3:1: error: initialises an mbarrier that is in use: nothing has invalidated it\n");
  EXPECT_NE(report.findings[1].message.find("writes over the mbarrier at byte"), std::string::npos);
}
