// Trip counts and conditions: what a loop that may run zero times means for what
// stands behind it.

#include "tests/verify/Rings.h"
#include "verify/model/Prune.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
/// One task arrives in the first iteration of a loop of `trips`, another waits for it.
struct FirstOfLoop : Builder {
  ExprId n = arg("N"), pid = NoExpr;
  FirstOfLoop() {
    Symbol symbol;
    symbol.name = "pid";
    symbol.lo = 0;
    symbol.launchInvariant = false;
    symbol.ofLaunch = true;
    pid = p.exprs.symbol(symbol);
  }
  ProofResult prove(ExprId trips) { return proveFrom(c(0), trips, 1); }
  ProofResult proveFrom(ExprId start, ExprId end, int64_t step, const ProverOptions &options = {}) {
    int done = barriers("done", 1);
    root({init(done, 0, 1)});
    VarId k = p.addVar("k");
    Stmt first = arrive(done, c(0), 1, p.exprs.eq(v(k), start));
    task("worker", {loop(k, start, end, {first}, {}, step)});
    task("waiter", {wait(done, c(0), c(0))});
    return tlx::verify::prove(p, options);
  }
};

/// A task of several warps waits on its own barrier and invalidates it; another may wait too.
ProofResult invalidated(bool otherWaits) {
  Builder b;
  int bar = b.barriers("bar", 1);
  Effect inval = b.effect(tlx::sync::Kind::BarrierInval, bar, b.c(0));
  inval.threads = tlx::sync::Threads::Elected;
  b.root({b.init(bar, 0, 1)});
  b.task("arriver", {b.arrive(bar, b.c(0))});
  b.task("other", otherWaits ? Block{b.wait(bar, b.c(0), b.c(0))} : Block{});
  b.task("owner", {b.wait(bar, b.c(0), b.c(0)), b.event("inval", {inval})});
  return prove(b.p, {});
}

/// Two tasks take tiles from cluster launch control. One asks, both read the answer
/// and go on while there is one; a slot is asked into again when both have read it.
struct Clc : Builder {
  int full = barriers("full", 1), empty = barriers("empty", 1), answer = buffer("answer", 1);
  Function answers{"clc_answer", -1, INT64_MAX, true};
  /// What the second task does otherwise than it should.
  enum Fault : uint8_t { None, ReleasesTooRarely, LooksTwice };

  Stmt request() {
    Stmt s = load(answer, c(0), full, c(0), 16);
    p.events.back().effects.insert(p.events.back().effects.begin(),
                                   effect(tlx::sync::Kind::ClcRequest));
    return s;
  }
  Block tiles(const char *name, bool asks, Fault fault) {
    Exprs &e = p.exprs;
    VarId tile = p.addVar(name), count = p.addVar("count"), phase = p.addVar("phase");
    int looks = fault == LooksTwice ? 2 : 1;
    ExprId next = e.element(answers, e.add(v(count), c(looks - 1)));
    Stmt loop{Stmt::LoopStmt};
    Symbol pid{"program_id"};
    pid.lo = 0;
    loop.inits = {{tile, e.symbol(pid)}, {count, c(0)}, {phase, c(0)}};
    loop.cond = e.logicalNot(e.eq(v(tile), c(-1)));
    if (asks)
      loop.body = {wait(empty, c(0), e.binary(Op::Xor, v(phase), c(1))), expect(full, c(0), 16),
                   request()};
    loop.body.push_back(wait(full, c(0), v(phase)));
    for (int look = 0; look < looks; ++look)
      loop.body.push_back(read(answer, c(0)));
    ExprId granted = e.le(c(fault == ReleasesTooRarely ? 1 : 0), next);
    loop.body.push_back(simple(tlx::sync::Kind::ProxyFence, "fence"));
    loop.body.push_back(arrive(empty, c(0), 1, granted));
    loop.nexts = {{tile, next},
                  {count, e.add(v(count), c(looks))},
                  {phase, e.binary(Op::Xor, v(phase), c(1))}};
    return {loop};
  }
  ProofResult prove(Fault fault) {
    root({init(full, 0, 1), init(empty, 0, 2)});
    task("asker", tiles("tile", true, None));
    task("worker", tiles("tile", false, fault));
    return tlx::verify::prove(p, {});
  }
};

