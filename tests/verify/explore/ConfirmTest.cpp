// What the prover refutes, executed: each kind of fault of a ring is shown in an
// interleaving of its own, and a run that cannot happen is refused.
#include "tests/verify/Protocols.h"
#include "verify/report/Witness.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
struct Case {
  const char *name;
  RingOptions options;
  std::vector<std::string> seen; ///< kinds of fault, any of which will do
};

/// Two CTAs: both do `first`, meet where `meet`, and CTA 0 does `last`.
void pairOfCtas(Builder &b, const Stmt &first, bool meet, const Stmt &last) {
  for (int rank : {0, 1}) {
    Block body{first};
    if (meet) {
      body.push_back(b.simple(tlx::sync::Kind::ClusterArrive, "arrive"));
      body.push_back(b.simple(tlx::sync::Kind::ClusterWait, "wait"));
    }
    if (rank == 0)
      body.push_back(last);
    b.task(rank ? "cta1.default" : "cta0.default", std::move(body), 4, -1);
    b.p.tasks.back().rank = rank;
  }
}

/// The prover refutes it, and executing its trace shows the same.
void expectShown(const Program &p, BugClass cls, const std::string &what) {
  ProofResult result = prove(p, {});
  ASSERT_EQ(result.verdict, ProofResult::Bug);
  EXPECT_EQ(result.violation.cls, cls);
  Confirmation shown = confirm(p, result);
  ASSERT_EQ(shown.verdict, Confirmation::Shown);
  EXPECT_EQ(shown.what, what);
}

std::vector<Case> faults() {
  std::vector<Case> all;
  auto add = [&](const char *name, std::vector<std::string> seen, auto change) {
    RingOptions o;
    o.consumers = 2, o.slots = 2;
    change(o);
    all.push_back({name, o, std::move(seen)});
  };
  add("dropped arrive", {"deadlock"}, [](RingOptions &o) { o.dropArriveOf = 0; });
  add("bytes", {"bytes"}, [](RingOptions &o) { o.expectBytes = 65; });
  add("count too large", {"deadlock"}, [](RingOptions &o) { o.emptyCount = 3; });
  add("count too small", {"phase", "race", "over-arrival"},
      [](RingOptions &o) { o.emptyCount = 1; });
  add("released before the read", {"race"}, [](RingOptions &o) { o.releaseBeforeRead = true; });
  add("another slot", {"race"}, [](RingOptions &o) { o.slots = 3, o.readSlotShift = 1; });
  add("consumers stop early", {"exit"},
      [](RingOptions &o) { o.consumerShort = true, o.minTrips = 1, o.consumers = 1; });
  add("producer's phase", {"deadlock"}, [](RingOptions &o) { o.producerPhaseWrong = true; });
  add("in a tile loop", {"race"},
      [](RingOptions &o) { o.persistent = true, o.releaseBeforeRead = true; });
  return all;
}
} // namespace

TEST(Confirm, EachFaultIsShown) {
  for (const Case &c : faults()) {
    SCOPED_TRACE(c.name);
    Program p = ring(c.options);
    ProofResult result = prove(p, {});
    ASSERT_EQ(result.verdict, ProofResult::Bug);
    Confirmation shown = confirm(p, result);
    ASSERT_EQ(shown.verdict, Confirmation::Shown) << shown.message;
    EXPECT_NE(std::find(c.seen.begin(), c.seen.end(), shown.what), c.seen.end())
        << shown.what << ": " << shown.message;
    EXPECT_FALSE(shown.steps.empty());
    // What a race may lead to later is not what is shown of it.
    if (result.violation.cls == BugClass::Race) {
      EXPECT_EQ(shown.what, "race");
    }
  }
}

TEST(Confirm, WithOtherValuesTheRunIsRefused) {
  RingOptions o;
  o.dropArriveOf = 0;
  Program p = ring(o);
  ProofResult result = prove(p, {});
  ASSERT_EQ(result.verdict, ProofResult::Bug);
  ConfirmRequest request;
  for (const Step &step : result.trace)
    request.run.push_back({step.task, step.event});
  request.at = {result.violation.at.task, result.violation.at.event};
  request.values = [](ExprId, const LeafPlace &) { return 0; }; // no trips at all
  EXPECT_EQ(confirm(p, request).verdict, Confirmation::Refuted);
  request.values = [](ExprId, const LeafPlace &) { return std::nullopt; };
  EXPECT_EQ(confirm(p, request).verdict, Confirmation::Open);
}

