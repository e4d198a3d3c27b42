// Starts and ends of CTAs: each protocol once right and once with one fault.

#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"
#include "verify/explore/Explorer.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
enum class Sync : uint8_t { None, Full, Relaxed };

/// Two CTAs of one task each; tasks are given as bodies.
struct Pair : Builder {
  Pair() { p.ranks = 2; }
  int shared(const char *name) {
    int id = buffer(name, 1);
    p.buffers[id].ranks = 2;
    return id;
  }
  Block clusterBarrier(Sync kind = Sync::Full) {
    if (kind == Sync::None)
      return {};
    Stmt arrival = simple(tlx::sync::Kind::ClusterArrive, "cluster_arrive");
    p.events.back().effects[0].relaxed = kind == Sync::Relaxed;
    return {arrival, simple(tlx::sync::Kind::ClusterWait, "cluster_wait")};
  }
  Stmt remoteWrite(int buf, int rank) {
    Effect e = effect(tlx::sync::Kind::Write, buf, c(0));
    e.target.rank = c(rank);
    return event("remote_store", {e});
  }
  Stmt remoteArrive(int barrier, int rank) {
    Effect e = effect(tlx::sync::Kind::BarrierArrive, barrier, c(0), c(1));
    e.target.rank = c(rank);
    e.threads = tlx::sync::Threads::Elected;
    e.taskBarrierBefore = true;
    return event("remote_arrive", {e});
  }
  void cta(int rank, std::vector<Block> parts) {
    Block body;
    for (Block &part : parts)
      body.insert(body.end(), part.begin(), part.end());
    task(rank ? "cta1" : "cta0", std::move(body), 4, -1);
    p.tasks.back().rank = rank;
  }
};

/// CTA 0 writes into CTA 1, which reads it behind a cluster barrier.
ProofResult remoteStore(Sync before) {
  Pair b;
  int data = b.shared("data");
  b.cta(0, {b.clusterBarrier(before), {b.remoteWrite(data, 1)}, b.clusterBarrier()});
  b.cta(1, {b.clusterBarrier(before), b.clusterBarrier(), {b.read(data, b.c(0))}});
  return prove(b.p, {});
}

/// CTA 1 arrives on a barrier of CTA 0, which may or may not wait for it.
ProofResult lastArrival(bool waits, bool syncAtEnd) {
  Pair b;
  int bar = b.barriers("bar", 1, 2);
  Block wait;
  if (waits)
    wait.push_back(b.wait(bar, b.c(0), b.c(0)));
  Block end0 = b.clusterBarrier(syncAtEnd ? Sync::Full : Sync::None);
  Block end1 = b.clusterBarrier(syncAtEnd ? Sync::Full : Sync::None);
  b.cta(0, {{b.init(bar, 0, 1)}, b.clusterBarrier(), wait, end0});
  b.cta(1, {{b.init(bar, 0, 1)}, b.clusterBarrier(), {b.remoteArrive(bar, 0)}, end1});
  return prove(b.p, {});
}

/// One of the CTA's own barriers, or its peer's, is asked to expect bytes.
ProofResult expectOn(int rank) {
  Pair b;
  int bar = b.barriers("bar", 1, 2);
  Stmt expect = b.expect(bar, b.c(0), 0);
  for (Effect &e : b.p.events.back().effects)
    e.target.rank = b.c(rank);
  b.cta(0, {{b.init(bar, 0, 1)}, b.clusterBarrier(), {expect}, b.clusterBarrier()});
  b.cta(1, {{b.init(bar, 0, 1)}, b.clusterBarrier(), b.clusterBarrier()});
  return prove(b.p, {});
}
} // namespace

TEST(Lifetime, APeerIsReachedOnlyOnceItHasStarted) {
  EXPECT_EQ(remoteStore(Sync::Full).verdict, ProofResult::Proved);
  // A relaxed arrival orders no memory, but it says that the CTA runs.
  EXPECT_EQ(remoteStore(Sync::Relaxed).verdict, ProofResult::Proved);
  ProofResult r = remoteStore(Sync::None);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::ClusterEntry);
}

TEST(Lifetime, ACtaEndsAfterWhatReachesIt) {
  EXPECT_EQ(lastArrival(true, false).verdict, ProofResult::Proved);
  EXPECT_EQ(lastArrival(false, true).verdict, ProofResult::Proved);
  ProofResult r = lastArrival(false, false);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Exit);
}

TEST(Lifetime, BytesAreExpectedByTheOwnerOfTheBarrier) {
  EXPECT_EQ(expectOn(0).verdict, ProofResult::Proved);
  ProofResult r = expectOn(1);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::RemoteForm);
}

/// Several warps load; only the wait tells them that the slot is free again. When
/// one warp issues all, the others can be overtaken.
static ProofResult multiWarpProducer(tlx::sync::Threads issue) {
  RingOptions o;
  o.slots = 1;
  Program p = ring(o);
  for (Task &task : p.tasks)
    if (task.name == "producer")
      task.warps = 4;
  for (Event &event : p.events)
    for (Effect &effect : event.effects) {
      if (event.op == "load")
        effect.threads = issue;
      if (event.op == "expect") // no barrier over the task's threads
        effect.taskBarrierBefore = false;
    }
  return prove(p, {});
}