/// One producer visits every tile, two consumers every second one each; a tile has
/// T steps through the one slot of its consumer's ring.
ProofResult takingTurns(int64_t tooMany) {
  Builder b;
  Exprs &e = b.p.exprs;
  int full = b.barriers("full", 2), empty = b.barriers("empty", 2), data = b.buffer("data", 2);
  ExprId tiles = b.arg("tiles", 0), T = b.arg("T", 1);
  b.root({b.init(full, 0, 1), b.init(full, 1, 1), b.init(empty, 0, 1), b.init(empty, 1, 1)});
  auto visit = [&](const char *name, int64_t first, int64_t step, ExprId trips, auto make) {
    VarId tile = b.p.addVar("tile"), k = b.p.addVar("k");
    ExprId ring = e.rem(b.v(tile), 2);
    ExprId count = e.add(e.binary(Op::Mul, e.div(b.v(tile), 2), T), b.v(k));
    Stmt steps = b.loop(k, b.c(0), trips, make(ring, e.binary(Op::And, count, b.c(1))));
    b.task(name, {b.loop(tile, b.c(first), tiles, {steps}, {}, step)});
  };
  visit("producer", 0, 1, T, [&](ExprId ring, ExprId phase) {
    return Block{b.wait(empty, ring, e.binary(Op::Xor, phase, b.c(1))), b.expect(full, ring, 64),
                 b.load(data, ring, full, ring, 64)};
  });
  for (int64_t consumer : {0, 1})
    visit(consumer ? "second" : "first", consumer, 2, e.add(T, b.c(consumer * tooMany)),
          [&](ExprId ring, ExprId phase) {
            return Block{b.wait(full, ring, phase), b.read(data, ring), b.arrive(empty, ring)};
          });
  setPaces(b.p);
  ProverOptions options;
  options.maxStates = 3000;
  return prove(b.p, options);
}
} // namespace

TEST(Loops, AnEmptyLaunchIsAPrecondition) {
  FirstOfLoop ceil, floor;
  ProofResult r = ceil.prove(ceil.p.exprs.div(ceil.p.exprs.add(ceil.n, ceil.c(127)), 128));
  ASSERT_EQ(r.verdict, ProofResult::Proved);
  ASSERT_EQ(r.preconditions.size(), 1u);
  EXPECT_EQ(r.preconditions[0].text, "N >= 1");
  // Less than one whole block is as empty.
  r = floor.prove(floor.p.exprs.div(floor.n, 128));
  ASSERT_EQ(r.verdict, ProofResult::Proved);
  ASSERT_EQ(r.preconditions.size(), 1u);
  EXPECT_EQ(r.preconditions[0].text, "N >= 128");
}

TEST(Loops, AProgramBeyondTheDataIsAPrecondition) {
  // Causal attention backwards: from the program's own block to the end of the data.
  FirstOfLoop causal;
  ExprId block = causal.p.exprs.binary(Op::Mul, causal.pid, causal.c(128));
  ProofResult r = causal.proveFrom(block, causal.n, 64);
  ASSERT_EQ(r.verdict, ProofResult::Proved);
  ASSERT_EQ(r.preconditions.size(), 1u);
  EXPECT_EQ(r.preconditions[0].text, "N - 128*pid >= 1");

  // Not when the launch has such a program, and not with --strict.
  for (bool strict : {false, true}) {
    ProverOptions options;
    options.strict = strict;
    if (!strict)
      options.launchReaches = [](const Linears &, const LinForm &, int64_t) { return true; };
    FirstOfLoop reached;
    block = reached.p.exprs.binary(Op::Mul, reached.pid, reached.c(128));
    EXPECT_EQ(reached.proveFrom(block, reached.n, 64, options).verdict, ProofResult::Bug);
  }
}

