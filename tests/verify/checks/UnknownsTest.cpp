// What the prover cannot tell is never taken for harmless in silence.
#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"
#include "verify/model/Demand.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
/// A read of what nothing has written, which only matters under a condition.
ProofResult readWhere(Builder &b, ExprId matters) {
  int data = b.buffer("data", 1);
  b.p.buffers[data].blank = true;
  Stmt read = b.read(data, b.c(0));
  b.p.events.back().effects[0].matters = matters;
  b.task("default", {read}, 4, -1);
  return prove(b.p, {});
}

/// One task, which writes a buffer and reads it, each wholly or a part that is not known.
ProofResult writtenAndRead(bool partOfWrite, bool partOfRead, bool half = false) {
  Builder b;
  int data = b.buffer("data", 1);
  b.p.buffers[data].blank = true;
  Stmt write = b.write(data, b.c(0));
  b.p.events.back().effects[0].target.approximate = partOfWrite;
  if (half)
    b.p.events.back().effects[0].target.parts = {{0, 32, 0, 1}};
  Stmt read = b.read(data, b.c(0));
  b.p.events.back().effects[0].target.approximate = partOfRead;
  b.task("default", {write, read}, 4, -1);
  return prove(b.p, {});
}

/// A buffer is written, and read as one of another size at the same place.
ProofResult readAs(int64_t stride) {
  Builder b;
  int one = b.buffer("one", 1), other = b.buffer("other", 1);
  b.p.buffers[other].space = b.p.buffers[one].space;
  b.p.buffers[other].stride = stride;
  b.p.buffers[one].blank = b.p.buffers[other].blank = true;
  b.task("default", {b.write(one, b.c(0)), b.read(other, b.c(0))}, 4, -1);
  return prove(b.p, {});
}

/// x64, where x(n+1) = (x(n) ^ y) * x(n): written out it has no end.
ExprId doubled(Builder &b, ExprId x, ExprId y) {
  for (int i = 0; i < 64; ++i)
    x = b.p.exprs.binary(Op::Mul, b.p.exprs.binary(Op::Xor, x, y), x);
  return x;
}
} // namespace

TEST(Unknowns, WhetherAReadMatters) {
  Builder always, never, open;
  EXPECT_EQ(readWhere(always, always.c(1)).verdict, ProofResult::Bug);
  EXPECT_EQ(readWhere(never, never.c(0)).verdict, ProofResult::Proved);
  ProofResult r = readWhere(open, open.v(open.p.addVar("use_acc"))); // that nothing sets
  EXPECT_EQ(r.verdict, ProofResult::Unknown);
  EXPECT_NE(r.reason.find("use_acc"), std::string::npos) << r.reason;
}

TEST(Unknowns, PartsThatCannotBeFollowed) {
  ProofResult r = writtenAndRead(false, false);
  EXPECT_EQ(r.verdict, ProofResult::Proved);
  EXPECT_TRUE(r.notes.empty());
  r = writtenAndRead(true, false);
  EXPECT_EQ(r.verdict, ProofResult::Proved);
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_NE(r.notes.begin()->find("writes a part of data"), std::string::npos) << *r.notes.begin();
  r = writtenAndRead(false, true, true);
  EXPECT_EQ(r.verdict, ProofResult::Proved);
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_NE(r.notes.begin()->find("reads a part of data"), std::string::npos) << *r.notes.begin();
  EXPECT_TRUE(writtenAndRead(false, true).notes.empty());
}

TEST(Unknowns, WhatAnotherBufferHasWritten) {
  ProofResult r = readAs(64);
  EXPECT_EQ(r.verdict, ProofResult::Proved);
  EXPECT_TRUE(r.notes.empty()); // two names of one buffer
  r = readAs(32);
  EXPECT_EQ(r.verdict, ProofResult::Proved);
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_NE(r.notes.begin()->find("another buffer"), std::string::npos) << *r.notes.begin();
}

TEST(Unknowns, SharedPartsAreAskedOnce) {
  Builder b;
  VarId k = b.p.addVar("k");
  ExprId number = doubled(b, b.v(k), b.c(5)), unknown = doubled(b, b.v(k), b.arg("n"));
  b.task("default", {assignStmt({{k, b.c(1)}})}, 4, -1);
  Code code = flatten(b.p.tasks[0].body);
  Demands demands(b.p);
  demands.analyse({&code});
  EXPECT_TRUE(demands.isInteger(number));
  EXPECT_FALSE(demands.isInteger(unknown));
  EXPECT_TRUE(demands.isKeptFor(number));
}
