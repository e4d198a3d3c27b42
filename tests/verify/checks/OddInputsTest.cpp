// What hardly anybody writes: many tasks, deep rings, arrivals in branches of branches, slots
// read from memory, parities that are none. Each has a wrong twin.

#include "tests/verify/Rings.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tlx::verify;
using namespace tlx::verify::testing;

TEST(OddInputs, NoBarrierAtAll) {
  auto verdict = [](int second) {
    Builder b;
    int data = b.buffer("data", 2);
    b.root({});
    b.task("first", {b.write(data, b.c(0))});
    b.task("second", {b.write(data, b.c(second))});
    return prove(b.p, {}).verdict;
  };
  EXPECT_EQ(verdict(1), Right);
  EXPECT_EQ(verdict(0), Wrong);
}

TEST(OddInputs, SixteenTasks) {
  auto chain = [](int early) { // task `early` hands on before it has read
    constexpr int Tasks = 16;
    Ring r(2, Tasks - 1);
    r.producer(r.N);
    int passed = r.barriers("passed", 2 * Tasks);
    Block inits;
    for (int i = 0; i < 2 * Tasks; ++i)
      inits.push_back(r.init(passed, i, 1));
    Block &root = r.p.tasks.front().body;
    root.insert(root.begin(), inits.begin(), inits.end());
    for (int i = 1; i < Tasks; ++i) {
      VarId k = r.p.addVar("k");
      ExprId slot = r.slotOf(r.v(k)), parity = r.phase(r.v(k));
      auto hop = [&](int of) { return r.e.add(slot, r.c(2 * of)); };
      Block body{i == 1 ? r.wait(r.full, slot, parity) : r.wait(passed, hop(i - 1), parity)};
      Block rest{r.read(r.data, slot), r.arrive(r.empty, slot)};
      if (i == early)
        std::swap(rest[0], rest[1]);
      body.insert(body.end(), rest.begin(), rest.end());
      if (i + 1 < Tasks)
        body.push_back(r.arrive(passed, hop(i)));
      r.task("link", {r.loop(k, r.c(0), r.N, std::move(body))}, 1);
    }
    return r.prove().verdict;
  };
  EXPECT_EQ(chain(0), Right);
  EXPECT_EQ(chain(9), Right); // its neighbour's arrival comes after its read
  EXPECT_EQ(chain(15), Wrong);
}

TEST(OddInputs, SixtyFourSlots) {
  auto deep = [](int64_t ahead) {
    Ring r(64);
    r.producer(r.N);
    VarId k = r.p.addVar("k");
    ExprId parity = r.phase(r.e.add(r.v(k), r.c(ahead)));
    return r.judge({r.loop(k, r.c(0), r.N, r.takeAt(r.slotOf(r.v(k)), parity))});
  };
  EXPECT_EQ(deep(0), Right);
  EXPECT_EQ(deep(1), Wrong); // the 64th tile
}

TEST(OddInputs, ArrivalsInBranchesOfBranches) {
  auto branches = [](bool covers) {
    Ring r;
    r.producer(r.N);
    VarId k = r.p.addVar("k");
    ExprId slot = r.slotOf(r.v(k)), rest = r.e.rem(r.N, 3);
    auto give = [&] { return Block{r.arrive(r.empty, slot)}; };
    ExprId other = covers ? r.e.le(r.c(1), rest) : r.e.eq(rest, r.c(1));
    Stmt first = ifStmt(r.e.eq(rest, r.c(0)), give(), {ifStmt(other, give())});
    Stmt later = ifStmt(r.e.lt(r.v(k), r.e.sub(r.N, r.c(1))), give(),
                        {ifStmt(r.e.lt(r.c(0), r.A), give(), give())});
    return r.judge(
        {r.loop(k, r.c(0), r.N,
                {r.wait(r.full, slot, r.phase(r.v(k))), r.read(r.data, slot),
                 ifStmt(r.e.lt(r.c(2), r.v(k)), {std::move(later)}, {std::move(first)})})});
  };
  EXPECT_EQ(branches(true), Right);
  EXPECT_EQ(branches(false), Wrong); // with N = 5 nobody gives the third slot back
}

TEST(OddInputs, SlotsReadFromMemory) {
  auto loaded = [](int64_t distance) {
    Ring r(4);
    ExprId place = r.arg("p", 0);
    auto slot = [&](int64_t at) {
      return r.op(Op::And, r.e.opaque("load", r.e.add(place, r.c(at))), 3);
    };
    r.task("producer",
           {r.expect(r.full, slot(0), 64), r.load(r.data, slot(0), r.full, slot(0), 64)}, 1);
    return r.judge({r.wait(r.full, slot(distance), r.c(0)), r.read(r.data, slot(0))});
  };
  EXPECT_EQ(loaded(0), Right);
  EXPECT_EQ(loaded(1), Wrong); // another word of memory may name another slot
}

TEST(OddInputs, ParitiesThatAreNone) {
  // PTX defines 0 and 1; the machine code tests the lowest bit.
  enum Spelling { Masked, ByThree, Counted, Negative };
  auto waits = [](Spelling spelling, bool contract) {
    Ring r(2);
    r.producer(r.N);
    VarId k = r.p.addVar("k");
    ExprId round = r.e.div(r.v(k), 2);
    ExprId parity = spelling == Masked    ? r.op(Op::And, round, 1)
                    : spelling == ByThree ? r.op(Op::And, round, 3)
                    : spelling == Counted ? round
                                          : r.e.sub(r.op(Op::And, round, 3), r.c(2));
    if (!contract)
      r.p.lowerings.drop(Lowering::ParityIsLowestBit);
    r.task("consumer", {r.loop(k, r.c(0), r.N, r.takeAt(r.slotOf(r.v(k)), parity))});
    return r.prove();
  };
  auto warnings = [](const ProofResult &result) {
    return std::count_if(result.warnings.begin(), result.warnings.end(),
                         [](const Violation &v) { return v.cls == BugClass::OutOfRange; });
  };
  ProofResult masked = waits(Masked, false);
  EXPECT_EQ(masked.verdict, Right);
  EXPECT_EQ(warnings(masked), 0);
  for (Spelling spelling : {ByThree, Counted, Negative}) {
    ProofResult warned = waits(spelling, true), strict = waits(spelling, false);
    EXPECT_EQ(warned.verdict, Right) << spelling;
    EXPECT_EQ(warnings(warned), 1) << spelling;
    ASSERT_EQ(strict.verdict, Wrong) << spelling;
    EXPECT_EQ(strict.violation.cls, BugClass::OutOfRange);
    EXPECT_NE(strict.violation.message.find("neither 0 nor 1"), std::string::npos);
  }
}
