// AMD: copies to LDS that are waited for by groups and counters, the data mover, waits
// whose order no proxy fence is part of, and the control flow of AMD's kernels.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {

class AmdTest : public EncodeTest {
protected:
  /// The verdict on a kernel with two LDS tiles %a and %b and a way to copy into each.
  std::string verdict(const std::string &body, const std::string &target = "hip:gfx950") {
    return EncodeTest::verdict(R"(
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, ttg.target = ")" +
                               target + R"("} {
tt.func @k(%p: tensor<64x64x!tt.ptr<f16>>, %d: !tt.tensordesc<tensor<64x64xf16>>,
           %v: tensor<64x64xf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c31 = arith.constant 31 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
)" + body + "} }\n");
  }
};

const std::string kTile = "!ttg.memdesc<64x64xf16, #s, #smem, mutable>";

std::string copy(const std::string &into) {
  static int serial = 0;
  return "  %t" + std::to_string(serial++) + " = ttg.async_copy_global_to_local %p, %" + into +
         " : tensor<64x64x!tt.ptr<f16>> -> <64x64xf16, #s, #smem, mutable>\n";
}
std::string commit() {
  static int serial = 0;
  return "  %g" + std::to_string(serial++) + " = ttg.async_commit_group\n";
}
std::string wait(int pending) {
  static int serial = 0;
  return "  %w" + std::to_string(serial++) + " = ttg.async_wait {num = " + std::to_string(pending) +
         " : i32}\n";
}
std::string read(const std::string &from) {
  static int serial = 0;
  return "  %r" + std::to_string(serial++) + " = ttg.local_load %" + from + " : " + kTile +
         " -> tensor<64x64xf16>\n";
}
std::string move(const std::string &into, const std::string &pred = "c1") {
  static int serial = 0;
  return "  %m" + std::to_string(serial++) +
         " = amdg.async_tdm_copy_global_to_local %d[%c0, %c0] into %" + into + ", pred = %" + pred +
         " : !tt.tensordesc<tensor<64x64xf16>> -> " + kTile + "\n";
}
std::string waitMoves(int pending) {
  static int serial = 0;
  return "  %q" + std::to_string(serial++) +
         " = amdg.async_tdm_wait  {num = " + std::to_string(pending) + " : i32}\n";
}
const std::string kReturn = "  tt.return\n";

TEST_F(AmdTest, AGroupIsCompleteWhenFewerNewerOnesArePending) {
  std::string two = copy("a") + commit() + copy("b") + commit();
  EXPECT_EQ(verdict(two + wait(1) + read("a") + wait(0) + read("b") + kReturn), "PROVED");
  EXPECT_EQ(verdict(two + wait(1) + read("b") + kReturn), "race");
  EXPECT_EQ(verdict(two + wait(2) + read("a") + kReturn), "race");
}

TEST_F(AmdTest, AGroupIsWhatACommitCloses) {
  EXPECT_EQ(verdict(copy("a") + copy("b") + commit() + wait(0) + read("b") + kReturn), "PROVED");
  EXPECT_EQ(verdict(copy("a") + commit() + copy("b") + wait(0) + read("b") + kReturn), "race");
}

TEST_F(AmdTest, OneWaveCopiesInOrder) {
  std::string twice = copy("a") + commit() + copy("a") + commit();
  EXPECT_EQ(verdict(twice + wait(0) + read("a") + kReturn), "PROVED");
  EXPECT_EQ(verdict(twice + wait(1) + read("a") + kReturn), "race");
  // asynccnt and cp.async promise no such order.
  EXPECT_EQ(verdict(twice + wait(0) + kReturn, "hip:gfx1250"), "race");
  EXPECT_EQ(verdict(twice + wait(0) + kReturn, "cuda:90"), "race");
}

TEST_F(AmdTest, CopiesThatWavesDivideDifferentlyHaveNoOrder) {
  auto other = [](const std::string &between) {
    return copy("a") + commit() + between +
           "  %ab = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : " + kTile +
           " -> !ttg.memdesc<64x64xf16, #st, #smem, mutable>\n"
           "  %x = ttg.async_copy_global_to_local %p, %ab : tensor<64x64x!tt.ptr<f16>> -> "
           "<64x64xf16, #st, #smem, mutable>\n" +
           commit() + wait(0) + kReturn;
  };
  EXPECT_EQ(verdict(other("")), "race");
  EXPECT_EQ(verdict(other(wait(0))), "PROVED");
}