TEST(Lifetime, WarpsThatIssueTheirPartAreNotOvertaken) {
  EXPECT_EQ(multiWarpProducer(tlx::sync::Threads::EachWarp).verdict, ProofResult::Proved);
  ProofResult r = multiWarpProducer(tlx::sync::Threads::Elected);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::LostPhase);
}

namespace {
/// Memory that one task reads and another frees; the barrier in between tells
/// the second that the first has read.
ProofResult freedUnderReader(bool readFirst, bool allocatesAgain) {
  Builder b;
  int bar = b.barriers("bar", 1), data = b.buffer("data", 1, tlx::sync::Space::Tensor);
  auto lifetime = [&](Lifetime what) {
    Effect e = b.effect(tlx::sync::Kind::Write, data, b.c(0));
    e.lifetime = what;
    return b.event("lifetime", {e});
  };
  b.root({b.init(bar, 0, 1)});
  Stmt read = b.read(data, b.c(0)), arrive = b.arrive(bar, b.c(0));
  b.task("reader", readFirst ? Block{read, arrive} : Block{arrive, read});
  Block frees{b.wait(bar, b.c(0), b.c(0)), lifetime(Lifetime::Ends)};
  if (allocatesAgain)
    frees.push_back(lifetime(Lifetime::Begins));
  frees.push_back(b.write(data, b.c(0)));
  b.task("owner", std::move(frees));
  return prove(b.p, {});
}

/// A word of shared memory is a barrier until it is invalidated.
ProofResult scratchOverBarrier(bool invalidates) {
  Builder b;
  int bar = b.barriers("bar", 1), word = b.buffer("word", 1);
  b.p.barriers[bar].space = b.p.buffers[word].space;
  b.p.barriers[bar].stride = b.p.buffers[word].stride;
  Block body{b.init(bar, 0, 1), b.arrive(bar, b.c(0)), b.wait(bar, b.c(0), b.c(0))};
  if (invalidates)
    body.push_back(b.event("inval", {b.effect(tlx::sync::Kind::BarrierInval, bar, b.c(0))}));
  body.push_back(b.write(word, b.c(0)));
  b.task("default", std::move(body), 4, -1);
  return prove(b.p, {});
}

/// A barrier is initialised over memory that a store still reads.
ProofResult barrierOverStaging(bool waitsForStore) {
  Builder b;
  int bar = b.barriers("bar", 1), word = b.buffer("word", 1);
  b.p.barriers[bar].space = b.p.buffers[word].space;
  b.p.barriers[bar].stride = b.p.buffers[word].stride;
  Block body{b.async(tlx::sync::Kind::Read, word, b.c(0), tlx::sync::Group::BulkStore),
             b.group(tlx::sync::Kind::GroupCommit, tlx::sync::Group::BulkStore)};
  if (waitsForStore)
    body.push_back(b.group(tlx::sync::Kind::GroupWait, tlx::sync::Group::BulkStore));
  body.push_back(b.init(bar, 0, 1));
  b.task("default", std::move(body), 4, -1);
  return prove(b.p, {});
}
} // namespace

TEST(Lifetime, MemoryIsFreedAfterItsLastUse) {
  EXPECT_EQ(freedUnderReader(true, true).verdict, ProofResult::Proved);
  for (auto [readFirst, again] : {std::pair(true, false), std::pair(false, true)}) {
    ProofResult r = freedUnderReader(readFirst, again);
    ASSERT_EQ(r.verdict, ProofResult::Bug) << readFirst << again;
    EXPECT_EQ(r.violation.cls, BugClass::MemoryLifetime);
  }
}

TEST(Lifetime, ABarriersMemoryIsItsOwnUntilItIsInvalidated) {
  EXPECT_EQ(scratchOverBarrier(true).verdict, ProofResult::Proved);
  ProofResult r = scratchOverBarrier(false);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::BarrierLifetime);
}

TEST(Lifetime, ABarrierIsInitialisedWhereNothingElseIsInUse) {
  EXPECT_EQ(barrierOverStaging(true).verdict, ProofResult::Proved);
  ProofResult r = barrierOverStaging(false);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Race);
}

