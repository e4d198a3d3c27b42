// Reads of shared and tensor memory that nothing has written, and their right twins.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {
class UnwrittenTest : public EncodeTest {
protected:
  UnwrittenTest() { startsBlank = true; }

  std::string judged(const std::string &body) {
    return verdict(R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#smem = #ttg.shared_memory
!bars = !ttg.memdesc<2x1xi64, #b, #smem, mutable>
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!tiles = !ttg.memdesc<2x128x64xf16, #s, #smem, mutable>
!tile = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
!half = !ttg.memdesc<64x64xf16, #s, #smem, mutable, 128x64>
!square = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!accs = !ttg.memdesc<1x128x64xf32, #t, #ttng.tensor_memory, mutable>
!acc = !ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory, mutable>
!regs = tensor<128x64xf32, #tlx.dummy_register_layout<[128, 64], f32, true>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
tt.func @k(%v: tensor<128x64xf16>, %w: tensor<64x64xf16>, %r: !regs, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %true = arith.constant true
  %false = arith.constant false
  %tiles = ttg.local_alloc : () -> !tiles
  %t0 = ttg.memdesc_index %tiles[%c0] : !tiles -> !tile
  %t1 = ttg.memdesc_index %tiles[%c1] : !tiles -> !tile
  %square = ttg.local_alloc %w : (tensor<64x64xf16>) -> !square
  %accs = ttng.tmem_alloc : () -> !accs
  %acc = ttg.memdesc_index %accs[%c0] : !accs -> !acc
)" + body + "  tt.return\n} }\n");
  }
};

std::string store(const std::string &to) {
  return "  ttg.local_store %v, %" + to + " : tensor<128x64xf16> -> !tile\n";
}
std::string load(const std::string &from) {
  return "  %x" + from + " = ttg.local_load %" + from + " : !tile -> tensor<128x64xf16>\n";
}
std::string product(const std::string &takesOver) {
  return "  ttng.tc_gen5_mma %t0, %square, %acc, %" + takesOver +
         ", %true : !tile, !square, !acc\n";
}
const std::string kFence = "  ttng.fence_async_shared {bCluster = false}\n";
const std::string kOperands = store("t0") + kFence;
/// The accumulator is scaled where it lies.
const std::string kScaled = "  %old = ttng.tmem_load %acc : !acc -> !regs\n"
                            "  %scaled = arith.mulf %old, %r : !regs\n"
                            "  ttng.tmem_store %scaled, %acc, %true : !regs -> !acc\n";
const std::string kRead = "  %result = ttng.tmem_load %acc : !acc -> !regs\n"
                          "  %sum = arith.addf %result, %r : !regs\n";
const std::string kUninitialized = "uninitialized";
} // namespace

TEST_F(UnwrittenTest, aSlotIsReadThatIsNeverWritten) {
  EXPECT_EQ(judged(store("t0") + load("t0")), "PROVED");
  EXPECT_EQ(judged(store("t0") + load("t1")), kUninitialized);
  ASSERT_EQ(related.size(), 1u);
  EXPECT_NE(related[0].note.find("nothing ever writes"), std::string::npos);
  EXPECT_EQ(judged(load("t0") + store("t0")), kUninitialized);
  EXPECT_NE(related[0].note.find("not before"), std::string::npos);
}

TEST_F(UnwrittenTest, halfOfATileIsNotAllOfIt) {
  auto half = [](const std::string &name, int row) {
    return "  %" + name + " = ttg.memdesc_subslice %t0[" + std::to_string(row) +
           ", 0] : !tile -> !half\n  ttg.local_store %w, %" + name +
           " : tensor<64x64xf16> -> !half\n";
  };
  EXPECT_EQ(judged(half("h0", 0) + half("h1", 64) + load("t0")), "PROVED");
  EXPECT_EQ(judged(half("h0", 0) + load("t0")), kUninitialized);
  EXPECT_EQ(judged(half("h0", 0) + half("h1", 0) + load("t0")), kUninitialized);
}

TEST_F(UnwrittenTest, onlyOneBranchWrites) {
  std::string either = "  scf.if %c {\n" + store("t0") + "  } else {\n";
  EXPECT_EQ(judged(either + store("t0") + "  }\n" + load("t0")), "PROVED");
  EXPECT_EQ(judged(either + store("t1") + "  }\n" + load("t0")), kUninitialized);
}

TEST_F(UnwrittenTest, theFirstRoundOfARingDecides) {
  auto loop = [](const std::string &lag) {
    return "  scf.for %i = %c0 to %n step %c1 : i32 {\n"
           "    %s = arith.remsi %i, %c2 : i32\n"
           "    %w0 = ttg.memdesc_index %tiles[%s] : !tiles -> !tile\n"
           "    ttg.local_store %v, %w0 : tensor<128x64xf16> -> !tile\n"
           "    %j = arith.addi %i, %" +
           lag +
           " : i32\n"
           "    %q = arith.remsi %j, %c2 : i32\n"
           "    %r0 = ttg.memdesc_index %tiles[%q] : !tiles -> !tile\n"
           "    %y = ttg.local_load %r0 : !tile -> tensor<128x64xf16>\n  }\n";
  };
  EXPECT_EQ(judged(loop("c0")), "PROVED");
  EXPECT_EQ(judged(loop("c2")), "PROVED");
  EXPECT_EQ(judged(loop("c1")), kUninitialized);
  EXPECT_EQ(judged(store("t1") + loop("c1")), "PROVED");
}

TEST_F(UnwrittenTest, operandsOfProductsAreRead) {
  EXPECT_EQ(judged(kOperands + product("false")), "PROVED");
  EXPECT_EQ(judged(store("t1") + kFence + product("false")), kUninitialized);
}

TEST_F(UnwrittenTest, aProductThatStartsAnewTakesNothingOver) {
  EXPECT_EQ(judged(kOperands + product("false") + product("true")), "PROVED");
  EXPECT_EQ(judged(kOperands + product("true")), kUninitialized);
  std::string loop = "  scf.for %i = %c0 to %n step %c1 : i32 {\n"
                     "    %later = arith.cmpi sgt, %i, %";
  EXPECT_EQ(judged(kOperands + loop + "c0 : i32\n" + product("later") + "  }\n"), "PROVED");
  std::string atOnce = "  %m1 = arith.constant -1 : i32\n";
  EXPECT_EQ(judged(kOperands + atOnce + loop + "m1 : i32\n" + product("later") + "  }\n"),
            kUninitialized);
}

TEST_F(UnwrittenTest, whatIsChangedInPlaceHoldsNoMoreThanBefore) {
  EXPECT_EQ(judged(kOperands + kScaled + product("false") + kRead), "PROVED");
  EXPECT_EQ(judged(kOperands + kScaled + product("true")), kUninitialized);
  EXPECT_EQ(judged(kScaled + kRead), kUninitialized);
  std::string zeros = "  ttng.tmem_store %r, %acc, %true : !regs -> !acc\n";
  EXPECT_EQ(judged(zeros + kScaled + kRead), "PROVED");
  EXPECT_EQ(judged(kRead + zeros), kUninitialized);
}
