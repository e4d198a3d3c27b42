// Loops of which one runs a fraction of the other's iterations.

#include "tests/verify/Rings.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
/// Tiles from `pid` on in steps of P are loaded; two tasks take every second, in steps of 2 P.
ProofResult turns(bool secondStartsLater) {
  Ring b(4);
  Exprs &e = b.e;
  ExprId tiles = b.arg("M", 0), P = b.arg("P", 1), pid = b.arg("pid", 0);
  auto trips = [&](ExprId from, ExprId step) {
    ExprId last = e.sub(e.add(e.sub(tiles, from), step), b.c(1));
    return e.binary(Op::Div, last, step);
  };
  ExprId twice = e.binary(Op::Mul, P, b.c(2));
  b.producer(trips(pid, P));
  b.sharer("first", 0, 2, trips(pid, twice));
  b.sharer("second", 1, 2, trips(secondStartsLater ? e.add(pid, P) : pid, twice));
  return b.prove(false);
}

/// One consumer for even numbers, one for odd ones, whose lengths are given.
ProofResult halves(int64_t roundUp) {
  Ring b(4);
  ExprId n = b.arg("N", 0);
  b.producer(n);
  b.sharer("even", 0, 2, b.e.div(b.e.add(n, b.c(roundUp)), 2));
  b.sharer("odd", 1, 2, b.e.div(n, 2));
  return b.prove(false);
}
} // namespace

TEST(Quotients, StepsOfOneAndOfTwoTimesTheProgramsAreOneCount) {
  EXPECT_EQ(turns(true).verdict, ProofResult::Proved);
  // With an odd count of tiles the second task waits for one that nobody loads.
  ProofResult r = turns(false);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Deadlock);
}

TEST(Quotients, HalvesOfALengthAreItsEvenAndOddNumbers) {
  EXPECT_EQ(halves(1).verdict, ProofResult::Proved);
  ProofResult r = halves(0); // the last of an odd count stays in flight
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Exit);
}

TEST(Quotients, StepsOfABlockAreTheBlocksOfASizeOfAnySign) {
  auto judged = [](int64_t step) {
    Ring b;
    ExprId n = b.arg("n"); // a length that is loaded
    b.producer(b.e.div(b.e.add(n, b.c(63)), 64));
    VarId position = b.p.addVar("position"), k = b.p.addVar("k");
    return b.judge({b.loop(position, b.c(0), n, b.take(b.v(k)),
                           {{k, b.c(0), b.e.add(b.v(k), b.c(1))}}, step)});
  };
  EXPECT_EQ(judged(64), Right);
  EXPECT_EQ(judged(32), Wrong);

  Builder b;
  Linears linears(b.p);
  LinId x = linears.of(b.arg("x")), k = linears.termForm({LinTerm::Ord, 1, 0, {}});
  int changed = 0;
  for (int64_t c = -5; c < 6; ++c) {
    linears.quotient(linears.add(x, linears.intern({3 + (c + 8) % 4, {}})), 4);
    LinId form = linears.add(linears.add(x, k, -4), linears.intern({c, {}}));
    LinId blocks = linears.withoutQuotient(form);
    changed += form != blocks;
    for (int64_t value = -20; value < 20; ++value)
      for (int64_t trip = 0; trip < 4; ++trip) {
        Linears::Numbers numbers{{{0, value}}, {trip}};
        auto isMore = [&](LinId id) { return linears.form(*linears.at(id, numbers)).c >= 1; };
        ASSERT_EQ(isMore(form), isMore(blocks)) << value << ", " << trip << " and " << c;
      }
  }
  EXPECT_EQ(changed, 9); // up to c = 3: a block more may be one of a negative size
}

TEST(Quotients, AComparisonWithoutItsQuotientIsTheSame) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId x = b.arg("x", 0), y = b.arg("y", 0);
  Linears linears(b.p);
  int changed = 0;
  for (int64_t by : {2, 3, 8})
    for (int64_t sign : {-1, 1})
      for (int64_t scale : {1, 3})
        for (int64_t add = 0; add < 4; ++add)
          for (int64_t c = -3; c < 4; ++c) {
            ExprId quotient = e.div(e.add(x, b.c(add)), by);
            ExprId sum = e.add(e.sub(e.binary(Op::Mul, quotient, b.c(sign * scale)),
                                     e.binary(Op::Mul, y, b.c(sign * scale))),
                               b.c(c));
            LinId form = linears.of(sum), without = linears.withoutQuotient(form);
            changed += form != without;
            for (int64_t vx = 0; vx < 12; ++vx)
              for (int64_t vy = 0; vy < 6; ++vy) {
                auto valueOf = [&](int64_t symbol) { return std::optional(symbol ? vy : vx); };
                ASSERT_EQ(*linears.evaluate(linears.form(form), valueOf) >= 1,
                          *linears.evaluate(linears.form(without), valueOf) >= 1)
                    << by << " " << sign * scale << " " << add << " " << c << " at " << vx << ", "
                    << vy;
              }
          }
  EXPECT_EQ(changed, 336);
}