namespace {
enum class Afterwards { Nothing, InitAgain, Data, DataElsewhere };

/// A signal (a commit with no one to wait for it) and what becomes of its barrier.
Program straySignal(Afterwards afterwards) {
  Builder b;
  int bar = b.barriers("bar", 1), data = b.buffer("data", 2);
  b.p.barriers[bar].space = b.p.buffers[data].space;
  Effect commit = b.effect(tlx::sync::Kind::BarrierArrive, bar, b.c(0), b.c(1));
  commit.moment = tlx::sync::Moment::Completion;
  commit.threads = tlx::sync::Threads::Elected;
  commit.group = tlx::sync::Group::Tcgen05;
  Block body{b.init(bar, 0, 1), b.event("commit", {commit}),
             b.event("inval", {b.effect(tlx::sync::Kind::BarrierInval, bar, b.c(0))})};
  if (afterwards == Afterwards::InitAgain)
    body.push_back(b.init(bar, 0, 1));
  else if (afterwards != Afterwards::Nothing)
    body.push_back(b.write(data, b.c(afterwards == Afterwards::DataElsewhere)));
  b.task("default", std::move(body), 4, -1);
  return std::move(b.p);
}

/// A bulk store at the end of a kernel, waited for or not.
ProofResult lastStore(bool waits) {
  Builder b;
  int data = b.buffer("data", 1);
  Block body{b.async(tlx::sync::Kind::Read, data, b.c(0), tlx::sync::Group::BulkStore),
             b.group(tlx::sync::Kind::GroupCommit, tlx::sync::Group::BulkStore)};
  if (waits)
    body.push_back(b.group(tlx::sync::Kind::GroupWait, tlx::sync::Group::BulkStore));
  b.task("default", std::move(body), 4, -1);
  return prove(b.p, {});
}

/// A tensor map that copies read. `published`: a fence follows the write;
/// `waits`: for the copies, before the map is written again.
ProofResult rewrittenMap(bool published, bool waits) {
  Builder b;
  int map = b.buffer("map", 1, tlx::sync::Space::Global);
  VarId k = b.p.addVar("k");
  Block body;
  if (waits)
    body.push_back(b.group(tlx::sync::Kind::GroupWait, tlx::sync::Group::BulkStore));
  body.push_back(b.write(map, b.c(0)));
  b.p.events.back().effects[0].threads = tlx::sync::Threads::Elected;
  // Another fence does not do.
  body.push_back(b.simple(tlx::sync::Kind::ProxyFence, "fence"));
  if (published)
    body.push_back(b.event("acquire", {b.effect(tlx::sync::Kind::TensormapFence, map, b.c(0))}));
  body.push_back(b.async(tlx::sync::Kind::Read, map, b.c(0), tlx::sync::Group::BulkStore));
  body.push_back(b.group(tlx::sync::Kind::GroupCommit, tlx::sync::Group::BulkStore));
  b.task("default", {b.loop(k, b.c(0), b.arg("N", 0), std::move(body))}, 4, -1);
  return prove(b.p, {});
}
} // namespace

TEST(Lifetime, ASignalNobodyWaitsForIsAWarning) {
  for (Afterwards then : {Afterwards::Nothing, Afterwards::DataElsewhere}) {
    ProofResult r = prove(straySignal(then), {});
    EXPECT_EQ(r.verdict, ProofResult::Proved);
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_EQ(r.warnings[0].cls, BugClass::BarrierLifetime);
  }
}

TEST(Lifetime, ASignalMustNotMeetANewUseOfItsBarriersMemory) {
  for (Afterwards then : {Afterwards::InitAgain, Afterwards::Data}) {
    ProofResult r = prove(straySignal(then), {});
    ASSERT_EQ(r.verdict, ProofResult::Bug);
    EXPECT_EQ(r.violation.cls, BugClass::BarrierLifetime);
  }
}

TEST(Lifetime, TheExplorersAgreeOnStraySignals) {
  for (auto then :
       {Afterwards::Nothing, Afterwards::DataElsewhere, Afterwards::InitAgain, Afterwards::Data}) {
    bool wrong = then == Afterwards::InitAgain || then == Afterwards::Data;
    Program p = straySignal(then);
    auto expected = wrong ? ExploreResult::Violation : ExploreResult::Clean;
    EXPECT_EQ(explore(p, {}).verdict, expected) << int(then);
    EXPECT_EQ(exploreOrders(p, {}).verdict, expected) << int(then);
  }
}

TEST(Lifetime, AStoreThatOutlivesTheKernelIsAWarning) {
  EXPECT_TRUE(lastStore(true).warnings.empty());
  ProofResult r = lastStore(false);
  EXPECT_EQ(r.verdict, ProofResult::Proved);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_EQ(r.warnings[0].cls, BugClass::Exit);
}

TEST(Lifetime, ABarriersMemoryIsNotAnothersWhileItLives) {
  for (bool apart : {true, false}) {
    Builder b;
    int first = b.barriers("first", 1), second = b.barriers("second", 1);
    b.p.barriers[first].space = b.p.barriers[second].space = 0;
    b.p.barriers[second].base = apart ? 8 : 0;
    b.task("default", {b.init(first, 0, 1), b.init(second, 0, 1)}, 4, -1);
    ProofResult r = prove(b.p, {});
    ASSERT_EQ(r.verdict, apart ? ProofResult::Proved : ProofResult::Bug);
    EXPECT_EQ(explore(b.p, {}).what, apart ? "" : "lifetime");
    if (!apart)
      EXPECT_EQ(r.violation.cls, BugClass::BarrierLifetime);
  }
}

TEST(Lifetime, ATensorMapIsRewrittenWhenNoCopyReadsIt) {
  EXPECT_EQ(rewrittenMap(true, true).verdict, ProofResult::Proved);
  ProofResult r = rewrittenMap(true, false);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Race);
  r = rewrittenMap(false, true);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::ProxyFence);
}