TEST(Confirm, ValuesFulfilPreconditions) {
  // That the loop runs is no decision any more once it is a precondition.
  Builder b;
  int data = b.buffer("data", 1);
  VarId k = b.p.addVar("k");
  b.task("default",
         {b.loop(k, b.c(0), b.arg("K", 0), {b.read(data, b.c(0))}), b.read(data, b.c(7))}, 4, -1);
  ProofResult result = prove(b.p, {});
  ASSERT_EQ(result.verdict, ProofResult::Bug);
  ASSERT_EQ(result.preconditions.size(), 1u);
  EXPECT_EQ(confirm(b.p, result).verdict, Confirmation::Shown);
}

TEST(Confirm, WhatReachesAPeerThatHasEndedOrNotBegunIsShown) {
  for (bool entered : {false, true}) {
    Builder b;
    b.p.ranks = 2;
    int data = b.buffer("data", 1), own = b.buffer("own", 1);
    b.p.buffers[data].ranks = b.p.buffers[own].ranks = 2;
    Effect remote = b.effect(tlx::sync::Kind::Write, data, b.c(0));
    remote.target.rank = b.c(1);
    pairOfCtas(b, b.read(own, b.c(0)), entered, b.event("remote", {remote}));
    expectShown(b.p, entered ? BugClass::Exit : BugClass::ClusterEntry, entered ? "exit" : "entry");
  }
}

TEST(Confirm, WhatTheInstructionCannotDoIsShown) {
  for (bool peers : {false, true}) {
    Builder b;
    b.p.ranks = 2;
    int bar = b.barriers("bar", 1, 2);
    Stmt expect = b.expect(bar, b.c(0), 16);
    for (Effect &effect : b.p.events.back().effects) {
      effect.target.rank = b.c(peers ? 1 : 0);
      effect.diverged = !peers;
    }
    pairOfCtas(b, b.init(bar, 0, 1), true, expect);
    expectShown(b.p, peers ? BugClass::RemoteForm : BugClass::NamedBarrier,
                peers ? "remote" : "diverged");
  }
}

TEST(Confirm, AMissingFenceShowsInAllOrders) {
  Builder b;
  int data = b.buffer("data", 1);
  b.task("default",
         {b.write(data, b.c(0)),
          b.async(tlx::sync::Kind::Read, data, b.c(0), tlx::sync::Group::BulkStore),
          b.group(tlx::sync::Kind::GroupCommit, tlx::sync::Group::BulkStore),
          b.group(tlx::sync::Kind::GroupWait, tlx::sync::Group::BulkStore)},
         4, -1);
  ProofResult result = prove(b.p, {});
  ASSERT_EQ(result.verdict, ProofResult::Bug);
  ASSERT_EQ(result.violation.cls, BugClass::ProxyFence);
  Confirmation shown = confirm(b.p, result);
  EXPECT_EQ(shown.verdict, Confirmation::Followed);
  EXPECT_EQ(shown.what, "proxy");
}

TEST(Confirm, WhatNothingHasWrittenIsMissingInTheRun) {
  for (int tasks : {1, 2}) {
    Builder b;
    int data = b.buffer("data", 2), other = b.buffer("other", 1);
    b.p.buffers[data].blank = true;
    if (tasks == 2)
      b.task("partition", {b.write(other, b.c(0))}, 4, -1);
    b.task("default", {b.write(data, b.c(0)), b.read(data, b.c(0)), b.read(data, b.c(1))}, 4, -1);
    expectShown(b.p, BugClass::Uninitialized, "unwritten");
    // The other task has no part in it.
    ProofResult result = prove(b.p, {});
    EXPECT_EQ(confirm(b.p, result).steps.size(), 3u);
  }
}

TEST(Confirm, ARaceComesBeforeWhatItsReadMayMiss) {
  Builder b;
  int data = b.buffer("data", 1);
  b.p.buffers[data].blank = true;
  b.task("reader", {b.read(data, b.c(0))}, 4, -1);
  b.task("writer", {b.write(data, b.c(0))}, 4, -1);
  expectShown(b.p, BugClass::Race, "race");
}

TEST(Confirm, ACorrectRunShowsNothing) {
  // The run of a fault, on the kernel without it.
  RingOptions o;
  o.releaseBeforeRead = true;
  Program wrong = ring(o);
  ProofResult result = prove(wrong, {});
  ASSERT_EQ(result.verdict, ProofResult::Bug);
  o.releaseBeforeRead = false;
  EXPECT_NE(confirm(ring(o), result).verdict, Confirmation::Shown);
}

TEST(Confirm, StepsBesideTheFaultAreLeftOut) {
  RingOptions o;
  o.consumers = 3, o.releaseBeforeRead = true;
  Program p = ring(o);
  ProofResult result = prove(p, {});
  ASSERT_EQ(result.verdict, ProofResult::Bug);
  Confirmation shown = confirm(p, result);
  ASSERT_EQ(shown.verdict, Confirmation::Shown);
  size_t issued = 0;
  for (const ShownStep &step : shown.steps)
    issued += !step.completion;
  EXPECT_LE(issued, result.trace.size() + 1);
}
