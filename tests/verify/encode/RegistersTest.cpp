// Results of asynchronous products, read before and after a wait.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {
class RegistersTest : public EncodeTest {
protected:
  /// `body` has operands %a and %b, an accumulator %z and a product %p in flight.
  std::string judged(const std::string &body) {
    return verdict(R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!t = tensor<64x64xf32, #mma>
!m = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
tt.func @k(%n: i32, %c: i1, %src: tensor<64x64x!tt.ptr<f16>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : !t
  %a = ttg.local_alloc : () -> !m
  %b = ttg.local_alloc : () -> !m
  %p = ttng.warp_group_dot %a, %b, %z {isAsync = true} : !m * !m -> !t
)" + body + "  tt.return\n} }\n");
  }
};

std::string wait(const std::string &name, const std::string &of, int pending) {
  return "  %" + name + " = ttng.warp_group_dot_wait %" + of +
         " {pendings = " + std::to_string(pending) + " : i32} : !t\n";
}
std::string dot(const std::string &name, const std::string &onto) {
  return "  %" + name + " = ttng.warp_group_dot %a, %b, %" + onto +
         " {isAsync = true} : !m * !m -> !t\n";
}
std::string read(const std::string &name) {
  return "  %x_" + name + " = arith.addf %" + name + ", %" + name + " : !t\n";
}
} // namespace

TEST_F(RegistersTest, aProductIsReadAfterItsWait) {
  EXPECT_EQ(judged(wait("w", "p", 0) + read("w")), "PROVED");
  EXPECT_EQ(judged(read("p")), "race");
  EXPECT_NE(message.find("asynchronous write by ttng.warp_group_dot"), std::string::npos);
}

TEST_F(RegistersTest, aWaitThatLeavesItPendingIsNotEnough) {
  EXPECT_EQ(judged(wait("w", "p", 1) + read("w")), "race");
  EXPECT_EQ(judged(dot("q", "z") + wait("w", "p", 1) + read("w")), "PROVED");
  EXPECT_EQ(judged(dot("q", "z") + wait("w", "q", 1) + read("w")), "race");
}

TEST_F(RegistersTest, aLaterProductMayAccumulateOntoIt) {
  EXPECT_EQ(judged(dot("q", "p") + wait("w", "q", 0) + read("w")), "PROVED");
  EXPECT_EQ(judged(dot("q", "p") + read("q")), "race");
}

TEST_F(RegistersTest, loopsAndBranchesCarryIt) {
  auto loop = [](const std::string &waits) {
    return "  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!t) : i32 {\n" +
           dot("q", "acc") + wait("w1", "q", 1) + "  scf.yield %w1 : !t\n  }\n" + waits;
  };
  EXPECT_EQ(judged(loop(wait("w", "r", 0) + read("w"))), "PROVED");
  EXPECT_EQ(judged(loop(read("r"))), "race");
  auto branch = [](const std::string &yields) {
    return "  %r = scf.if %c -> (!t) {\n" + wait("w", "p", 0) +
           "  scf.yield %w : !t\n  } else {\n" + "  scf.yield %" + yields + " : !t\n  }\n" +
           read("r");
  };
  EXPECT_EQ(judged(branch("z")), "PROVED");
  EXPECT_EQ(judged(branch("p")), "race");
}

/// fbtriton 3.7.4 makes such a loop of one whose tile feeds an asynchronous product and one that
/// is none: a ring with no slot to spare, refilled while the product may still read.
TEST_F(RegistersTest, aCopyMayNotRefillWhatAProductStillReads) {
  auto ring = [&](int slots, int pending) {
    const std::string tiles =
        "!ttg.memdesc<" + std::to_string(slots) + "x64x64xf16, #s, #smem, mutable>";
    auto copy = [&](const std::string &name, const std::string &slot) {
      return "  %" + name + " = ttg.memdesc_index %q[%" + slot + "] : " + tiles + " -> !m\n  %t" +
             name + " = ttg.async_copy_global_to_local %src, %" + name +
             " : tensor<64x64x!tt.ptr<f16>> -> <64x64xf16, #s, #smem, mutable>\n  %g" + name +
             " = ttg.async_commit_group tokens %t" + name + "\n";
    };
    return judged(wait("first", "p", 0) + "  %q = ttg.local_alloc : () -> " + tiles +
                  "\n  %slots = arith.constant " + std::to_string(slots) +
                  " : i32\n  %c2 = arith.constant 2 : i32\n" + copy("q0", "c0") + copy("q1", "c1") +
                  R"(
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!t) : i32 {
    %s = arith.remsi %i, %slots : i32
    %i2 = arith.addi %i, %c2 : i32
    %next = arith.remsi %i2, %slots : i32
    %ready = ttg.async_wait {num = 1 : i32}
    %tile = ttg.memdesc_index %q[%s] : )" +
                  tiles + R"( -> !m
    %d = ttng.warp_group_dot %a, %tile, %acc {isAsync = true} : !m * !m -> !t
)" + wait("w", "d", pending) +
                  copy("refill", "next") + "  scf.yield %w : !t\n  }\n" + wait("end", "r", 0));
  };
  EXPECT_EQ(ring(2, 0), "PROVED");
  EXPECT_EQ(ring(2, 1), "race");
  EXPECT_EQ(ring(3, 1), "PROVED");
}
