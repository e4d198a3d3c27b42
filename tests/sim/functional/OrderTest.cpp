// Order that a task as a whole does not give: parts of a task, CTAs that come and go,
// tensor memory that is given back, device memory. Each mistake has a correct twin.
#include "Kernels.h"

using namespace tlx;
using namespace tlx::sim;
using namespace tlx::sim::test;

namespace {

RunReport checked(const Program &program, std::vector<Argument> arguments, GlobalMemory &memory,
                  std::array<int32_t, 3> grid = {1, 1, 1}, Schedule schedule = {}) {
  LaunchConfig config;
  config.grid = grid;
  config.arguments = std::move(arguments);
  config.schedule = schedule;
  config.raceCheck = true;
  EXPECT_TRUE(validate(program).empty()) << dump(program);
  return FunctionalMachine(program, config, memory).run();
}

Effect on(sync::Kind kind, Reg target, sync::Space space = sync::Space::Shared) {
  Effect effect;
  effect.kind = kind;
  effect.space = space;
  effect.target = target;
  return effect;
}

Effect plainEffect(sync::Kind kind) {
  Effect effect;
  effect.kind = kind;
  return effect;
}

Builder::PartitionSpec partition(std::string name, int32_t warps,
                                 std::function<void(const Regs &)> body) {
  Builder::PartitionSpec spec;
  spec.name = std::move(name);
  spec.numWarps = warps;
  spec.body = std::move(body);
  return spec;
}

/// True when some finding is of the kind and its message has the text.
bool found(const RunReport &report, Finding::Kind kind, const std::string &text) {
  for (const Finding &finding : report.findings)
    if (finding.kind == kind && finding.message.find(text) != std::string::npos)
      return true;
  return false;
}

/// Four warps fill a tile; one thread arrives, with or without a barrier of the task.
Program handOver(bool barrierBefore) {
  Kernel b("hand_over");
  Reg tile = b.shared("tile", {128}, DType::f32, b.plain({128}));
  Reg full = b.barriers("full", 1, 1);
  b.warpSpecialize({tile, full}, {},
                   [&]() -> Regs {
                     Reg zero = b.constantFloat(b.tensor({128}, DType::f32), 1);
                     b.emit(Op::LocalStore, {zero, tile}, {}, {}, {on(sync::Kind::Write, tile)});
                     Effect arrive = arriveEffect(b.barrier(full, b.i32(0)));
                     arrive.taskBarrierBefore = barrierBefore;
                     b.sync({arrive});
                     return {};
                   },
                   {partition("reader", 4, [&](const Regs &c) {
                     Reg zero = b.i32(0);
                     b.sync({waitEffect(b.barrier(c[1], zero), zero)});
                     b.emit1(Op::LocalLoad, {c[0]}, b.tensor({128}, DType::f32), {},
                             {on(sync::Kind::Read, c[0])});
                   })});
  b.ret();
  return b.finish();
}

TEST(Order, AnElectedArrivalCoversWhatTheTaskMetFor) {
  GlobalMemory memory;
  Program right = handOver(true), wrong = handOver(false);
  RunReport clean = checked(right, {}, memory);
  EXPECT_TRUE(clean.clean()) << text(right, clean);
  RunReport report = checked(wrong, {}, memory);
  EXPECT_TRUE(found(report, Finding::Kind::Race, "'reader' reads 'tile'")) << text(wrong, report);
}

/// Each CTA of a pair writes a value into the other's memory.
Program exchange(bool atEntry, bool atExit) {
  Kernel b("exchange");
  b.facts().clusterDims[0] = 2;
  Reg row = b.shared("row", {4}, DType::f32, b.plain({4}));
  auto meet = [&] {
    b.sync({plainEffect(sync::Kind::ClusterArrive), plainEffect(sync::Kind::ClusterWait)});
  };
  if (atEntry)
    meet();
  Reg rank = b.emit1(Op::ClusterId, {}, b.scalar(DType::i32));
  Reg other = b.binary(Op::XorI, rank, b.i32(1));
  Reg one = b.constantFloat(b.tensor({4}, DType::f32), 1);
  b.emit(Op::RemoteStore, {one, row, other}, {}, {}, {on(sync::Kind::Write, row)});
  if (atExit)
    meet();
  b.ret();
  return b.finish();
}

TEST(Order, ClusterMemoryLivesFromStartToEnd) {
  GlobalMemory memory;
  Program right = exchange(true, true);
  RunReport clean = checked(right, {}, memory, {2, 1, 1});
  EXPECT_TRUE(clean.clean()) << text(right, clean);
  Program early = exchange(false, true);
  RunReport report = checked(early, {}, memory, {2, 1, 1});
  EXPECT_TRUE(found(report, Finding::Kind::Race, "after that CTA has started"))
      << text(early, report);
  EXPECT_FALSE(found(report, Finding::Kind::Race, "ends"));
  Program late = exchange(true, false);
  for (const Schedule &schedule : schedules()) {
    RunReport ends = checked(late, {}, memory, {2, 1, 1}, schedule);
    EXPECT_TRUE(found(ends, Finding::Kind::Race, "before that CTA ends") ||
                found(ends, Finding::Kind::Race, "which has ended"))
        << schedule.text() << text(late, ends);
  }
}

/// 128 lanes of 32 columns of tensor memory.
Reg tensorTile(Kernel &b) {
  b.facts().target = "cuda:100";
  Allocation alloc;
  alloc.space = sync::Space::Tensor;
  alloc.bytes = 32 * 4;
  Attrs attrs;
  attrs.allocation = b.allocation(alloc);
  MemLayout lanes;
  lanes.bases.resize(2);
  for (uint32_t bit = 1; bit < 128; bit *= 2)
    lanes.bases[0].push_back(bit * tmemLaneBytes / 4);
  for (uint32_t bit = 1; bit < 32; bit *= 2)
    lanes.bases[1].push_back(bit);
  Type type = Type::memDesc({128, 32}, DType::f32, b.layout(lanes), sync::Space::Tensor);
  return b.emit1(Op::TmemAlloc, {noReg}, b.type(type), attrs);
}

/// A partition frees tensor memory that the default region reads, before or after it
/// hears that the reader is done.
Program freeing(bool waits) {
  Kernel b("freeing");
  Reg acc = tensorTile(b);
  TypeId tile = b.tensor({128, 32}, DType::f32);
  b.emit(Op::TmemStore, {acc, b.constantFloat(tile, 1)}, {}, {},
         {on(sync::Kind::Write, acc, sync::Space::Tensor)});
  Reg done = b.barriers("done", 1, 1);
  b.warpSpecialize({acc, done}, {},
                   [&]() -> Regs {
                     b.emit1(Op::TmemLoad, {acc}, tile, {},
                             {on(sync::Kind::Read, acc, sync::Space::Tensor)});
                     b.sync({arriveEffect(b.barrier(done, b.i32(0)))});
                     return {};
                   },
                   {partition("mma", 1, [&](const Regs &c) {
                     Reg zero = b.i32(0);
                     if (waits)
                       b.sync({waitEffect(b.barrier(c[1], zero), zero)});
                     b.emit(Op::LocalDealloc, {c[0]});
                   })});
  b.ret();
  return b.finish();
}

/// A task of eight warps reads a tile of tensor memory and writes it; `bit` of an element
/// tells the halves of the task apart that write it, bit 4 those that read it.
Program inPlace(int64_t bit, bool meets) {
  Kernel b("in_place");
  b.facts().numWarps = 8;
  Reg acc = tensorTile(b);
  TypeId tile = b.tensor({128, 32}, DType::f32);
  Attrs reads, writes;
  reads.ints = {16};
  writes.ints = {bit};
  b.emit(Op::TmemStore, {acc, b.constantFloat(tile, 1)}, {}, reads,
         {on(sync::Kind::Write, acc, sync::Space::Tensor)});
  Reg read =
      b.emit1(Op::TmemLoad, {acc}, tile, reads, {on(sync::Kind::Read, acc, sync::Space::Tensor)});
  if (meets)
    b.sync({on(sync::Kind::TaskBarrier, noReg)});
  b.emit(Op::TmemStore, {acc, read}, {}, writes, {on(sync::Kind::Write, acc, sync::Space::Tensor)});
  b.ret();
  return b.finish();
}

TEST(Order, WarpsOfATaskThatTakeEachOthersTensorMemoryMeet) {
  GlobalMemory memory;
  for (auto [bit, meets] : {std::pair<int64_t, bool>{16, false}, {8, true}}) {
    Program right = inPlace(bit, meets);
    RunReport clean = checked(right, {}, memory);
    EXPECT_TRUE(clean.clean()) << text(right, clean);
  }
  Program wrong = inPlace(8, false);
  RunReport report = checked(wrong, {}, memory);
  EXPECT_TRUE(found(report, Finding::Kind::Race, "by other warps of the task"))
      << text(wrong, report);
}

TEST(Order, TensorMemoryIsGivenBackBehindItsReaders) {
  GlobalMemory memory;
  Program right = freeing(true), wrong = freeing(false);
  for (const Schedule &schedule : schedules(3)) {
    RunReport clean = checked(right, {}, memory, {1, 1, 1}, schedule);
    EXPECT_TRUE(clean.clean()) << text(right, clean);
    EXPECT_TRUE(found(checked(wrong, {}, memory, {1, 1, 1}, schedule), Finding::Kind::Race,
                      "tensor memory"))
        << schedule.text();
  }
}

/// Two tasks store to the same words of device memory.
Program storing(double first, double second, bool ordered) {
  Kernel b("storing");
  Reg out = b.pointerArg("out", DType::f32);
  Reg turn = b.barriers("turn", 1, 1);
  TypeId row = b.tensor({64}, DType::f32);
  b.warpSpecialize({out, turn}, {},
                   [&]() -> Regs {
                     b.emit(Op::Store, {b.pointers(out, 64), b.constantFloat(row, first)});
                     b.sync({arriveEffect(b.barrier(turn, b.i32(0)))});
                     return {};
                   },
                   {partition("second", 4, [&](const Regs &c) {
                     Reg zero = b.i32(0);
                     if (ordered)
                       b.sync({waitEffect(b.barrier(c[1], zero), zero)});
                     b.emit(Op::Store, {b.pointers(c[0], 64), b.constantFloat(row, second)});
                   })});
  b.ret();
  return b.finish();
}

TEST(Order, StoresOfDifferentValuesToOneWordNeedOrder) {
  auto report = [](double first, double second, bool ordered) {
    std::vector<float> out(64);
    GlobalMemory memory;
    Program program = storing(first, second, ordered);
    return checked(program, {Argument::pointer(memory.add("out", out.data(), 256))}, memory);
  };
  EXPECT_TRUE(report(1, 2, true).clean());
  EXPECT_TRUE(report(1, 1, false).clean());
  EXPECT_TRUE(found(report(1, 2, false), Finding::Kind::Race, "writes 'out'"));
}

/// A barrier for as many threads as one task has: its arrivals need nobody.
TEST(Order, NamedBarrierCompletedByArrivalsAlone) {
  for (int64_t threads : {128, 256}) {
    Kernel b("turns");
    Reg id = b.i32(9);
    b.warpSpecialize({id}, {},
                     [&]() -> Regs {
                       b.sync({namedEffect(sync::Kind::NamedBarrierArrive, id, threads)});
                       return {};
                     },
                     {partition("other", 4, [&](const Regs &c) {
                       b.sync({namedEffect(sync::Kind::NamedBarrierSync, c[0], threads)});
                     })});
    b.ret();
    Program program = b.finish();
    GlobalMemory memory;
    RunReport report = checked(program, {}, memory);
    EXPECT_EQ(found(report, Finding::Kind::BarrierMisuse, "by arrivals alone"), threads == 128)
        << text(program, report);
    EXPECT_EQ(report.clean(), threads == 256);
  }
}

/// Threads that part at a branch and meet at a named barrier on one way only.
TEST(Order, NamedBarrierIsForWholeWarps) {
  for (int64_t lanes : {32, 1}) {
    Kernel b("parting");
    Attrs axis;
    Reg thread = b.emit1(Op::ThreadId, {}, b.scalar(DType::i32), axis);
    Reg some = b.compare(CmpI::Slt, thread, b.i32(lanes));
    Reg id = b.i32(3);
    b.ifElse(
        some, {},
        [&]() -> Regs {
          b.sync({namedEffect(sync::Kind::NamedBarrierSync, id, 32)});
          return {};
        },
        []() -> Regs { return {}; });
    b.ret();
    Program program = b.finish();
    GlobalMemory memory;
    RunReport report = checked(program, {}, memory);
    EXPECT_EQ(found(report, Finding::Kind::Divergence, "1 of the 32 threads"), lanes == 1)
        << text(program, report);
    EXPECT_EQ(report.clean(), lanes == 32) << text(program, report);
  }
}

TEST(Order, WarpsCompleteAPhaseEach) {
  for (int64_t threads : {32, 96}) {
    Kernel b("alone");
    b.sync({namedEffect(sync::Kind::NamedBarrierSync, b.i32(3), threads)});
    b.ret();
    Program program = b.finish();
    GlobalMemory memory;
    RunReport report = checked(program, {}, memory);
    EXPECT_EQ(report.clean(), threads == 32) << text(program, report);
  }
}

TEST(Order, BytesAreExpectedOnOnesOwnBarrier) {
  for (bool remote : {false, true}) {
    Kernel b("expecting");
    b.facts().clusterDims[0] = 2;
    Reg bar = b.barrier(b.barriers("got", 1, 1), b.i32(0));
    b.sync({plainEffect(sync::Kind::ClusterArrive), plainEffect(sync::Kind::ClusterWait)});
    Reg rank = b.emit1(Op::ClusterId, {}, b.scalar(DType::i32));
    Reg where = remote ? b.binary(Op::XorI, rank, b.i32(1)) : rank;
    Reg view =
        b.emit1(Op::MapToRemoteBuffer, {bar, where},
                b.type(Type::memDesc({1}, DType::i64, b.plain({1}), sync::Space::SharedCluster)));
    b.sync(expectEffects(view, 0));
    b.sync({plainEffect(sync::Kind::ClusterArrive), plainEffect(sync::Kind::ClusterWait)});
    b.ret();
    Program program = b.finish();
    GlobalMemory memory;
    RunReport report = checked(program, {}, memory, {2, 1, 1});
    EXPECT_EQ(found(report, Finding::Kind::BarrierMisuse, "of another CTA"), remote)
        << text(program, report);
  }
}

TEST(Order, TheChipChoosesHowManyClustersAreLaunchedBeforeARequest) {
  EXPECT_EQ((Schedule{Schedule::Kind::Fifo, 0}.residents(12)), 12u);
  EXPECT_EQ((Schedule{Schedule::Kind::Adversarial, 0}.residents(12)), 1u);
  bool different = false;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    size_t residents = Schedule{Schedule::Kind::Random, seed}.residents(12);
    EXPECT_GE(residents, 1u);
    EXPECT_LE(residents, 12u);
    different |= residents != Schedule{Schedule::Kind::Random, 0}.residents(12);
  }
  EXPECT_TRUE(different);
}

