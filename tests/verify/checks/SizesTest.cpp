// A kernel at one size: found there, with the size, or not at all.
#include "verify/checks/Sizes.h"
#include "tests/verify/Protocols.h"

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

} // namespace