TEST_F(AmdTest, TheDataMoverCountsOperations) {
  EXPECT_EQ(verdict(move("a") + move("b") + waitMoves(1) + read("a") + waitMoves(0) + read("b") +
                    kReturn),
            "PROVED");
  EXPECT_EQ(verdict(move("a") + move("b") + waitMoves(1) + read("b") + waitMoves(0) + kReturn),
            "race");
  EXPECT_EQ(verdict(move("a") + kReturn), "exit");
}

TEST_F(AmdTest, ThereAreNoProxiesToFence) {
  EXPECT_EQ(verdict("  ttg.local_store %v, %a : tensor<64x64xf16> -> " + kTile +
                    "\n  amdg.async_tdm_copy_local_to_global %d[%c0, %c0] from %a : " + kTile +
                    " -> !tt.tensordesc<tensor<64x64xf16>>\n" + waitMoves(0) + kReturn),
            "PROVED");
}

TEST_F(AmdTest, APredicateMadeOfASignBitIsAComparison) {
  const std::string predicate = "  %x = arith.subi %n, %c1 : i32\n  %s = arith.shrui %x, %c31 : "
                                "i32\n  %no = arith.andi %s, %c1 : i32\n"
                                "  %small = arith.cmpi slt, %n, %c1 : i32\n";
  auto guarded = [&](const std::string &cond) {
    return predicate + move("a", "no") + "  scf.if %" + cond + " {\n  " + waitMoves(0) + "  }\n" +
           kReturn;
  };
  EXPECT_EQ(verdict(guarded("small")), "PROVED");
  EXPECT_EQ(verdict("  %other = arith.cmpi sgt, %n, %c1 : i32\n" + guarded("other")), "exit");
}

TEST_F(AmdTest, AnEarlyReturnIsABranch) {
  auto early = [&](const std::string &before, const std::string &atReturn) {
    return copy("a") + commit() + before + "  %c = arith.cmpi slt, %n, %c1 : i32\n" +
           "  cf.cond_br %c, ^out, ^in\n^out:\n" + atReturn + "  tt.return\n^in:\n" + wait(0) +
           read("a") + kReturn;
  };
  EXPECT_EQ(verdict(early("", "")), "PROVED");
  EXPECT_EQ(verdict(early("", read("a"))), "race");
}

TEST_F(AmdTest, WaysThatMeetAgainPassTheirValuesOn) {
  auto meet = [&](const std::string &first) {
    return copy("a") + commit() + "  %c = arith.cmpi slt, %n, %c1 : i32\n" +
           "  cf.cond_br %c, ^join(%c0 : i32), ^other\n^other:\n" + wait(0) +
           "  cf.br ^join(%c1 : i32)\n^join(%x: i32):\n" + "  %waited = arith.cmpi eq, %x, %" +
           first + " : i32\n  scf.if %waited {\n" + read("a") + "  }\n" + kReturn;
  };
  EXPECT_EQ(verdict(meet("c1")), "PROVED");
  EXPECT_EQ(verdict(meet("c0")), "race");
}

TEST_F(AmdTest, ACallOfAFunctionIsItsValue) {
  // The same function of the same value: both conditions are one.
  auto twice = [&](const std::string &argument) {
    return "  %f = tt.call @even(%n) : (i32) -> i32\n  %g = tt.call @even(%" + argument +
           ") : (i32) -> i32\n  %i = arith.cmpi eq, %f, %c0 : i32\n" +
           "  %j = arith.cmpi eq, %g, %c0 : i32\n  scf.if %i {\n" + copy("a") + commit() +
           "  }\n  scf.if %j {\n" + wait(0) + "  }\n  scf.if %i {\n" + read("a") + "  }\n" +
           kReturn + "}\ntt.func private @even(%x: i32) -> i32 attributes {noinline = true} {\n" +
           "  %y = arith.andi %x, %x : i32\n  tt.return %y : i32\n";
  };
  EXPECT_EQ(verdict(twice("n")), "PROVED");
  EXPECT_EQ(verdict(twice("c1")), "race");
}

TEST_F(AmdTest, AStageOfAPipelineIsPartOfItsLoop) {
  auto stage = [&](const std::string &inside) {
    return copy("a") + commit() + "  scf.execute_region no_inline {\n" + inside +
           "  scf.yield\n  }\n" + read("a") + kReturn;
  };
  EXPECT_EQ(verdict(stage(wait(0))), "PROVED");
  EXPECT_EQ(verdict(stage("")), "race");
}

} // namespace
