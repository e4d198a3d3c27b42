// Branches and bounds: what is assumed of a loop's bound, and what a trace says of the
// way that was taken.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {

class ControlTest : public EncodeTest {
protected:
  /// `body` has arguments %n, %p and %q, a barrier %full that nobody arrives at, and numbers.
  static std::string kernel(const std::string &body) {
    return R"(
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
tt.func @k(%n: i32, %p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %full = ttg.local_alloc : () -> !bar
  ttng.init_barrier %full, 1 : !bar
)" + body + "  tt.return\n} }\n";
  }
  std::string judged(const std::string &body) { return verdict(kernel(body)); }

  size_t branches() const {
    size_t count = 0;
    for (const Step &step : related)
      count += step.note.find(">= 6") != std::string::npos;
    return count;
  }
};

const std::string kWait = "  ttng.wait_barrier %full, %c0 : !bar\n";
const std::string kLoop = "  scf.for %i = %c0 to %n step %c1 : i32 {\n  }\n";

std::string when(const std::string &comparison, const std::string &then) {
  return "  %w = arith.cmpi " + comparison + " : i32\n  scf.if %w {\n" + then + "  }\n";
}

} // namespace

TEST_F(ControlTest, sizesAreNotNegative) {
  std::string ifNegative = when("slt, %n, %c0", kWait);
  EXPECT_EQ(judged(ifNegative), "deadlock");
  EXPECT_EQ(judged(ifNegative + kLoop), "PROVED"); // %n bounds a loop: it is a size
  EXPECT_EQ(judged(when("sgt, %n, %c0", kWait) + kLoop), "deadlock");
}

TEST_F(ControlTest, narrowIntegersWrapAround) {
  auto everHolds = [&](const std::string &value, const std::string &comparison) {
    return judged("  %m = arith.constant 127 : i32\n  %b = arith.constant 255 : i32\n"
                  "  %t = arith.trunci %n : i32 to i8\n  %v = " +
                  value + "\n" + when(comparison, kWait));
  };
  const std::string isSigned = "arith.extsi %t : i8 to i32",
                    isUnsigned = "arith.extui %t : i8 to i32",
                    next = "arith.addi %t, %t : i8\n  %w8 = arith.extsi %v : i8 to i32";
  EXPECT_EQ(everHolds(isSigned, "slt, %v, %c0"), "deadlock");
  EXPECT_EQ(everHolds(isSigned, "sgt, %v, %m"), "PROVED");
  EXPECT_EQ(everHolds(isUnsigned, "sgt, %v, %m"), "deadlock");
  EXPECT_EQ(everHolds(isUnsigned, "sgt, %v, %b"), "PROVED");
  EXPECT_EQ(everHolds(isUnsigned, "slt, %v, %c0"), "PROVED");
  EXPECT_EQ(everHolds(next, "sgt, %w8, %m"), "PROVED");
  EXPECT_EQ(everHolds(next, "slt, %w8, %c0"), "deadlock");
}

TEST_F(ControlTest, whatIsLoadedAgainIsTheSameUnlessItWasWritten) {
  auto loadedAround = [](const std::string &to) {
    return "  %b = arith.cmpi sgt, %n, %c5 : i32\n  %far = arith.extsi %n : i32 to i64\n  %to = " +
           to +
           "\n  %x = tt.load %p : !tt.ptr<i32>\n  tt.store %to, %n : !tt.ptr<i32>\n"
           "  %y = tt.load %p : !tt.ptr<i32>\n" +
           when("ne, %x, %y", kWait);
  };
  EXPECT_EQ(judged(loadedAround("tt.addptr %q, %n : !tt.ptr<i32>, i32")), "PROVED");
  EXPECT_EQ(judged(loadedAround("tt.addptr %p, %n : !tt.ptr<i32>, i32")), "deadlock");
  EXPECT_EQ(judged(loadedAround("arith.select %b, %q, %q : !tt.ptr<i32>")), "PROVED");
  EXPECT_EQ(judged(loadedAround("arith.select %b, %q, %p : !tt.ptr<i32>")), "deadlock");

  auto saysElsewhere = [&](const std::string &to) {
    EncodedKernel k = encoded(kernel(loadedAround(to)));
    return llvm::count_if(k.notes, [](const std::string &note) {
      return note.starts_with("taken for granted: what is loaded") &&
             note.find("tt.store at") != std::string::npos;
    });
  };
  EXPECT_EQ(saysElsewhere("tt.int_to_ptr %far : i64 -> !tt.ptr<i32>"), 1);
  EXPECT_EQ(saysElsewhere("arith.select %b, %q, %p : !tt.ptr<i32>"), 0);
}

