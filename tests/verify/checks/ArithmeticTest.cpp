// Lengths, slots and phases in the ways that people spell them: a producer loads N tiles, a
// consumer takes them by halves, quarters, quotients and remainders. Each has a wrong twin.

#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"
#include "verify/model/Pace.h"
#include "verify/model/Split.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
struct Ring : Builder {
  static constexpr int Slots = 3;
  int full = barriers("full", Slots), empty = barriers("empty", Slots);
  int data = buffer("data", Slots);
  Exprs &e = p.exprs;
  ExprId N = arg("N", 0), A = arg("A", 0);

  Ring() {
    Block inits;
    for (int s = 0; s < Slots; ++s)
      inits.insert(inits.end(), {init(full, s, 1), init(empty, s, 1)});
    root(std::move(inits));
  }
  ExprId op(Op o, ExprId a, int64_t b) { return e.binary(o, a, c(b)); }
  ExprId phase(ExprId k) { return op(Op::And, e.div(k, Slots), 1); }
  Block put(ExprId k) {
    ExprId slot = e.rem(k, Slots);
    return {wait(empty, slot, op(Op::Xor, phase(k), 1)), expect(full, slot, 64),
            load(data, slot, full, slot, 64)};
  }
  Block take(ExprId k) {
    ExprId slot = e.rem(k, Slots);
    return {wait(full, slot, phase(k)), read(data, slot), arrive(empty, slot)};
  }
  /// `for k in range(from, to, step)` over `times` tiles each, from `scale` k on.
  Stmt over(ExprId from, ExprId to, int64_t step = 1, int times = 1, int64_t scale = 1) {
    VarId k = p.addVar("k");
    Block body;
    for (int i = 0; i < times; ++i)
      for (Stmt &stmt : take(e.add(op(Op::Mul, v(k), scale), c(i))))
        body.push_back(std::move(stmt));
    return loop(k, from, to, std::move(body), {}, step);
  }
  void producer(ExprId trips) {
    VarId k = p.addVar("k");
    task("producer", {loop(k, c(0), trips, put(v(k)))}, 1);
  }
  ProofResult::Verdict judge(Block consumer) {
    task("consumer", std::move(consumer));
    splitLoops(p);
    setPaces(p);
    ProverOptions options;
    options.timeoutSeconds = 20;
    return prove(p, options).verdict;
  }
};

constexpr auto Right = ProofResult::Proved, Wrong = ProofResult::Bug;
} // namespace

TEST(Arithmetic, HalvesByShifts) {
  auto pairs = [](int64_t more) {
    Ring r;
    r.producer(r.N);
    VarId k = r.p.addVar("k");
    ExprId second = r.e.add(r.op(Op::Mul, r.v(k), 2), r.c(1));
    Block body = r.take(r.op(Op::Mul, r.v(k), 2));
    body.push_back(ifStmt(r.e.lt(second, r.N), r.take(second)));
    return r.judge({r.loop(k, r.c(0), r.op(Op::Shr, r.e.add(r.N, r.c(more)), 1), body)});
  };
  EXPECT_EQ(pairs(1), Right);
  EXPECT_EQ(pairs(0), Wrong); // the last of an odd count is left
}

TEST(Arithmetic, AnEvenPartAndTheRest) {
  auto parts = [](int spelling, int64_t forgotten) {
    Ring r;
    r.producer(r.N);
    ExprId even = spelling == 0   ? r.e.sub(r.N, r.e.rem(r.N, 2))
                  : spelling == 1 ? r.op(Op::Mul, r.e.div(r.N, 2), 2)
                                  : r.op(Op::And, r.N, -2);
    return r.judge({r.over(r.c(0), even, 2, 2), r.over(r.e.add(even, r.c(forgotten)), r.N)});
  };
  for (int spelling : {0, 1, 2}) {
    EXPECT_EQ(parts(spelling, 0), Right) << spelling;
    EXPECT_EQ(parts(spelling, 1), Wrong) << spelling;
  }
}

TEST(Arithmetic, UnrolledWithARest) {
  auto unrolled = [](int times, int64_t more) {
    Ring r;
    r.producer(r.N);
    ExprId blocks = r.e.div(r.N, times);
    ExprId rest = r.e.add(r.op(Op::Mul, blocks, times), r.c(more));
    return r.judge({r.over(r.c(0), blocks, 1, times, times), r.over(rest, r.N)});
  };
  EXPECT_EQ(unrolled(2, 0), Right);
  EXPECT_EQ(unrolled(4, 0), Right);
  EXPECT_EQ(unrolled(4, 1), Wrong);
}