TEST(Quotients, NumbersOfAProductAreInFrontOfIt) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId x = b.arg("x", 0), y = b.arg("y", 1);
  Linears linears(b.p);
  auto times = [&](ExprId a, ExprId c) { return e.binary(Op::Mul, a, c); };
  ExprId doubled = times(x, b.c(2)), sixfold = e.add(times(y, b.c(6)), b.c(3));
  EXPECT_EQ(linears.of(times(doubled, y)), linears.of(times(times(x, y), b.c(2))));
  EXPECT_EQ(linears.of(times(doubled, sixfold)),
            linears.of(times(times(x, e.add(times(y, b.c(2)), b.c(1))), b.c(6))));
  EXPECT_EQ(linears.of(e.binary(Op::Div, times(doubled, y), times(y, b.c(2)))), linears.of(x));
}

/// The programs of a pair: (2 y + 1) / (2 P) is y / P, (2 y + 2) / (2 P) is not.
TEST(Quotients, ProgramsOfAPairHaveOneQuotient) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId y = b.arg("y", 0), p = b.arg("p", 1), q = b.arg("q", 1);
  Linears linears(b.p);
  auto times = [&](ExprId a, ExprId c) { return e.binary(Op::Mul, a, c); };
  for (int64_t ctas : {2, 4}) {
    ExprId tiles = times(times(p, b.c(ctas)), q);
    auto share = [&](int64_t rank) {
      return linears.of(e.binary(Op::Div, e.add(times(y, b.c(ctas)), b.c(rank)), tiles));
    };
    for (int64_t rank = 0; rank <= ctas; ++rank) {
      EXPECT_EQ(share(rank) == share(0), rank < ctas) << rank << " of " << ctas;
      for (int64_t vy = 0; vy < 40; ++vy)
        for (int64_t vp = 1; vp < 4; ++vp)
          for (int64_t vq = 1; vq < 4; ++vq) {
            auto valueOf = [&](int64_t symbol) {
              return std::optional(symbol == 0 ? vy : symbol == 1 ? vp : vq);
            };
            ASSERT_EQ(linears.evaluate(linears.form(share(rank)), valueOf),
                      (ctas * vy + rank) / (ctas * vp * vq))
                << rank << " of " << ctas << " at " << vy << ", " << vp << ", " << vq;
          }
    }
  }
}

TEST(Quotients, AQuotientThatALoopRunsOverKeepsItsRemainder) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId x = b.arg("x", 0), y = b.arg("y", 0);
  VarId k = b.p.addVar("k");
  ExprId pairs = e.div(y, 2);
  b.task("default", {b.loop(k, b.c(0), e.binary(Op::Mul, pairs, b.c(2)),
                            {b.simple(tlx::sync::Kind::TaskBarrier, "barrier")})});
  Linears linears(b.p);
  linears.analyse(b.p.tasks[0].body);
  for (int64_t sign : {-1, 1})
    for (int64_t c = -2; c < 3; ++c) {
      ExprId sum = e.add(
          e.sub(e.binary(Op::Mul, e.div(x, 2), b.c(sign)), e.binary(Op::Mul, pairs, b.c(sign))),
          b.c(c));
      LinId form = linears.of(sum), without = linears.withoutQuotient(form);
      for (int64_t vx = 0; vx < 6; ++vx)
        for (int64_t vy = 0; vy < 6; ++vy) {
          auto valueOf = [&](int64_t symbol) { return std::optional(symbol ? vy : vx); };
          ASSERT_EQ(*linears.evaluate(linears.form(form), valueOf) >= 1,
                    *linears.evaluate(linears.form(without), valueOf) >= 1)
              << sign << " " << c << " at " << vx << ", " << vy;
        }
    }
}

TEST(Quotients, AnUnknownDivisorIsMultipliedOutForPeople) {
  Builder b;
  Exprs &e = b.p.exprs;
  ExprId tiles = b.arg("T", 0), id = b.arg("id", 0), n = b.arg("n", 1), any = b.arg("any");
  Linears linears(b.p);
  auto text = [&](ExprId by, int64_t bound) {
    ExprId trips = e.binary(Op::Div, e.sub(e.add(e.sub(tiles, id), by), b.c(1)), by);
    return linears.printAtLeast(linears.form(linears.of(trips)), bound);
  };
  EXPECT_EQ(text(n, 1), "T > id");
  EXPECT_EQ(text(n, 3), "T > 2*n + id");
  // What may be zero or negative stays a divisor.
  EXPECT_EQ(text(any, 3), "(T + any - id - 1) / any >= 3");
  ExprId blocks = e.div(e.add(tiles, b.c(63)), 64);
  EXPECT_EQ(linears.printAtLeast(linears.form(linears.of(blocks)), 3), "T >= 129");
  EXPECT_EQ(linears.quantityOf(linears.form(linears.of(blocks)), 3),
            (std::pair<std::string, int64_t>("T", 129)));
}