TEST(Loops, AnEmptyShareOfAProgramIsNotExcluded) {
  // Programs that divide the data: by turns, and by pieces of equal size.
  FirstOfLoop turns, pieces;
  ExprId own = turns.p.exprs.binary(Op::Mul, turns.pid, turns.c(64));
  EXPECT_EQ(turns.proveFrom(own, turns.n, 4 * 64).verdict, ProofResult::Bug);
  Exprs &e = pieces.p.exprs;
  own = e.binary(Op::Mul, pieces.pid, pieces.c(256));
  ExprId end = e.binary(Op::Min, e.add(own, pieces.c(256)), pieces.n);
  EXPECT_EQ(pieces.proveFrom(own, end, 64).verdict, ProofResult::Bug);
}

TEST(Loops, ABoundInMultiplesEnds) {
  for (int64_t extra : {1, 0}) {
    FirstOfLoop b;
    ProverOptions options;
    options.maxStates = 1000;
    ExprId blocks = b.p.exprs.binary(Op::Mul, b.pid, b.c(8));
    ProofResult r = b.proveFrom(b.c(0), b.p.exprs.add(blocks, b.c(extra)), 1, options);
    EXPECT_EQ(r.verdict, extra ? ProofResult::Proved : ProofResult::Bug) << r.reason;
  }
}

TEST(Loops, ASlotCountsFromTheLoopsOwnStart) {
  for (int64_t off : {0, 1}) {
    Builder b;
    Exprs &e = b.p.exprs;
    int full = b.barriers("full", 2), empty = b.barriers("empty", 2), data = b.buffer("data", 2);
    ExprId n = b.arg("N"), first = e.add(b.arg("first", 0), b.arg("offset", 0));
    b.root({b.init(full, 0, 1), b.init(full, 1, 1), b.init(empty, 0, 1), b.init(empty, 1, 1)});
    auto task = [&](const char *name, int64_t shift, auto make) {
      VarId k = b.p.addVar("k");
      ExprId passed = e.add(e.sub(b.v(k), first), b.c(shift));
      ExprId phase = e.binary(Op::And, e.div(passed, 2), b.c(1));
      b.task(name, {b.loop(k, first, n, make(e.rem(passed, 2), phase))});
    };
    task("producer", 0, [&](ExprId slot, ExprId phase) {
      return Block{b.wait(empty, slot, e.binary(Op::Xor, phase, b.c(1))), b.expect(full, slot, 64),
                   b.load(data, slot, full, slot, 64)};
    });
    task("consumer", off, [&](ExprId slot, ExprId phase) {
      return Block{b.wait(full, slot, phase), b.read(data, slot), b.arrive(empty, slot)};
    });
    ProofResult r = prove(b.p, {});
    EXPECT_EQ(r.verdict, off ? ProofResult::Bug : ProofResult::Proved) << r.reason;
  }
}

TEST(Loops, ABoundThatIsPassedIsNoLongerCounted) {
  // Blocks behind the last valid one are skipped, one by one, in all tasks alike.
  for (bool waitsForAll : {false, true}) {
    Builder b;
    Exprs &e = b.p.exprs;
    int full = b.barriers("full", 1), data = b.buffer("data", 1), empty = b.barriers("empty", 1);
    ExprId n = b.arg("n"), valid = b.arg("valid");
    b.root({b.init(full, 0, 1), b.init(empty, 0, 1)});
    auto task = [&](const char *name, auto make) {
      VarId k = b.p.addVar("k");
      ExprId phase = e.binary(Op::And, b.v(k), b.c(1));
      b.task(name, {b.loop(k, b.c(0), n, make(e.lt(b.v(k), valid), phase))});
    };
    task("producer", [&](ExprId live, ExprId phase) {
      return Block{
          ifStmt(live, {b.wait(empty, b.c(0), e.binary(Op::Xor, phase, b.c(1))),
                        b.expect(full, b.c(0), 64), b.load(data, b.c(0), full, b.c(0), 64)})};
    });
    task("consumer", [&](ExprId live, ExprId phase) {
      return Block{b.wait(full, b.c(0), phase, waitsForAll ? NoExpr : live),
                   ifStmt(live, {b.read(data, b.c(0)), b.arrive(empty, b.c(0))})};
    });
    ProverOptions options;
    options.maxStates = 3000;
    ProofResult r = prove(b.p, options);
    EXPECT_EQ(r.verdict, waitsForAll ? ProofResult::Bug : ProofResult::Proved) << r.reason;
  }
}

