// Lengths, slots and phases in the ways that people spell them: a producer loads N tiles, a
// consumer takes them by halves, quarters, quotients and remainders. Each has a wrong twin.

#include "tests/verify/Rings.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

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
    ExprId slots = r.c(r.slots);
    r.task("producer",
           {r.loop(a, r.c(0), r.e.binary(Op::Min, r.N, slots), r.put(r.v(a))),
            r.loop(b, r.c(r.slots + late), r.N, r.put(r.v(b)))},
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

TEST(Arithmetic, RemaindersOfWhatCancelsAreNotChosen) {
  // (A + 1) * 9 - 3 - ((A + 1) * 9 - 9) is 6, whatever A: slot 0 of 3, and no other.
  auto judged = [](int64_t first) {
    Ring r;
    ExprId blocks = r.op(Op::Mul, r.e.add(r.A, r.c(1)), 9);
    ExprId slot = r.e.binary(Op::Sub, r.op(Op::Sub, blocks, first), r.op(Op::Sub, blocks, 9));
    r.producer(r.c(1));
    slot = r.slotOf(slot);
    return r.judge({r.wait(r.full, slot, r.c(0)), r.read(r.data, r.c(0)), r.arrive(r.empty, slot)});
  };
  EXPECT_EQ(judged(3), ProofResult::Proved);
  EXPECT_EQ(judged(4), ProofResult::Bug); // slot 2, which nobody fills
}

TEST(Arithmetic, SlotsCountedFromTheOtherEnd) {
  auto reversed = [](int64_t first) { // for t in range(N - 1, -1, -1): u = N - 1 - t
    Ring r;
    VarId k = r.p.addVar("k");
    ExprId last = r.e.sub(r.N, r.c(1));
    ExprId t = r.e.sub(r.e.sub(last, r.v(k)), r.c(1)), u = r.e.sub(r.e.sub(r.N, r.c(first)), t);
    r.task("producer", {r.loop(k, r.c(-1), last, r.put(u))}, 1);
    return r.judge({r.over(r.c(0), r.N)});
  };
  EXPECT_EQ(reversed(1), Right);
  EXPECT_EQ(reversed(0), Wrong); // begins with slot 1
}

TEST(Arithmetic, SlotsByShiftsDifferencesAndNegation) {
  auto spelled = [](int spelling, int64_t wrong) {
    Ring r(4);
    r.producer(r.N);
    VarId k = r.p.addVar("k");
    ExprId t = r.v(k), quarter = r.op(Op::Shr, t, 2), slot = r.slotOf(t), parity = r.phase(t);
    if (spelling == 0)
      slot = r.e.sub(t, r.op(Op::Shl, quarter, 2));
    else if (spelling == 1)
      slot = r.op(Op::Xor, r.op(Op::And, r.e.sub(r.e.sub(r.c(0), t), r.c(1)), 3), 3);
    else if (spelling == 2)
      slot = r.e.sub(t, r.op(Op::And, t, -4));
    else if (spelling == 3) // ~t & 3
      slot = r.op(Op::Xor, r.op(Op::And, r.op(Op::Xor, t, -1), 3), 3);
    else if (spelling == 4)
      parity = r.op(Op::And, r.e.div(r.e.sub(t, slot), 4), 1);
    else
      parity = r.e.sub(r.e.div(t, 4), r.op(Op::Mul, r.e.div(t, 8), 2));
    slot = wrong == 1 ? r.slotOf(r.e.add(slot, r.c(1))) : slot;
    parity = wrong == 2 ? r.op(Op::Xor, parity, 1) : parity;
    return r.judge({r.loop(k, r.c(0), r.N, r.takeAt(slot, parity))});
  };
  for (int spelling : {0, 1, 2, 3, 4, 5}) {
    EXPECT_EQ(spelled(spelling, 0), Right) << spelling;
    EXPECT_EQ(spelled(spelling, 1), Wrong) << spelling;
    EXPECT_EQ(spelled(spelling, 2), Wrong) << spelling;
  }
}

TEST(Arithmetic, BlocksOfWhatIsAssumedToBeAMultiple) {
  auto pairs = [](int64_t multiple, int64_t block) {
    Ring r(4);
    Symbol &A = r.p.exprs.symbols[r.e[r.A].value];
    A.divisor = A.assumedDivisor = multiple;
    VarId u = r.p.addVar("u");
    Block two;
    for (int h : {0, 1})
      for (Stmt &stmt : r.put(r.e.add(r.op(Op::Mul, r.v(u), 2), r.c(h))))
        two.push_back(std::move(stmt));
    r.task("producer", {r.loop(u, r.c(0), r.e.div(r.A, 128), std::move(two))}, 1);
    return r.judge({r.over(r.c(0), r.e.div(r.e.add(r.A, r.c(block - 1)), block))});
  };
  EXPECT_EQ(pairs(128, 64), Right);
  EXPECT_EQ(pairs(128, 32), Wrong);
  EXPECT_EQ(pairs(64, 64), Wrong); // half a pair is not loaded
  EXPECT_EQ(pairs(1, 64), Wrong);
}

TEST(Arithmetic, BlocksCountedFromTheLast) {
  auto counted = [](int64_t more) { // (A - 1) / 64 + 1: one, not none, where A is 0
    Ring r;
    r.producer(r.e.div(r.e.add(r.A, r.c(63)), 64));
    ExprId blocks = r.e.add(r.e.div(r.e.sub(r.A, r.c(1)), 64), r.c(1 + more));
    return r.judge({r.over(r.c(0), blocks)});
  };
  EXPECT_EQ(counted(0), Right); // provided that A >= 1
  EXPECT_EQ(counted(1), Wrong);
}

/// Expressions, made with their values at some points beside them.
TEST(Arithmetic, ShorterSumsAreTheSameNumbers) {
  constexpr int64_t Points[][2] = {{0, 0}, {7, 3}, {-1, 5}, {13, -6}, {-8, -9}, {100, 31}};
  Builder b;
  Exprs &e = b.p.exprs;
  std::vector<ExprId> made{b.arg("x"), b.arg("y"), b.c(1), b.c(-3)};
  auto valueAt = [&](ExprId id, const int64_t (&point)[2], auto &&self) -> int64_t {
    const ExprNode node = e[id];
    if (node.op == Op::Const)
      return node.value;
    if (node.op == Op::Sym)
      return point[node.value];
    int64_t value = 0;
    foldBinary(node.op, self(node.a, point, self), self(node.b, point, self), value);
    return value;
  };
  uint32_t seed = 1;
  auto random = [&](uint32_t below) {
    return (seed = seed * 1664525 + 1013904223) / 65536 % below;
  };
  constexpr Op Binary[] = {Op::Add, Op::Sub, Op::Sub, Op::Add};
  constexpr std::pair<Op, int64_t> ByNumber[] = {{Op::Shr, 2}, {Op::Shl, 2},  {Op::Mul, 3},
                                                 {Op::Div, 3}, {Op::Div, 6},  {Op::And, -4},
                                                 {Op::Rem, 3}, {Op::Mul, -2}, {Op::Shr, 1}};
  for (int i = 0; i < 4000; ++i) {
    size_t kept = 4 + random(24); // deep ones and shallow ones
    ExprId x = made[random(std::min(kept, made.size()))];
    bool two = random(2);
    Op op = Binary[random(4)];
    ExprId y = made[random(std::min(kept, made.size()))];
    if (!two)
      std::tie(op, y) = [&] {
        auto [o, n] = ByNumber[random(std::size(ByNumber))];
        return std::pair(o, b.c(n));
      }();
    ExprId result = e.binary(op, x, y);
    for (const auto &point : Points) {
      int64_t expected = 0;
      foldBinary(op, valueAt(x, point, valueAt), valueAt(y, point, valueAt), expected);
      ASSERT_EQ(valueAt(result, point, valueAt), expected)
          << e.print(x) << " with " << e.print(y) << " is " << e.print(result);
    }
    if (made.size() < 28)
      made.push_back(result);
    else
      made[4 + random(24)] = result;
  }
}

namespace {
/// A task fills a buffer's slots in turn, from slot `N >= 1` on, and starts over at `wraps`.
ProofResult::Verdict startsOver(int64_t wraps) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId n = b.arg("N", 0);
  int data = b.buffer("data", 3);
  VarId k = b.p.addVar("k"), slot = b.p.addVar("slot");
  ExprId next = e.add(b.v(slot), b.c(1));
  ExprId inTurn = e.select(e.binary(Op::Le, b.c(wraps), next), b.c(0), next);
  b.root({b.loop(k, b.c(0), n, {b.write(data, b.v(slot))}, {{slot, e.lt(b.c(0), n), inTurn}})});
  return prove(b.p, {}).verdict;
}
} // namespace

TEST(Arithmetic, ACounterThatStartsAtAConditionIsComparedByItsValue) {
  EXPECT_EQ(startsOver(3), ProofResult::Proved);
  EXPECT_EQ(startsOver(4), ProofResult::Bug); // slot 3 of three
}