TEST(Arithmetic, BlocksRoundedUpByAComparison) {
  auto blocks = [](bool last) {
    Ring r;
    r.producer(r.e.div(r.e.add(r.A, r.c(63)), 64));
    ExprId whole = r.e.div(r.A, 64), any = r.e.logicalNot(r.e.eq(r.e.rem(r.A, 64), r.c(0)));
    return r.judge({r.over(r.c(0), last ? r.e.add(whole, any) : whole)});
  };
  EXPECT_EQ(blocks(true), Right);
  EXPECT_EQ(blocks(false), Wrong);
}

TEST(Arithmetic, PaddedToPairs) {
  auto padded = [](int64_t more) {
    Ring r;
    r.producer(r.op(Op::Mul, r.e.div(r.e.add(r.N, r.c(more)), 2), 2));
    return r.judge({r.over(r.c(0), r.e.div(r.e.add(r.N, r.c(1)), 2), 1, 2, 2)});
  };
  EXPECT_EQ(padded(1), Right);
  EXPECT_EQ(padded(0), Wrong);
}

TEST(Arithmetic, CutAtSomePoint) {
  auto cut = [](int where, int64_t more) {
    Ring r;
    r.producer(r.N);
    ExprId at = where == 0   ? r.e.binary(Op::Min, r.A, r.N)
                : where == 1 ? r.e.div(r.N, 3)
                : where == 2 ? r.op(Op::Max, r.e.sub(r.N, r.A), 0)
                             : r.e.div(r.e.add(r.N, r.c(1)), 2);
    ExprId end = where == 3 ? r.e.add(at, r.e.div(r.N, 2)) : r.N;
    return r.judge({r.over(r.c(0), at), r.over(at, r.e.add(end, r.c(more)))});
  };
  for (int where : {0, 1, 2, 3}) {
    EXPECT_EQ(cut(where, 0), Right) << where;
    EXPECT_EQ(cut(where, 1), Wrong) << where; // waits for a tile that never comes
  }
}

TEST(Arithmetic, APrologueOfAtMostTheRing) {
  auto prologue = [](int64_t late) {
    Ring r;
    VarId a = r.p.addVar("k"), b = r.p.addVar("k");
    ExprId slots = r.c(Ring::Slots);
    r.task("producer",
           {r.loop(a, r.c(0), r.e.binary(Op::Min, r.N, slots), r.put(r.v(a))),
            r.loop(b, r.c(Ring::Slots + late), r.N, r.put(r.v(b)))},
           1);
    return r.judge({r.over(r.c(0), r.N)});
  };
  EXPECT_EQ(prologue(0), Right);
  EXPECT_EQ(prologue(1), Wrong);
}

TEST(Arithmetic, StepsOfTheGridCounted) {
  auto counted = [](int64_t less) {
    Ring r;
    ExprId P = r.arg("P", 1), pid = r.arg("pid", 0);
    ExprId last = r.e.sub(r.e.add(r.e.sub(r.N, pid), P), r.c(1));
    ExprId trips = r.e.binary(Op::Div, last, P);
    VarId i = r.p.addVar("i");
    ExprId tile = r.e.add(pid, r.e.binary(Op::Mul, r.v(i), P));
    ExprId k = r.e.binary(Op::Div, r.e.sub(tile, pid), P);
    r.task("producer", {r.loop(i, r.c(0), trips, r.put(k))}, 1);
    return r.judge({r.over(r.c(0), r.e.sub(trips, r.c(less)))});
  };
  EXPECT_EQ(counted(0), Right);
  EXPECT_EQ(counted(1), Wrong);
}

TEST(Arithmetic, EitherOfTwoLoops) {
  auto either = [](int64_t less) {
    Ring r;
    r.producer(r.N);
    return r.judge({ifStmt(r.e.lt(r.c(0), r.A), {r.over(r.c(0), r.N)},
                           {r.over(r.c(0), r.e.sub(r.N, r.c(less)))})});
  };
  EXPECT_EQ(either(0), Right);
  EXPECT_EQ(either(1), Wrong);
}

TEST(ArithmeticTest, RemaindersOfWhatCancelsAreNotChosen) {
  // (A + 1) * 9 - 3 - ((A + 1) * 9 - 9) is 6, whatever A: slot 0 of 3, and no other.
  auto judged = [](int64_t first) {
    Ring r;
    ExprId blocks = r.op(Op::Mul, r.e.add(r.A, r.c(1)), 9);
    ExprId slot = r.e.binary(Op::Sub, r.op(Op::Sub, blocks, first), r.op(Op::Sub, blocks, 9));
    r.producer(r.c(1));
    slot = r.e.rem(slot, Ring::Slots);
    return r.judge({r.wait(r.full, slot, r.c(0)), r.read(r.data, r.c(0)), r.arrive(r.empty, slot)});
  };
  EXPECT_EQ(judged(3), ProofResult::Proved);
  EXPECT_EQ(judged(4), ProofResult::Bug); // slot 2, which nobody fills
}