TEST(Loops, TwoLoopsOverOneBoundEndAtTheSameResidue) {
  for (int64_t more : {0, 1}) {
    Builder b;
    Exprs &e = b.p.exprs;
    ExprId steps = e.div(e.add(b.arg("K"), b.c(63)), 64);
    int first = b.barriers("first", 1), second = b.barriers("second", 1);
    auto half = [&](int bar, ExprId trips) {
      VarId k = b.p.addVar("k");
      ExprId phase = e.binary(Op::Xor, e.binary(Op::And, b.v(k), b.c(1)), b.c(1));
      ExprId last = e.binary(Op::Xor, e.binary(Op::And, steps, b.c(1)), b.c(1));
      return Block{b.loop(k, b.c(0), trips, {b.wait(bar, b.c(0), phase), b.arrive(bar, b.c(0))}),
                   b.wait(bar, b.c(0), last)};
    };
    Block body = half(first, steps), rest = half(second, e.add(steps, b.c(more)));
    b.root({b.init(first, 0, 1), b.init(second, 0, 1)});
    body.insert(body.end(), rest.begin(), rest.end());
    b.task("both", std::move(body), 1);
    ProofResult r = prove(b.p, {});
    EXPECT_EQ(r.verdict, more ? ProofResult::Bug : ProofResult::Proved) << r.reason;
  }
}

TEST(Loops, OneStepOfAPeeledLoopIsNotExcluded) {
  FirstOfLoop ceil, floor;
  ExprId blocks = ceil.p.exprs.div(ceil.p.exprs.add(ceil.n, ceil.c(127)), 128);
  ProofResult r = ceil.prove(ceil.p.exprs.sub(blocks, ceil.c(1)));
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Deadlock);
  r = floor.prove(floor.p.exprs.sub(floor.p.exprs.div(floor.n, 128), floor.c(1)));
  EXPECT_EQ(r.verdict, ProofResult::Bug);
}

TEST(Loops, ARemainderIsLessThanItsDivisor) {
  for (int64_t missing : {0, 1}) {
    FirstOfLoop b;
    Exprs &e = b.p.exprs;
    ExprId blocks = e.div(b.n, 128);
    ExprId left = e.sub(blocks, e.binary(Op::Rem, b.pid, blocks));
    ProofResult r = b.prove(e.sub(left, b.c(missing)));
    EXPECT_EQ(r.verdict, missing ? ProofResult::Bug : ProofResult::Proved) << r.reason;
    EXPECT_TRUE(r.preconditions.empty());
  }
}

TEST(Loops, AQuotientByAnUnknownIsNotNegative) {
  FirstOfLoop f;
  Exprs &e = f.p.exprs;
  ExprId share = e.binary(Op::Div, f.pid, f.arg("G"));
  EXPECT_EQ(f.prove(e.add(share, f.c(1))).verdict, ProofResult::Proved);
  FirstOfLoop g;
  share = g.p.exprs.binary(Op::Div, g.pid, g.arg("G"));
  EXPECT_EQ(g.prove(share).verdict, ProofResult::Bug); // it may be zero
}

TEST(Loops, AMultipleOfAnUnknownDividedByItIsTheFactor) {
  for (int64_t missing : {0, 1}) {
    FirstOfLoop b;
    Exprs &e = b.p.exprs;
    ExprId stride = b.arg("G");
    ExprId factor = e.binary(Op::Div, e.binary(Op::Mul, b.n, stride), stride);
    ExprId rest = e.binary(Op::Rem, e.binary(Op::Mul, b.n, stride), stride);
    ExprId one = e.add(e.add(e.sub(factor, b.n), rest), b.c(1));
    EXPECT_EQ(b.prove(e.sub(one, b.c(missing))).verdict,
              missing ? ProofResult::Bug : ProofResult::Proved);
  }
}

