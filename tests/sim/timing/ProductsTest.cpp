// Waits for products, how fast one warp issues, and how many loads are under way.
#include "sim/program/Builder.h"
#include "sim/timing/Launch.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;
using sync::Kind;

namespace {

struct Products {
  Builder b{"k"};
  TypeId acc = b.tensor({64, 128}, DType::f32);

  explicit Products(int warps = 4) {
    b.facts().target = "cuda:90";
    b.facts().numWarps = warps;
  }

  Reg buffer(Shape shape) {
    Type type = Type::memDesc(shape, DType::f16, b.layout(MemLayout::rowMajor(shape)));
    Allocation allocation;
    allocation.bytes = type.numElements() * 2;
    Attrs attrs;
    attrs.allocation = b.allocation(allocation);
    return b.emit1(Op::LocalAlloc, {}, b.type(type), attrs);
  }

  /// Two products of 64 x 128 x 512 and the wait for both.
  Reg multiplied() {
    Reg a = buffer({64, 512}), bm = buffer({512, 128}), d = b.constant(acc, {0});
    Effect commit;
    commit.kind = Kind::GroupCommit;
    commit.group = sync::Group::Wgmma;
    d = b.emit1(Op::WarpGroupDot, {a, bm, d}, acc, {}, {commit});
    d = b.emit1(Op::WarpGroupDot, {a, bm, d}, acc, {}, {commit});
    Effect done;
    done.kind = Kind::GroupWait;
    done.group = sync::Group::Wgmma;
    return b.emit1(Op::WarpGroupDotWait, {d}, acc, {}, {done});
  }

  Cycles cycles() {
    b.emit(Op::Return, {});
    Chip chip = *Chip::load("h200");
    EXPECT_TRUE(chip.whatIf("code.coldBytesPerClk=10000"));
    Result<TimingReport> report = simulateTime(b.finish(), {}, chip, {});
    EXPECT_TRUE(report) << report.error().str();
    return report ? report->cycles : -1;
  }
};

Cycles withArithmetic(bool onProduct, int steps, bool barrier) {
  Products p;
  Reg other = p.b.constant(p.acc, {0}), product = p.multiplied();
  if (barrier) { // what may have an effect elsewhere stays behind the wait
    Effect e;
    e.kind = Kind::TaskBarrier;
    p.b.emit(Op::Sync, {}, {}, {}, {e});
  }
  Reg x = onProduct ? product : other;
  for (int i = 0; i < steps; ++i)
    x = p.b.emit1(Op::AddF, {x, x}, p.acc);
  return p.cycles();
}

TEST(Products, ArithmeticThatDoesNotUseThemOvertakesTheWait) {
  Cycles without = withArithmetic(false, 0, false);
  // 64 additions a thread take 128 clocks; six instructions of 64 are in flight when the last is
  // issued.
  EXPECT_EQ(withArithmetic(false, 3, false), without);
  // Whose operands come from the product start when it is done, ten clocks before the wait ends.
  EXPECT_EQ(withArithmetic(true, 3, false), without + 3 * 128 - 10);
  EXPECT_EQ(withArithmetic(false, 3, true), without + 30 + 3 * 2 + 3 * 128);
}

TEST(Products, OneWarpDoesNotIssueEachClock) {
  auto spent = [](int warps, int adds) {
    Products p(warps);
    TypeId tile = p.b.tensor({warps * 32 * 64}, DType::f32);
    Reg x = p.b.constant(tile, {0});
    for (int i = 0; i < adds; ++i)
      x = p.b.emit1(Op::AddF, {x, x}, tile);
    return p.cycles();
  };
  // 64 additions a thread: a warp of each partition alone leaves two clocks between them, of four
  // another takes each clock.
  EXPECT_NEAR(double(spent(4, 20) - spent(4, 10)), 10 * 64 * 2, 40);
  EXPECT_NEAR(double(spent(16, 20) - spent(16, 10)), 10 * 64 * 4, 40);
}

TEST(Loads, FewAreUnderWayWhereAReductionUsesThemUp) {
  auto cycles = [](int64_t columns, bool kept) {
    Builder b("k");
    b.facts().target = "cuda:90";
    b.facts().numWarps = 4;
    TypeId f32 = b.scalar(DType::f32), tile = b.tensor({128, columns}, DType::f32),
           row = b.tensor({128}, DType::f32);
    Reg from = b.parameter("p", b.type(Type::pointerTensor({128, columns}, DType::f32)), 0);
    Reg x = b.emit1(Op::Load, {from}, tile), other = b.constant(tile, {0});
    Reg sum = b.emit1(Op::AddF, {x, kept ? x : other}, tile); // used twice, it is kept
    Attrs attrs;
    attrs.axis = 1;
    attrs.block = b.block(
        {f32, f32}, [&](const Regs &args) { return Regs{b.binary(Op::AddF, args[0], args[1])}; });
    b.emit1(Op::Reduce, {sum}, row, attrs);
    b.emit(Op::Return, {});
    TimingLaunch launch;
    launch.arguments.resize(1);
    launch.arguments[0] = {TimingArgument::Kind::Pointer, 1 << 20, {}, {}};
    Result<TimingReport> report = simulateTime(b.finish(), launch, *Chip::load("h200"), {});
    EXPECT_TRUE(report) << report.error().str();
    return report ? report->cycles : -1;
  };
  // 8 loads of 16 bytes a thread; 32 of them are four rounds, each a trip to L2.
  EXPECT_EQ(cycles(32, false), cycles(32, true));
  EXPECT_EQ(cycles(128, false), cycles(128, true) + 3 * 280);
}

} // namespace
