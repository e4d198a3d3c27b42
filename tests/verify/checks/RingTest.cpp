#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
std::string describe(const ProofResult &r) {
  if (r.verdict == ProofResult::Proved)
    return "PROVED";
  if (r.verdict == ProofResult::Unknown)
    return "UNKNOWN: " + r.reason;
  return std::string("BUG ") + info(r.violation.cls).name + ": " + r.violation.message;
}

ProofResult check(const RingOptions &o) {
  Program p = ring(o);
  ProverOptions options;
  options.maxStates = 50000;
  return prove(p, options);
}
} // namespace

TEST(Ring, ProvedForAllTripCounts) {
  for (int slots = 1; slots <= 8; ++slots)
    for (int consumers = 1; consumers <= 3; ++consumers)
      for (bool toggles : {false, true}) {
        RingOptions o;
        o.slots = slots, o.consumers = consumers, o.toggles = toggles;
        ProofResult r = check(o);
        EXPECT_EQ(r.verdict, ProofResult::Proved)
            << slots << " slots, " << consumers << " consumers: " << describe(r);
        EXPECT_TRUE(r.preconditions.empty());
        EXPECT_LT(r.states, 200u);
      }
}

TEST(Ring, SixtyFourSlots) {
  RingOptions o;
  o.slots = 64, o.consumers = 2;
  ProofResult r = check(o);
  EXPECT_EQ(r.verdict, ProofResult::Proved) << describe(r);
  o.dropArriveOf = 1;
  EXPECT_EQ(check(o).verdict, ProofResult::Bug);
}

TEST(Ring, ProvedInsideATileLoop) {
  for (int slots = 1; slots <= 8; ++slots) {
    RingOptions o;
    o.slots = slots, o.consumers = 2, o.persistent = true;
    ProofResult r = check(o);
    EXPECT_EQ(r.verdict, ProofResult::Proved) << slots << " slots: " << describe(r);
    EXPECT_LT(r.states, 2000u);
  }
}

namespace {
void expectBug(const RingOptions &o, BugClass cls, const char *op) {
  Program p = ring(o);
  ProverOptions options;
  options.maxStates = 50000;
  ProofResult r = prove(p, options);
  ASSERT_EQ(r.verdict, ProofResult::Bug) << describe(r);
  EXPECT_EQ(r.violation.cls, cls) << describe(r);
  ASSERT_GE(r.violation.at.event, 0);
  EXPECT_EQ(p.events[r.violation.at.event].op, op);
  EXPECT_FALSE(r.trace.empty());
}
TEST(ProxyFence, FencesWhatWasWrittenBeforeItOnly) {
  auto verdict = [](bool fenceFirst) {
    Builder b;
    int data = b.buffer("data", 1);
    Block body{b.write(data, b.c(0)), b.simple(tlx::sync::Kind::ProxyFence, "fence")};
    if (fenceFirst)
      std::swap(body[0], body[1]);
    body.push_back(b.async(tlx::sync::Kind::Read, data, b.c(0), tlx::sync::Group::BulkStore));
    body.push_back(b.group(tlx::sync::Kind::GroupCommit, tlx::sync::Group::BulkStore));
    body.push_back(b.group(tlx::sync::Kind::GroupWait, tlx::sync::Group::BulkStore));
    b.task("default", std::move(body), 4, -1);
    return prove(b.p, {});
  };
  EXPECT_EQ(verdict(false).verdict, ProofResult::Proved);
  ProofResult late = verdict(true);
  ASSERT_EQ(late.verdict, ProofResult::Bug);
  EXPECT_EQ(late.violation.cls, BugClass::ProxyFence);
}

} // namespace

TEST(Ring, ADroppedReleaseDeadlocksTheProducer) {
  for (int slots : {1, 2, 5})
    for (int consumers : {1, 2, 3})
      for (int who = 0; who < consumers; ++who) {
        RingOptions o;
        o.slots = slots, o.consumers = consumers, o.dropArriveOf = who;
        expectBug(o, BugClass::Deadlock, "wait");
      }
}

TEST(Ring, AWrongProducerPhaseDeadlocksAtOnce) {
  RingOptions o;
  o.producerPhaseWrong = true;
  expectBug(o, BugClass::Deadlock, "wait");
}

TEST(Ring, AWrongConsumerPhaseReturnsBeforeTheFirstPhase) {
  RingOptions o;
  o.slots = 3, o.consumerPhaseWrong = true;
  Program p = ring(o);
  ProofResult r = prove(p, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug) << describe(r);
}

TEST(Ring, TooLargeAnArriveCountDeadlocks) {
  RingOptions o;
  o.consumers = 2, o.emptyCount = 3;
  expectBug(o, BugClass::Deadlock, "wait");
}

TEST(Ring, TooSmallAnArriveCountLetsOneConsumerReleaseForTwo) {
  RingOptions o;
  o.consumers = 2, o.emptyCount = 1;
  Program p = ring(o);
  ProofResult r = prove(p, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug) << describe(r);
  EXPECT_TRUE(r.violation.cls == BugClass::ArrivalOrder || r.violation.cls == BugClass::Race ||
              r.violation.cls == BugClass::LostPhase)
      << describe(r);
}