TEST_F(ControlTest, conditionsAreOneBit) {
  auto everHolds = [&](const std::string &value) {
    return judged("  %a = arith.cmpi sgt, %n, %c5 : i32\n  %no = arith.constant false\n  %w = " +
                  value + "\n  scf.if %w {\n" + kWait + "  }\n");
  };
  EXPECT_EQ(everHolds("arith.addi %a, %a : i1"), "PROVED");
  EXPECT_EQ(everHolds("arith.addi %a, %no : i1"), "deadlock");
  EXPECT_EQ(everHolds("arith.cmpi slt, %a, %no : i1"), "deadlock"); // true is -1
  EXPECT_EQ(everHolds("arith.cmpi sgt, %a, %no : i1"), "PROVED");
  EXPECT_EQ(everHolds("arith.cmpi ugt, %a, %no : i1"), "deadlock");
  EXPECT_EQ(everHolds("arith.maxsi %a, %no : i1"), "PROVED");
}

TEST_F(ControlTest, whatTheKernelAssumesHolds) {
  auto assumed = [](const std::string &type, const std::string &with) {
    return "  %r = arith.remsi %n, %c5 : i32\n  %a = arith.cmpi " + type + ", " + with +
           " : i32\n  llvm.intr.assume %a : i1\n";
  };
  std::string fifths = assumed("eq", "%r, %c0"), ifSix = when("eq, %n, %six", kWait);
  std::string six = "  %six = arith.constant 6 : i32\n";
  EXPECT_EQ(judged(six + ifSix), "deadlock");
  EXPECT_EQ(judged(six + fifths + ifSix), "PROVED");
  EXPECT_EQ(judged(six + assumed("ne", "%r, %c1") + ifSix), "PROVED");
  EXPECT_EQ(judged(six + assumed("eq", "%r, %c1") + ifSix), "deadlock");
  EXPECT_EQ(judged(six + assumed("sgt", "%n, %six") + ifSix), "PROVED");
  // In a branch it says nothing of other ways.
  std::string inBranch =
      "  %v = arith.cmpi eq, %n, %c1 : i32\n  scf.if %v {\n" + assumed("eq", "%r, %c0") + "  }\n";
  EXPECT_EQ(judged(six + inBranch + ifSix), "deadlock");
}

TEST_F(ControlTest, assumptionsThatNothingMeetsProveNothing) {
  std::string below = "  %a = arith.cmpi slt, %n, %c1 : i32\n  llvm.intr.assume %a : i1\n";
  std::string above = "  %b = arith.cmpi sgt, %n, %c5 : i32\n  llvm.intr.assume %b : i1\n";
  std::string ifFive = when("eq, %n, %c5", kWait);
  EXPECT_EQ(judged(below + ifFive), "PROVED");
  EXPECT_EQ(judged(above + ifFive), "PROVED");
  EXPECT_EQ(judged(below + above + ifFive),
            "contradictory assumptions: no launch has all that the kernel assumes");
  // Where the kernel assumes the empty launch it is not left out.
  std::string arrives = "  scf.for %i = %c0 to %n step %c1 : i32 {\n"
                        "    ttng.arrive_barrier %full, 1 : !bar\n  }\n";
  std::string one = "  %b = arith.cmpi eq, %n, %c1 : i32\n  llvm.intr.assume %b : i1\n";
  EXPECT_EQ(judged(below + arrives + kWait), "deadlock");
  EXPECT_EQ(judged(one + arrives + kWait), "PROVED");
}

TEST_F(ControlTest, aBoundOfManySharedPartsIsLookedAtOnce) {
  std::string text = "  %v0 = arith.addi %n, %n : i32\n";
  for (int i = 1; i < 200; ++i)
    text += "  %v" + std::to_string(i) + " = arith.maxsi %v" + std::to_string(i - 1) + ", %v" +
            std::to_string(i - 1) + " : i32\n";
  std::string loop = "  scf.for %i = %c0 to %v199 step %c1 : i32 {\n  }\n";
  EXPECT_EQ(judged(text + when("slt, %n, %c0", kWait) + loop), "PROVED");
}

TEST_F(ControlTest, aTraceSaysWhichWayWasTaken) {
  EXPECT_EQ(judged(when("sgt, %n, %c5", kWait)), "deadlock");
  EXPECT_EQ(branches(), 1u);
  EXPECT_EQ(judged(when("sgt, %n, %c5", "  tt.store %p, %c1 : !tt.ptr<i32>\n") + kWait),
            "deadlock");
  EXPECT_EQ(branches(), 0u); // either way ends there
}

TEST_F(ControlTest, loopsInLoopsInLoops) {
  auto nest = [](int loops, const std::string &parity) {
    std::string text =
        "  ttng.arrive_barrier %full, 1 : !bar\n  ttng.wait_barrier %full, " + parity + " : !bar\n";
    for (int i = 0; i < loops; ++i)
      text =
          "  scf.for %i" + std::to_string(i) + " = %c0 to %c1 step %c1 : i32 {\n" + text + "  }\n";
    return text;
  };
  EXPECT_EQ(judged(nest(24, "%c0")), "PROVED");
  EXPECT_EQ(judged(nest(24, "%c1")), "deadlock");
  EXPECT_NE(judged(nest(25, "%c0")).find("scf.for: inside 24 loops"), std::string::npos);
}
