// Trip counts and conditions: what a loop that may run zero times means for what
// stands behind it.

#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"

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
    pid = p.exprs.symbol(symbol);
  }
  ProofResult prove(ExprId trips) {
    int done = barriers("done", 1);
    root({init(done, 0, 1)});
    VarId k = p.addVar("k");
    task("worker", {loop(k, c(0), trips, {arrive(done, c(0), 1, p.exprs.eq(v(k), c(0)))})});
    task("waiter", {wait(done, c(0), c(0))});
    return tlx::verify::prove(p, {});
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

TEST(Loops, ATaskMayInvalidateWhatItsOwnWarpsWaitedFor) {
  EXPECT_EQ(invalidated(false).verdict, ProofResult::Proved);
  ProofResult r = invalidated(true);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::BarrierLifetime);
}
