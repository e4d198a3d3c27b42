// One task's loops one after the other, another task's single loop over both.

#include "verify/model/Split.h"
#include "tests/verify/Protocols.h"
#include "verify/checks/Prover.h"

#include <gtest/gtest.h>

using namespace tlx::verify;
using namespace tlx::verify::testing;

namespace {
constexpr int Slots = 2;

/// A producer loads `parts` stages of unknown lengths, each in a loop, into one ring; a consumer
/// takes all in one loop, of `more` steps than there are.
struct Stages : Builder {
  int full = barriers("full", Slots), empty = barriers("empty", Slots);
  int data = buffer("data", Slots);
  int64_t lateShift = 0; ///< the last stage announces its bytes on another slot's barrier

  ProofResult prove(int parts, int64_t more, bool split = true) {
    Block inits;
    for (int s = 0; s < Slots; ++s)
      inits.insert(inits.end(), {init(full, s, 1), init(empty, s, 1)});
    root(std::move(inits));
    Exprs &e = p.exprs;
    auto phase = [&](ExprId count) { return e.binary(Op::And, e.div(count, Slots), c(1)); };
    Block stages;
    ExprId before = c(0);
    for (int part = 0; part < parts; ++part) {
      VarId k = p.addVar("k" + std::to_string(part));
      ExprId count = e.add(before, v(k)), slot = e.rem(count, Slots);
      ExprId announced = e.rem(e.add(count, c(part + 1 == parts ? lateShift : 0)), Slots);
      ExprId length = arg(("N" + std::to_string(part)).c_str(), 0);
      stages.push_back(loop(k, c(0), length,
                            {wait(empty, slot, e.binary(Op::Xor, phase(count), c(1))),
                             expect(full, announced, 64), load(data, slot, full, slot, 64)}));
      before = e.add(before, length);
    }
    task("producer", std::move(stages), 1);
    VarId k = p.addVar("k");
    ExprId slot = e.rem(v(k), Slots);
    task("consumer",
         {loop(k, c(0), e.add(before, c(more)),
               {wait(full, slot, phase(v(k))), read(data, slot), arrive(empty, slot)})});
    if (split)
      splitLoops(p);
    ProverOptions options;
    options.timeoutSeconds = 120;
    return tlx::verify::prove(p, options);
  }
};
} // namespace

TEST(Split, OneLoopOverWhatTwoLoopsFill) {
  EXPECT_EQ(Stages().prove(2, 0, false).verdict, ProofResult::Unknown);
  EXPECT_EQ(Stages().prove(2, 0).verdict, ProofResult::Proved);
  EXPECT_EQ(Stages().prove(3, 0).verdict, ProofResult::Proved);
}

TEST(Split, AStepTooManyIsADeadlock) {
  ProofResult r = Stages().prove(2, 1);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::Deadlock);
}

TEST(Split, IterationsAreThoseOfTheLoopAsItWas) {
  Stages late;
  late.lateShift = 1;
  ProofResult r = late.prove(2, 0);
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  // A loop that is cut does not begin at zero again.
  Stages b;
  VarId k = b.p.addVar("k");
  Exprs &e = b.p.exprs;
  ExprId first = b.arg("N", 1), second = b.arg("M", 1);
  Block nothing{b.read(b.data, b.c(0))};
  VarId i = b.p.addVar("i"), j = b.p.addVar("j");
  b.task("parts", {b.loop(i, b.c(0), first, nothing), b.loop(j, b.c(0), second, nothing)}, 1, -1);
  // Slot 2, which there is not, in the third iteration.
  b.task("whole", {b.loop(k, b.c(0), e.add(first, second), {b.read(b.data, b.v(k))})}, 1, -1);
  splitLoops(b.p);
  r = prove(b.p, {});
  ASSERT_EQ(r.verdict, ProofResult::Bug);
  EXPECT_EQ(r.violation.cls, BugClass::OutOfRange);
  EXPECT_EQ(r.violation.at.iteration, std::vector<int64_t>{2});
}