/// Two tasks meet `steps` times, each at a barrier of its own that the other arrives at, with
/// so many slots that they take turns.
Program rendezvous(int64_t slots, int32_t warps) {
  Kernel b("rendezvous");
  Reg mine = b.barriers("mine", slots, 1), yours = b.barriers("yours", slots, 1);
  auto steps = [&](Reg arriveAt, Reg waitAt) {
    for (int64_t step = 0; step < 6; ++step) {
      Reg slot = b.i32(step % slots);
      Effect arrive = arriveEffect(b.barrier(arriveAt, slot));
      arrive.taskBarrierBefore = false;
      b.sync({arrive});
      b.sync({waitEffect(b.barrier(waitAt, slot), b.i32(step / slots & 1))});
    }
  };
  b.warpSpecialize({mine, yours}, {},
                   [&]() -> Regs {
                     steps(yours, mine);
                     return {};
                   },
                   {partition("other", warps, [&](const Regs &c) { steps(c[0], c[1]); })});
  b.facts().numWarps = warps;
  b.ret();
  return b.finish();
}

// Who has passed may come round and complete the other's next phase before it has looked at
// this one.
TEST(Order, AMeetingNeedsTwoSlots) {
  GlobalMemory memory;
  Program right = rendezvous(2, 1), wrong = rendezvous(1, 1);
  RunReport clean = checked(right, {}, memory);
  EXPECT_TRUE(clean.clean()) << text(right, clean);
  EXPECT_TRUE(clean.warnings.empty());
  RunReport report = checked(wrong, {}, memory);
  EXPECT_TRUE(found(report, Finding::Kind::LostPhase, "phase of the mbarrier"))
      << text(wrong, report);
  // The barrier of the slot between does not help warps that nothing makes meet.
  RunReport lagging = checked(rendezvous(2, 4), {}, memory);
  EXPECT_TRUE(lagging.clean());
  ASSERT_FALSE(lagging.warnings.empty());
  EXPECT_NE(lagging.warnings[0].message.find("a lagging warp"), std::string::npos);
  // The adversarial schedule lets them lag.
  const Schedule adversarial{Schedule::Kind::Adversarial, 0};
  RunReport worst = checked(rendezvous(2, 4), {}, memory, {1, 1, 1}, adversarial);
  EXPECT_TRUE(found(worst, Finding::Kind::LostPhase, "a lagging warp"));
  EXPECT_TRUE(checked(rendezvous(2, 1), {}, memory, {1, 1, 1}, adversarial).clean());
}

