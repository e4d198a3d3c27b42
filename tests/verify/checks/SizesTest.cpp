// A kernel at one size: found there, with the size, or not at all.
#include "verify/checks/Sizes.h"
#include "tests/verify/Protocols.h"
#include "verify/report/Witness.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {

std::optional<ProofResult> found(const Program &program, int64_t atLeast = 0) {
  Linears linears(program);
  for (const Task &task : program.tasks)
    linears.analyse(task.body);
  std::vector<Precondition> preconditions;
  for (ExprId id = 0; atLeast && id < static_cast<ExprId>(program.exprs.size()); ++id)
    if (program.exprs[id].op == Op::Sym &&
        program.exprs.symbols[program.exprs[id].value].name == "K")
      preconditions.push_back({"K", linears.form(linears.of(id)), atLeast});
  return violationAtSomeSize(program, preconditions,
                             [](const Program &sized) { return prove(sized, {}); });
}

/// A ring whose size somebody who launches it chooses.
Program launched(RingOptions options) {
  Program program = ring(options);
  for (size_t i = 0; i < program.exprs.symbols.size(); ++i) {
    program.exprs.symbols[i].ofLaunch = true;
    program.exprs.symbols[i].parameter = static_cast<int>(i);
  }
  return program;
}

TEST(Sizes, AFaultIsShownWithItsSizeIfThatIsAllowed) {
  RingOptions wrong;
  wrong.dropArriveOf = 0;
  Program program = launched(wrong);
  std::optional<ProofResult> bug = found(program);
  ASSERT_TRUE(bug);
  EXPECT_EQ(bug->violation.cls, BugClass::Deadlock);
  EXPECT_TRUE(std::any_of(bug->path.begin(), bug->path.end(),
                          [](const Decided &d) { return d.text == "K = 64"; }));
  EXPECT_EQ(bug->values.valueOfSymbol(0), 64);
  EXPECT_FALSE(found(program, 641));
}

/// A size that a launch has is one that its user knows; and nobody launches -1 blocks.
TEST(Sizes, AFaultAtAllSizesIsShownAtAGivenOne) {
  RingOptions wrong;
  wrong.dropArriveOf = 0;
  wrong.minTrips = INT64_MIN;
  Program program = launched(wrong);
  ProverOptions options;
  EXPECT_GE(prove(program, options).values.valueOfSymbol(0).value_or(-1), 1);
  options.launches = {{{0, 37}}};
  EXPECT_EQ(prove(program, options).values.valueOfSymbol(0), 37);
  // A launch in which all goes well is none that shows it.
  options.launches = {{{0, 1}}};
  EXPECT_NE(prove(program, options).values.valueOfSymbol(0), 1);
}

TEST(Sizes, NothingIsFoundInWhatIsRight) { EXPECT_FALSE(found(launched({}))); }

/// Only an empty launch would show it: the loops need K of at least 1000.
TEST(Sizes, WhereALoopOfTheLaunchIsEmptyNothingIsTried) {
  for (int64_t least : {0, 1000}) {
    Builder b;
    int bar = b.barriers("bar", 1);
    b.root({b.init(bar, 0, 1)});
    Symbol symbol{"K"};
    symbol.lo = 0, symbol.ofLaunch = true, symbol.parameter = 0;
    VarId k = b.p.addVar("k");
    Stmt loop = b.loop(k, b.c(least), b.p.exprs.symbol(symbol), {b.arrive(bar, b.c(0))});
    b.task("worker", {loop, b.wait(bar, b.c(0), b.c(1)), b.wait(bar, b.c(0), b.c(0)),
                      b.wait(bar, b.c(0), b.c(1)), b.wait(bar, b.c(0), b.c(0))});
    EXPECT_EQ(found(b.p).has_value(), least == 0) << least;
  }
}

/// A ring of one slot between two tasks that read from memory how often they go round.
Program lengths(int64_t apart) {
  Builder b;
  int full = b.barriers("full", 1), empty = b.barriers("empty", 1);
  b.root({b.init(full, 0, 1), b.init(empty, 0, 1)});
  Symbol pointer{"lengths"};
  pointer.ofLaunch = true, pointer.parameter = 0;
  Exprs &e = b.p.exprs;
  ExprId at = e.symbol(pointer);
  auto length = [&](int64_t offset) {
    return e.div(e.opaque(Function::Load, e.add(at, b.c(offset))), 64);
  };
  VarId i = b.p.addVar("i"), j = b.p.addVar("j");
  ExprId odd = e.rem(e.var(i), 2), even = e.binary(Op::Xor, odd, b.c(1));
  b.task("signals",
         {b.loop(i, b.c(0), length(1), {b.wait(empty, b.c(0), even), b.arrive(full, b.c(0))})});
  b.task("waits", {b.loop(j, b.c(0), length(1 + apart),
                          {b.wait(full, b.c(0), e.rem(e.var(j), 2)), b.arrive(empty, b.c(0))})});
  return b.p;
}

/// Lengths of another entry are other lengths, which shows once memory holds something. What is
/// found is executed with it.
TEST(Sizes, MemoryHoldsLengthsThatDiffer) {
  EXPECT_FALSE(found(lengths(0)));
  std::optional<ProofResult> bug = found(lengths(1));
  ASSERT_TRUE(bug);
  EXPECT_TRUE(bug->values.contents);
  EXPECT_TRUE(std::any_of(bug->path.begin(), bug->path.end(), [](const Decided &d) {
    return d.text == "what lies in memory = 48 * n * (n + 1) with n = address % 64 + 1";
  }));
  EXPECT_EQ(confirm(lengths(1), *bug).verdict, Confirmation::Shown);
}

TEST(Sizes, BoundLoadsAreNumbers) {
  Exprs exprs;
  ExprId at = exprs.symbol({"p"}), load = exprs.opaque(Function::Load, exprs.add(at, at)),
         narrow = exprs.opaque(Function::NarrowLoad, at), twice = exprs.add(load, load);
  exprs.bind({{0, 2}}, true);
  EXPECT_EQ(exprs[load].value, Exprs::contentAt(4));
  EXPECT_EQ(exprs[twice].value, 2 * Exprs::contentAt(4));
  EXPECT_EQ(exprs[narrow].op, Op::Opaque); // a flag is no length
}

/// Half of no cluster has no value; asking for it must come to an end.
TEST(Sizes, ABoundWithoutAValueEnds) {
  Builder b;
  int bar = b.barriers("bar", 1);
  b.root({b.init(bar, 0, 1)});
  VarId step = b.p.addVar("step"), i = b.p.addVar("i");
  Stmt assign;
  assign.kind = Stmt::AssignStmt;
  assign.inits = {{step, b.p.exprs.binary(Op::Div, b.c(7), b.p.exprs.var(i))}};
  b.task("worker", {b.loop(i, b.c(0), b.c(2), {assign}),
                    b.loop(b.p.addVar("j"), b.c(0), b.p.exprs.var(step), {b.arrive(bar, b.c(0))})});
  EXPECT_NE(prove(b.p, {}).verdict, ProofResult::Bug);
}

} // namespace