TEST(Ring, WrongBytesAreNamedAtTheExpect) {
  for (int64_t bytes : {32, 63, 65, 128}) {
    RingOptions o;
    o.expectBytes = bytes;
    expectBug(o, BugClass::BytesMismatch, "expect");
  }
}

TEST(Ring, ReleaseBeforeTheReadIsARace) {
  RingOptions o;
  o.releaseBeforeRead = true;
  Program p = ring(o);
  ProofResult r = prove(p, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Race) << describe(r);
}

TEST(Ring, ReadingAnotherSlotIsARace) {
  RingOptions o;
  o.slots = 3, o.readSlotShift = 1;
  Program p = ring(o);
  ProofResult r = prove(p, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Race) << describe(r);
}

TEST(Ring, ConsumersThatStopEarlyLeaveALoadInFlight) {
  RingOptions o;
  o.consumerShort = true, o.minTrips = 1;
  Program p = ring(o);
  ProofResult r = prove(p, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Exit) << describe(r);
}

TEST(Ring, ConstantTripCounts) {
  for (int trips = 0; trips <= 9; ++trips) {
    RingOptions o;
    o.trips = trips, o.slots = 2, o.consumers = 2;
    EXPECT_EQ(check(o).verdict, ProofResult::Proved) << trips;
    o.dropArriveOf = 0;
    EXPECT_EQ(check(o).verdict, trips > 2 ? ProofResult::Bug : ProofResult::Proved) << trips;
  }
}

/// Two loads of 64 bytes on one barrier whose phase was told of `bytes`.
static Program twoLoads(int64_t bytes) {
  Builder b;
  int full = b.barriers("full", 1), data = b.buffer("data", 2);
  ExprId zero = b.c(0);
  b.root({b.init(full, 0, 1)});
  b.task("producer",
         {b.expect(full, zero, bytes), b.load(data, zero, full, zero, 64),
          b.load(data, b.c(1), full, zero, 64)},
         1);
  b.task("consumer", {b.wait(full, zero, zero), b.read(data, zero)});
  return std::move(b.p);
}

TEST(Ring, BytesThatWereNotAnnouncedAreNamed) {
  Program good = twoLoads(128);
  ProofResult proved = prove(good, {});
  EXPECT_EQ(proved.verdict, ProofResult::Proved) << describe(proved);
  Program p = twoLoads(64);
  ProofResult r = prove(p, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  ASSERT_EQ(r.violation.cls, BugClass::ArrivalOrder) << describe(r);
  EXPECT_NE(r.violation.message.find("phase 0 expects 64 bytes and can have them all when this "
                                     "delivers 64 bytes"),
            std::string::npos)
      << r.violation.message;
  std::vector<std::string> notes;
  for (const Step &step : r.violation.related)
    notes.push_back(step.note);
  EXPECT_EQ(notes,
            (std::vector<std::string>{"expects 64 bytes in phase 0", "delivers 64 bytes in phase 0",
                                      "full counts 1 arrival(s) per phase"}));
}

TEST(Ring, ArrivalsBeyondTheCountAreNamed) {
  auto program = [](int64_t count) {
    Builder b;
    int done = b.barriers("done", 1);
    ExprId zero = b.c(0);
    b.root({b.init(done, 0, count)});
    b.task("one", {b.arrive(done, zero)});
    b.task("two", {b.arrive(done, zero)});
    b.task("waits", {b.wait(done, zero, zero)});
    return std::move(b.p);
  };
  Program good = program(2), bad = program(1);
  EXPECT_EQ(prove(good, {}).verdict, ProofResult::Proved);
  ProofResult r = prove(bad, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  ASSERT_EQ(r.violation.cls, BugClass::ArrivalOrder) << describe(r);
  EXPECT_NE(r.violation.message.find("phase 0 counts 1 arrival(s) and can have them all when this "
                                     "brings 1 arrival(s)"),
            std::string::npos)
      << r.violation.message;
  EXPECT_EQ(r.violation.related.front().note, "brings 1 arrival(s) in phase 0");
  EXPECT_NE(r.violation.related.front().task, r.violation.at.task);
}

TEST(Ring, TheLoopThatEndedIsNamed) {
  auto program = [](int64_t arrivals) {
    Builder b;
    int done = b.barriers("done", 1);
    ExprId zero = b.c(0), n = b.arg("N", 1);
    b.root({b.init(done, 0, 1)});
    VarId i = b.p.addVar("i"), j = b.p.addVar("j");
    Stmt waits =
        b.loop(i, zero, n, {b.wait(done, zero, b.p.exprs.binary(Op::And, b.v(i), b.c(1)))});
    Stmt arrives = b.loop(j, zero, b.p.exprs.add(n, b.c(arrivals)), {b.arrive(done, zero)});
    waits.loc = {"ring.py", 50, 1};
    arrives.loc = {"ring.py", 60, 1};
    b.task("waiter", {waits});
    b.task("arriver", {arrives});
    return std::move(b.p);
  };
  Program p = program(-1);
  ProofResult r = prove(p, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug) << describe(r);
  ASSERT_EQ(r.violation.cls, BugClass::Deadlock) << describe(r);
  auto named =
      std::find_if(r.violation.related.begin(), r.violation.related.end(), [](const Step &step) {
        return step.note ==
               "arriver arrives on done, but has ended: its loop at line 60 is over, that of "
               "waiter at line 50 runs on";
      });
  EXPECT_NE(named, r.violation.related.end());
}
