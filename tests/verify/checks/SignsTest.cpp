// What is known of a value before it is asked about: the sign of remainders, and ranges that
// answer a loop's questions in some of its iterations only.

#include "tests/verify/Rings.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
/// One task, and a barrier that nobody arrives at.
struct Alone : Builder {
  Exprs &e = p.exprs;
  int never = barriers("never", 1);

  Alone() { root({init(never, 0, 1)}); }
  Stmt hang() { return wait(never, c(0), c(0)); }
  Stmt hangIf(ExprId cond) { return ifStmt(cond, {hang()}); }
  /// A loop of N iterations in which data decides something, and perhaps a wait without end behind.
  Block loopOf(ExprId N, bool hangs) {
    int data = buffer("data", 2);
    VarId k = p.addVar("k");
    ExprId isSmall = e.lt(e.opaque("load", v(k)), c(5));
    Block all{loop(k, c(0), N, {ifStmt(isSmall, {write(data, c(0))})})};
    if (hangs)
      all.push_back(hang());
    return all;
  }
  ProofResult::Verdict judge(Block body) {
    task("only", std::move(body));
    setPaces(p);
    ProverOptions options;
    options.timeoutSeconds = 120;
    return prove(p, options).verdict;
  }
};
} // namespace

TEST(Signs, ARemainderHasTheSignOfWhatIsDivided) {
  auto everIs = [](int which, int64_t number, int64_t least = INT64_MIN) {
    Alone a;
    ExprId x = a.arg("x", least);
    ExprId values[] = {a.e.rem(x, 3), a.e.rem(a.e.rem(x, 3), 2), a.e.rem(a.e.div(x, 2), 2),
                       a.e.binary(Op::And, x, a.c(3)),
                       a.e.binary(Op::And, a.e.div(a.e.sub(x, a.c(9)), 2), a.c(1))};
    return a.judge({a.hangIf(a.e.eq(values[which], a.c(number)))});
  };
  for (int64_t rest : {-2, -1, 0, 2})
    EXPECT_EQ(everIs(0, rest), Wrong) << rest;
  for (int64_t rest : {-3, 3})
    EXPECT_EQ(everIs(0, rest), Right) << rest;
  EXPECT_EQ(everIs(0, -1, 0), Right);
  EXPECT_EQ(everIs(1, -1), Wrong); // x is -1
  EXPECT_EQ(everIs(1, -2), Right);
  EXPECT_EQ(everIs(2, -1), Wrong); // x is -2
  EXPECT_EQ(everIs(2, -1, 0), Right);
  for (int64_t bits : {0, 1, 2, 3})
    EXPECT_EQ(everIs(3, bits), Wrong) << bits;
  EXPECT_EQ(everIs(3, -1), Right); // masks take the bits
  EXPECT_EQ(everIs(4, 1), Wrong);
  EXPECT_EQ(everIs(4, -1), Right);
}

TEST(Signs, BitsOfNumbersAreNoConditions) {
  auto pair = [](int64_t number) {
    Alone a;
    ExprId x = a.e.binary(Op::And, a.arg("x"), a.c(3));
    return a.judge({ifStmt(a.e.eq(x, a.c(1)), {a.hangIf(a.e.eq(x, a.c(number)))})});
  };
  EXPECT_EQ(pair(1), Wrong);
  EXPECT_EQ(pair(2), Right); // 2 is as true as 1 is, and another number
}

TEST(Signs, OfACarriedCounterToo) {
  auto everIs = [](int64_t number, int64_t least) {
    Alone a;
    ExprId x = a.arg("x", least), N = a.arg("N", 0);
    VarId k = a.p.addVar("k"), count = a.p.addVar("count");
    return a.judge({a.loop(k, a.c(0), N, {a.hangIf(a.e.eq(a.e.rem(a.v(count), 3), a.c(number)))},
                           {{count, x, a.e.add(a.v(count), a.c(2))}})});
  };
  EXPECT_EQ(everIs(2, 0), Wrong);
  EXPECT_EQ(everIs(-2, 0), Right);
  EXPECT_EQ(everIs(-2, -9), Wrong);
}

