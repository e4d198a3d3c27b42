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

/// Where the warps of a task that issues products meet in each step.
enum class Meet { Never, AtTheEnd, BeforeTheProduct };

/// Four warps wait for a slot, one thread issues the product that frees it.
ProofResult productTask(Meet meet, bool contract) {
  Builder b;
  Exprs &e = b.p.exprs;
  int full = b.barriers("full", 2), empty = b.barriers("empty", 2), data = b.buffer("data", 2);
  if (!contract)
    b.p.lowerings.drop(Lowering::WarpsLeaveTogether);
  b.root({b.init(full, 0, 1), b.init(full, 1, 1), b.init(empty, 0, 1), b.init(empty, 1, 1)});
  ExprId steps = b.arg("K", 0);
  VarId i = b.p.addVar("i"), k = b.p.addVar("k");
  auto phase = [&](VarId v) { return e.binary(Op::And, e.div(e.var(v), 2), b.c(1)); };
  ExprId slot = e.rem(e.var(i), 2);
  b.task("load",
         {b.loop(i, b.c(0), steps,
                 {b.wait(empty, slot, e.binary(Op::Xor, phase(i), b.c(1))),
                  b.expect(full, slot, 64), b.load(data, slot, full, slot, 64)})},
         1);
  slot = e.rem(e.var(k), 2);
  Effect reads = b.effect(tlx::sync::Kind::Read, data, slot);
  Effect frees = b.effect(tlx::sync::Kind::BarrierArrive, empty, slot, b.c(1));
  for (Effect *effect : {&reads, &frees}) {
    effect->moment = tlx::sync::Moment::Completion;
    effect->threads = tlx::sync::Threads::Elected;
    effect->proxy = tlx::sync::Proxy::Async;
  }
  Block body{b.wait(full, slot, phase(k)), b.event("product", {reads, frees})};
  if (meet != Meet::Never)
    body.insert(meet == Meet::AtTheEnd ? body.end() : body.begin() + 1,
                b.simple(tlx::sync::Kind::TaskBarrier, "barrier"));
  b.task("products", {b.loop(k, b.c(0), steps, std::move(body))});
  return prove(b.p, {});
}

/// A tile is stored in bulk in each step, by one thread that waits for it.
ProofResult stagedTile(bool contract, bool barrier) {
  Builder b;
  int tile = b.buffer("tile", 1);
  if (!contract)
    b.p.lowerings.drop(Lowering::TaskBarrierAfterStoreWait);
  VarId t = b.p.addVar("t");
  Block body{b.write(tile, b.c(0)),
             b.simple(tlx::sync::Kind::ProxyFence, "fence"),
             b.simple(tlx::sync::Kind::TaskBarrier, "barrier"),
             b.async(tlx::sync::Kind::Read, tile, b.c(0), tlx::sync::Group::BulkStore),
             b.group(tlx::sync::Kind::GroupCommit, tlx::sync::Group::BulkStore),
             b.group(tlx::sync::Kind::GroupWait, tlx::sync::Group::BulkStore)};
  if (barrier)
    body.push_back(b.simple(tlx::sync::Kind::TaskBarrier, "barrier"));
  b.task("default", {b.loop(t, b.c(0), b.arg("tiles", 0), std::move(body))}, 4, -1);
  return prove(b.p, {});
}
} // namespace

TEST(Lanes, WarpsThatNothingHoldsTogetherMissAPhase) {
  EXPECT_EQ(productTask(Meet::BeforeTheProduct, false).verdict, ProofResult::Proved);
  for (Meet meet : {Meet::Never, Meet::AtTheEnd}) {
    ProofResult r = productTask(meet, false);
    ASSERT_EQ(r.verdict, ProofResult::Bug);
    EXPECT_EQ(r.violation.cls, BugClass::LostPhase);
  }
  // By contract those that leave a barrier together stay together; who relies on it is told.
  ProofResult together = productTask(Meet::AtTheEnd, true);
  ASSERT_EQ(together.verdict, ProofResult::Proved);
  ASSERT_EQ(together.warnings.size(), 1u);
  EXPECT_EQ(together.warnings[0].cls, BugClass::LostPhase);
  EXPECT_TRUE(productTask(Meet::BeforeTheProduct, true).warnings.empty());
  EXPECT_EQ(productTask(Meet::Never, true).verdict, ProofResult::Bug);
}

TEST(Lanes, OnlyTheThreadThatStoresWaitsForTheStore) {
  EXPECT_EQ(stagedTile(true, false).verdict, ProofResult::Proved);
  EXPECT_EQ(stagedTile(false, true).verdict, ProofResult::Proved);
  // The thread that stored may write again; the others, which write with it, may not.
  ProofResult r = stagedTile(false, false);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Race);
}

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