TEST(Loops, APhaseAndItsInverseAreOneQuestion) {
  for (bool inverse : {true, false}) {
    FirstOfLoop b;
    Exprs &e = b.p.exprs;
    int done = b.barriers("done", 1);
    b.root({b.init(done, 0, 1)});
    ExprId parity = e.binary(Op::And, e.binary(Op::Div, b.n, b.arg("G")), b.c(1));
    ExprId other = inverse ? e.binary(Op::Xor, parity, b.c(1)) : parity;
    b.task("even", {b.arrive(done, b.c(0), 1, e.eq(parity, b.c(0)))});
    b.task("odd", {b.arrive(done, b.c(0), 1, e.eq(other, b.c(0)))});
    b.task("waiter", {b.wait(done, b.c(0), b.c(0))});
    EXPECT_EQ(prove(b.p, {}).verdict, inverse ? ProofResult::Proved : ProofResult::Bug);
  }
}

TEST(Loops, ATaskMayInvalidateWhatItsOwnWarpsWaitedFor) {
  EXPECT_EQ(invalidated(false).verdict, ProofResult::Proved);
  ProofResult r = invalidated(true);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::BarrierLifetime);
}

TEST(Loops, AnswersOfLaunchControlAreTheSameForAllTasks) {
  ProofResult r = Clc().prove(Clc::None);
  EXPECT_EQ(r.verdict, ProofResult::Proved) << r.reason;
  // Granted tile 0, the worker does not release the slot.
  r = Clc().prove(Clc::ReleasesTooRarely);
  ASSERT_EQ(r.verdict, ProofResult::Bug) << r.reason;
  EXPECT_EQ(r.violation.cls, BugClass::Deadlock);
}

TEST(Loops, ATaskThatCountsAnswersDifferentlyIsNotProved) {
  ProofResult r = Clc().prove(Clc::LooksTwice);
  EXPECT_NE(r.verdict, ProofResult::Proved);
}

TEST(Loops, TasksThatTakeTurnsCountTheSameTiles) {
  ProofResult r = takingTurns(0);
  EXPECT_EQ(r.verdict, ProofResult::Proved) << r.reason;
  EXPECT_TRUE(r.preconditions.empty());
  r = takingTurns(1);
  ASSERT_EQ(r.verdict, ProofResult::Bug) << r.reason;
  // The trace counts as the loops do: tile 1 is the first of the second consumer.
  for (const Step &step : r.trace)
    if (step.task >= 0 && !step.iteration.empty())
      EXPECT_LT(step.iteration[0], 2);
}

namespace {
/// A ring of two slots whose producer, when all is sent, waits until the last `more`
/// slots are given back: a loop that starts where the sending ended, at N.
ProofResult drained(int more) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId n = b.arg("N", 0);
  int full = b.barriers("full", 2), empty = b.barriers("empty", 2), data = b.buffer("data", 2);
  Block inits;
  for (int slot = 0; slot < 2; ++slot) {
    inits.push_back(b.init(full, slot, 1));
    inits.push_back(b.init(empty, slot, 1));
  }
  b.root(std::move(inits));
  auto slot = [&](VarId k) { return e.rem(b.v(k), 2); };
  auto parity = [&](VarId k) { return e.rem(e.div(b.v(k), 2), 2); };
  auto other = [&](VarId k) { return e.rem(e.add(e.div(b.v(k), 2), b.c(1)), 2); };
  VarId sent = b.p.addVar("sent"), read = b.p.addVar("read"), last = b.p.addVar("last");
  b.task("producer",
         {b.loop(sent, b.c(0), n,
                 {b.wait(empty, slot(sent), other(sent)), b.expect(full, slot(sent), 64),
                  b.load(data, slot(sent), full, slot(sent), 64)}),
          b.loop(last, n, e.add(n, b.c(more)), {b.wait(empty, slot(last), other(last))})},
         1);
  b.task("consumer", {b.loop(read, b.c(0), n,
                             {b.wait(full, slot(read), parity(read)), b.read(data, slot(read)),
                              b.arrive(empty, slot(read))})});
  return prove(b.p, {});
}
} // namespace