TEST(Ranges, ALoopOfSomeIterationsAtLeastEnds) {
  auto judged = [](int64_t least, bool hangs) {
    Alone a;
    ExprId N = a.arg("N", least);
    return a.judge(a.loopOf(N, hangs));
  };
  for (int64_t least : {0, 1, 3, 9}) {
    EXPECT_EQ(judged(least, false), Right) << least;
    EXPECT_EQ(judged(least, true), Wrong) << least;
  }
}

TEST(Ranges, OfWhatIsComparedWithTheIteration) {
  auto judged = [](bool hangs) {
    Alone a;
    ExprId N = a.arg("N", 0), x = a.e.binary(Op::And, a.e.opaque("load", a.c(0)), a.c(3));
    VarId k = a.p.addVar("k");
    ExprId late = a.e.le(a.c(3), a.e.sub(a.v(k), x)), never = a.e.lt(a.v(k), a.e.sub(x, a.c(3)));
    return a.judge({a.loop(k, a.c(0), N, {a.hangIf(hangs ? late : never)})});
  };
  EXPECT_EQ(judged(true), Wrong); // from the fourth iteration on, or the seventh
  EXPECT_EQ(judged(false), Right);
}

TEST(Ranges, OfIterationsAlone) {
  auto judged = [](int64_t from) {
    Alone a;
    ExprId N = a.arg("N", 0), x = a.arg("x", 0);
    VarId k = a.p.addVar("k");
    ExprId isSmall = a.e.lt(a.e.opaque("load", a.v(k)), a.c(5));
    int data = a.buffer("data", 2);
    ExprId cond = a.e.lt(a.e.add(a.e.binary(Op::Mul, x, a.c(3)), a.c(from)),
                         a.e.add(a.e.binary(Op::Mul, x, a.c(3)), a.v(k)));
    return a.judge({a.loop(k, a.c(0), a.e.binary(Op::Min, N, a.c(8)),
                           {ifStmt(isSmall, {a.write(data, a.c(0))}), a.hangIf(cond)})});
  };
  EXPECT_EQ(judged(4), Wrong);
  EXPECT_EQ(judged(9), Right);
}

TEST(Ranges, ThatFollowFromSeveralFacts) {
  auto judged = [](int64_t least, bool hangs) {
    Alone a;
    ExprId N = a.arg("N", 0), M = a.arg("M", least);
    a.p.assumptions.push_back({a.e.le(M, N), {}});
    return a.judge(a.loopOf(N, hangs));
  };
  for (int64_t least : {0, 1, 3, 9}) {
    EXPECT_EQ(judged(least, false), Right) << least;
    EXPECT_EQ(judged(least, true), Wrong) << least;
  }
}

TEST(Ranges, OfADecisionBeforeTheLoop) {
  auto judged = [](int64_t least, bool hangs) {
    Alone a;
    ExprId N = a.arg("N", 0), M = a.arg("M", 0);
    a.p.assumptions.push_back({a.e.le(M, N), {}});
    return a.judge({ifStmt(a.e.le(a.c(least), M), a.loopOf(N, hangs))});
  };
  for (int64_t least : {0, 1, 3, 9}) {
    EXPECT_EQ(judged(least, false), Right) << least;
    EXPECT_EQ(judged(least, true), Wrong) << least;
  }
}

TEST(Ranges, OfBoundsThatAreRelated) {
  auto judged = [](int64_t divisor, bool hangs) {
    Alone a;
    ExprId N = a.arg("N", 0);
    int data = a.buffer("data", 2);
    VarId i = a.p.addVar("i"), j = a.p.addVar("j");
    ExprId first = a.e.lt(a.e.opaque("load", a.v(i)), a.c(5)),
           second = a.e.lt(a.e.opaque("load", a.v(j)), a.c(7));
    Block body{a.loop(i, a.c(0), N, {ifStmt(first, {a.write(data, a.c(0))})}),
               a.loop(j, a.c(0), a.e.div(N, divisor), {ifStmt(second, {a.write(data, a.c(1))})})};
    // Which is reached only behind both loops, for sizes that the branch says.
    if (hangs)
      body.push_back(a.hangIf(a.e.le(a.c(6), N)));
    return a.judge(std::move(body));
  };
  for (int64_t divisor : {2, 3}) {
    EXPECT_EQ(judged(divisor, false), Right) << divisor;
    EXPECT_EQ(judged(divisor, true), Wrong) << divisor;
  }
}