TEST(Order, ARangeOfSchedulesIsManyRunsOfOneLaunch) {
  EXPECT_EQ(Schedule::parse("random:7").size(), 1u);
  ASSERT_EQ(Schedule::parse("random:3-202").size(), 200u);
  EXPECT_EQ(Schedule::parse("random:3-202").back().text(), "random:202");
  for (const char *wrong :
       {"random:", "random:5-", "random:5-4", "random:1-2x", "random:-3", "late"})
    EXPECT_TRUE(Schedule::parse(wrong).empty()) << wrong;
  // Each run starts from the memory as it was, and says what it says alone.
  Kernel b("once");
  Reg word = b.pointerArg("word", DType::i32);
  Attrs add;
  add.rmw = Rmw::Add;
  b.emit1(Op::AtomicRmw, {word, b.i32(1)}, b.scalar(DType::i32), add);
  b.ret();
  Program once = b.finish(), wrong = rendezvous(1, 1);
  GlobalMemory memory;
  int32_t total = 5;
  LaunchConfig config;
  config.arguments = {Argument::pointer(memory.add("word", &total, sizeof(total)))};
  std::vector<Schedule> schedules = Schedule::parse("random:0-19");
  for (const RunReport &report : runSchedules(once, config, memory, schedules))
    EXPECT_TRUE(report.clean()) << text(once, report);
  EXPECT_EQ(total, 6);
  config.arguments.clear();
  config.raceCheck = false;
  std::vector<RunReport> reports = runSchedules(wrong, config, memory, schedules);
  ASSERT_EQ(reports.size(), schedules.size());
  for (size_t i = 0; i < reports.size(); ++i) {
    config.schedule = schedules[i];
    EXPECT_EQ(reports[i].clean(), FunctionalMachine(wrong, config, memory).run().clean());
  }
}

// Without the check of clocks the schedules show it: a task that has just arrived is late.
TEST(Order, SchedulesHoldBackWhoHasArrived) {
  GlobalMemory memory;
  Program wrong = rendezvous(1, 1), right = rendezvous(2, 1);
  auto stuck = [&](const Program &program, Schedule schedule) {
    LaunchConfig config;
    config.schedule = schedule;
    config.raceCheck = false;
    return !FunctionalMachine(program, config, memory).run().clean();
  };
  EXPECT_TRUE(stuck(wrong, {Schedule::Kind::Adversarial, 0}));
  int seeds = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    seeds += stuck(wrong, {Schedule::Kind::Random, seed});
    EXPECT_FALSE(stuck(right, {Schedule::Kind::Random, seed}));
  }
  EXPECT_GT(seeds, 5);
}

} // namespace
