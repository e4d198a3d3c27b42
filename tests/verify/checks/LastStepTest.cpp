// The slot of the last steps, `(N - 1) % S`, behind a loop: a remainder has the sign of what is
// divided, so that it is no slot where there are fewer steps.

#include "tests/verify/Rings.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
/// `for k in range(N - peeled): write slot k % 2`, then slot `(N - back) % 2`, where `N >= least`.
ProofResult lastStep(int64_t peeled, int64_t back, int64_t least, bool masked = false,
                     bool strict = false) {
  Builder b;
  Exprs &e = b.p.exprs;
  int data = b.buffer("data", 2);
  ExprId N = b.arg("N"), step = e.sub(N, b.c(back));
  b.root({});
  VarId k = b.p.addVar("k");
  ExprId slot = masked ? e.binary(Op::And, step, b.c(1)) : e.rem(step, 2);
  b.task("only", {b.loop(k, b.c(0), e.sub(N, b.c(peeled)), {b.write(data, e.rem(b.v(k), 2))}),
                  ifStmt(e.lt(b.c(least - 1), N), {b.write(data, slot)})});
  setPaces(b.p);
  ProverOptions options;
  options.timeoutSeconds = 120;
  options.strict = strict;
  return prove(b.p, options);
}

void expectPrecondition(const ProofResult &r, const char *text) {
  ASSERT_EQ(r.verdict, ProofResult::Proved) << r.reason;
  ASSERT_EQ(r.preconditions.size(), 1u);
  EXPECT_EQ(r.preconditions[0].text, text);
}

void expectBug(const ProofResult &r) {
  ASSERT_EQ(r.verdict, ProofResult::Bug) << r.reason;
  EXPECT_EQ(r.violation.cls, BugClass::OutOfRange);
}
} // namespace

TEST(LastStep, OfNoneIsAPrecondition) {
  expectPrecondition(lastStep(0, 1, -9), "N >= 1");
  expectBug(lastStep(0, 1, -9, false, true)); // --strict
}

TEST(LastStep, ThatIsGuardedNeedsNone) {
  ProofResult r = lastStep(0, 1, 1);
  ASSERT_EQ(r.verdict, ProofResult::Proved) << r.reason;
  EXPECT_TRUE(r.preconditions.empty());
  expectPrecondition(lastStep(0, 1, 0), "N >= 1"); // the guard lets N = 0 in
}

TEST(LastStep, TooFarBackIsAFaultWhereTheLoopRuns) {
  expectBug(lastStep(0, 3, 1)); // N = 2 writes slot -1
  expectBug(lastStep(1, 4, 1)); // N = 3 does, behind a peeled loop
}

TEST(LastStep, BehindAPeeledLoopThatIsEmptyIsAPrecondition) {
  expectPrecondition(lastStep(2, 2, 1), "N >= 2");
}

TEST(LastStep, MasksAreSlotsWhateverTheSign) {
  ProofResult r = lastStep(0, 3, -9, true);
  ASSERT_EQ(r.verdict, ProofResult::Proved) << r.reason;
  EXPECT_TRUE(r.preconditions.empty());
}