TEST(Loops, ACounterThatStartsAtAnArgumentIsKnownModuloItsUses) {
  EXPECT_EQ(drained(2).verdict, ProofResult::Proved) << drained(2).reason;
  ProofResult r = drained(3); // the third slot back is one that nobody has sent
  ASSERT_EQ(r.verdict, ProofResult::Bug) << r.reason;
  EXPECT_EQ(r.violation.cls, BugClass::Deadlock);
}

namespace {
/// Tiles of N steps each through a ring of five, whose slots go on from tile to tile; after its
/// tile the consumer waits for the slot that is `back` steps before the next tile's first.
ProofResult endOfTile(int64_t back) {
  Ring b(5);
  Exprs &e = b.e;
  ExprId tiles = b.arg("T", 0), n = b.arg("steps", 1);
  VarId sent = b.p.addVar("sent"), taken = b.p.addVar("taken");
  auto tile = [&](VarId before, const std::function<Block(ExprId)> &step) {
    VarId k = b.p.addVar("k");
    return b.loop(k, b.c(0), n, step(e.add(b.v(before), b.v(k))));
  };
  auto allTiles = [&](VarId before, Block body) {
    return b.loop(b.p.addVar("tile"), b.c(0), tiles, std::move(body),
                  {{before, b.c(0), e.add(b.v(before), n)}});
  };
  b.task("producer", {allTiles(sent, {tile(sent, [&](ExprId k) { return b.put(k); })})}, 1);
  ExprId last = e.sub(e.add(b.v(taken), n), b.c(back));
  Block body{tile(taken, [&](ExprId k) { return b.take(k); }),
             b.wait(b.empty, b.slotOf(last), b.phase(last))};
  b.task("consumer", {allTiles(taken, std::move(body))});
  return b.prove();
}
} // namespace

TEST(Loops, SlotsBeforeACountersEndAreKnownByItsResidue) {
  ProofResult r = endOfTile(1);
  EXPECT_EQ(r.verdict, ProofResult::Proved) << r.reason;
  r = endOfTile(0); // the next tile's first slot, which the consumer has not released yet
  ASSERT_EQ(r.verdict, ProofResult::Bug) << r.reason;
  EXPECT_EQ(r.violation.cls, BugClass::Deadlock);
}

namespace {
/// In every tile one task arrives in iteration 4 of a loop of N, another waits for it
/// when N is at least `least`; then the first waits for the second.
ProofResult comparedInAndOutside(int64_t least) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId n = b.arg("N", 0), tiles = b.arg("T", 0);
  int there = b.barriers("there", 1), back = b.barriers("back", 1), go = b.barriers("go", 1);
  b.root({b.init(there, 0, 1), b.init(back, 0, 1), b.init(go, 0, 1)});
  VarId mine = b.p.addVar("mine"), other = b.p.addVar("other"), k = b.p.addVar("k");
  auto parity = [&](VarId tile) { return e.rem(b.v(tile), 2); };
  Stmt steps = b.loop(k, b.c(0), n, {b.arrive(there, b.c(0), 1, e.eq(b.v(k), b.c(4)))});
  b.task("worker",
         {b.loop(mine, b.c(0), tiles,
                 {b.arrive(go, b.c(0)), std::move(steps), b.wait(back, b.c(0), parity(mine))})},
         1);
  Stmt looks = ifStmt(e.le(b.c(least), n), {b.wait(there, b.c(0), parity(other))});
  b.task("waiter",
         {b.loop(other, b.c(0), tiles,
                 {b.wait(go, b.c(0), parity(other)), std::move(looks), b.arrive(back, b.c(0))})},
         1);
  ProverOptions options;
  options.timeoutSeconds = 120;
  return prove(b.p, options);
}
} // namespace

TEST(Loops, ASizeIsTheSameInATileAndOutsideOfIt) {
  EXPECT_EQ(comparedInAndOutside(5).verdict, ProofResult::Proved)
      << comparedInAndOutside(5).violation.message;
  EXPECT_EQ(comparedInAndOutside(4).verdict, ProofResult::Bug); // with N = 4 nobody arrives
}

