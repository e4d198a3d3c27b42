// Warps of one task, lanes of one warp: what a part of the threads does is not done
// by all of them.

#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
/// One warp stores a row and hands it over; one lane arrives, or all do.
ProofResult rowHandOver(bool oneLane) {
  Builder b;
  int full = b.barriers("full", 1), row = b.buffer("row", 1);
  b.root({b.init(full, 0, 32)});
  Stmt arrive = b.arrive(full, b.c(0), oneLane ? 32 : 1);
  Effect &effect = b.p.events.back().effects[0];
  effect.taskBarrierBefore = false;
  effect.threads = oneLane ? tlx::sync::Threads::Elected : tlx::sync::Threads::PerThread;
  b.task("writer", {b.write(row, b.c(0)), arrive}, 1);
  b.p.tasks.back().lanesApart = oneLane;
  b.task("reader", {b.wait(full, b.c(0), b.c(0)), b.read(row, b.c(0))});
  return prove(b.p, {});
}

/// A task reads all columns of a tile and writes some of them.
ProofResult tileRewritten(int warps, bool sameColumns, bool barrier) {
  Builder b;
  int tile = b.buffer("tile", 1, tlx::sync::Space::Tensor);
  b.p.buffers[tile].lanes = 128;
  Block body{b.read(tile, b.c(0))};
  if (barrier)
    body.push_back(b.simple(tlx::sync::Kind::TaskBarrier, "barrier"));
  body.push_back(b.write(tile, b.c(0)));
  if (!sameColumns)
    b.p.events.back().effects[0].target.parts = {{0, 32, 0, 128}};
  b.task("softmax", std::move(body), warps, -1);
  return prove(b.p, {});
}
} // namespace

TEST(Lanes, OneLaneDoesNotReleaseWhatTheOthersStored) {
  EXPECT_EQ(rowHandOver(false).verdict, ProofResult::Proved);
  ProofResult r = rowHandOver(true);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Race);
}

TEST(Lanes, WarpsThatShareLanesMeetBeforeColumnsChangeHands) {
  EXPECT_EQ(tileRewritten(8, true, false).verdict, ProofResult::Proved);
  EXPECT_EQ(tileRewritten(4, false, false).verdict, ProofResult::Proved);
  EXPECT_EQ(tileRewritten(8, false, true).verdict, ProofResult::Proved);
  ProofResult r = tileRewritten(8, false, false);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Race);
}

TEST(Lanes, APartOfAWarpDoesNotMeetAtABarrier) {
  for (bool diverged : {false, true}) {
    Builder b;
    int named = b.named();
    Stmt sync =
        b.event("bar", {b.effect(tlx::sync::Kind::NamedBarrierSync, named, b.c(1), b.c(32))});
    b.p.events.back().effects[0].diverged = diverged;
    b.task("default", {sync}, 1, -1);
    ProofResult r = prove(b.p, {});
    ASSERT_EQ(r.verdict, diverged ? ProofResult::Bug : ProofResult::Proved);
    if (diverged)
      EXPECT_EQ(r.violation.cls, BugClass::NamedBarrier);
  }
}