namespace {
/// Two tasks meet as often as each tile says; one looks whether it is `least` times or more, meets
/// the other and goes on with a loop over the rest.
ProofResult metInAndOutside(int64_t least) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId tiles = b.arg("T", 0);
  int named = b.named();
  b.root({});
  auto meet = [&] {
    return b.event("bar", {b.effect(tlx::sync::Kind::NamedBarrierSync, named, b.c(9), b.c(256))});
  };
  auto task = [&](const char *name, bool looks) {
    VarId tile = b.p.addVar("tile"), k = b.p.addVar("k");
    ExprId times = e.opaque(Function::Load, b.v(tile));
    Block body;
    if (looks)
      body.push_back(ifStmt(e.le(b.c(least), times), {meet()}));
    body.push_back(b.loop(k, b.c(looks), times, {meet()}));
    b.task(name, {b.loop(tile, b.c(0), tiles, std::move(body))});
  };
  task("looks", true);
  task("counts", false);
  return prove(b.p, {});
}
} // namespace

TEST(Loops, ALoadedSizeIsTheSameInALoopAndOutsideOfIt) {
  EXPECT_EQ(metInAndOutside(1).verdict, ProofResult::Proved) << metInAndOutside(1).reason;
  ProofResult r = metInAndOutside(2); // a tile of one is waited for
  ASSERT_EQ(r.verdict, ProofResult::Bug) << r.reason;
  EXPECT_EQ(r.violation.cls, BugClass::Deadlock);
}

namespace {
/// One task arrives when there is an iteration, others of which a loop runs perhaps; another
/// waits for it.
ProofResult peeled(bool hasRest) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId n = b.arg("N", 0);
  int first = b.barriers("first", 1), data = b.buffer("data", 2);
  b.root({b.init(first, 0, 1)});
  VarId k = b.p.addVar("k");
  Block sends{ifStmt(e.lt(b.c(0), n), {b.arrive(first, b.c(0))})};
  if (hasRest)
    sends.push_back(b.loop(k, b.c(1), n, {b.write(data, e.rem(b.v(k), 2))}));
  b.task("sends", std::move(sends));
  b.task("waits", {b.wait(first, b.c(0), b.c(0))});
  return prove(b.p, {});
}
} // namespace

TEST(Loops, AFirstIterationInFrontOfItsLoopIsOneOfIt) {
  ProofResult r = peeled(true);
  EXPECT_EQ(r.verdict, ProofResult::Proved) << r.violation.message;
  ASSERT_EQ(r.preconditions.size(), 1u);
  EXPECT_EQ(r.preconditions[0].text, "N >= 1");
  r = peeled(false); // no loop is empty then
  ASSERT_EQ(r.verdict, ProofResult::Bug) << r.reason;
  EXPECT_EQ(r.violation.cls, BugClass::Deadlock);
}

TEST(Loops, WhatNoEventDependsOnIsLeftOut) {
  Builder b;
  Exprs &e = b.p.exprs;
  int data = b.buffer("data", 2);
  VarId sum = b.p.addVar("sum"), used = b.p.addVar("used");
  auto counting = [&](VarId into) {
    VarId k = b.p.addVar("k");
    Stmt loop = b.loop(k, b.c(0), b.arg("N"), {}, {{into, b.c(0), e.add(b.v(into), b.c(1))}});
    return loop;
  };
  Block body{counting(sum), counting(used), b.read(data, e.rem(b.v(used), 2)),
             ifStmt(e.lt(b.arg("M"), b.c(3)), {assignStmt({{sum, b.c(1)}})})};
  b.task("default", std::move(body), 4, -1);
  prune(b.p);
  const Block &left = b.p.tasks[0].body;
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].kind, Stmt::LoopStmt);
  ASSERT_EQ(left[0].nexts.size(), 2u); // what it counts with, and what is read
  EXPECT_EQ(left[0].nexts[1].var, used);
  EXPECT_EQ(left[1].kind, Stmt::EventStmt);
}
