// What tasks of one kernel do to each other outside shared memory: elements of
// global memory, tensor memory that is freed, lanes that part.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {

class TasksTest : public EncodeTest {
protected:
  std::string verdict(const std::string &text) {
    LaunchShape launch;
    launch.numWarps = 4;
    return EncodeTest::verdict(text, launch);
  }

  /// Two tasks that store 64 elements each: `block` or `other` times 64 and on.
  std::string twoStores(const std::string &block, const std::string &value,
                        const std::string &bound = "%n") {
    std::string addresses = R"(
      %o = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
      %s = tt.splat BLOCK : i32 -> tensor<64xi32>
      %i = arith.addi %s, %o : tensor<64xi32>
      %m = tt.splat BOUND : i32 -> tensor<64xi32>
      %w = arith.cmpi slt, %i, %m : tensor<64xi32>
      %q = tt.splat POINTER : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %a = tt.addptr %q, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %v = arith.constant dense<VALUE> : tensor<64xf32>
      tt.store %a, %v, %w : tensor<64x!tt.ptr<f32>>
)";
    auto with = [&](std::map<std::string, std::string> words) {
      std::string text = addresses;
      for (auto &[word, by] : words)
        for (size_t at; (at = text.find(word)) != std::string::npos;)
          text.replace(at, word.size(), by);
      return text;
    };
    return R"(module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @k(%p: !tt.ptr<f32>, %block: i32, %other: i32, %n: i32) {
    ttg.warp_specialize(%p, %block, %other, %n)
    default {)" +
           with({{"BLOCK", "%block"}, {"BOUND", "%n"}, {"POINTER", "%p"}, {"VALUE", "1.0"}}) +
           R"(      ttg.warp_yield
    }
    partition0(%pa: !tt.ptr<f32>, %blocka: i32, %othera: i32, %na: i32) num_warps(4) {)" +
           with({{"BLOCK", block + "a"},
                 {"BOUND", bound + "a"},
                 {"POINTER", "%pa"},
                 {"VALUE", value}}) +
           R"(      ttg.warp_return
    } : (!tt.ptr<f32>, i32, i32, i32) -> ()
    tt.return
  }
})";
  }
};

} // namespace

TEST_F(TasksTest, twoTasksStoreDifferentValuesToTheSameElements) {
  EXPECT_EQ(verdict(twoStores("%block", "2.0")), "race");
  EXPECT_EQ(verdict(twoStores("%block", "1.0")), "PROVED");         // the same value
  EXPECT_EQ(verdict(twoStores("%other", "2.0")), "PROVED");         // not compared
  EXPECT_EQ(verdict(twoStores("%block", "2.0", "%other")), "race"); // below both bounds
}

TEST_F(TasksTest, aTensorMapIsRewrittenAfterTheStoreThatReadsIt) {
  auto kernel = [](const std::string &before) {
    return R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @k(%p: !tt.ptr<f16>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %l0 = arith.constant 64 : i64
    %l1 = arith.constant 1 : i64
    %t = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %maps = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 256 : i32} : !tt.ptr<i8>
    scf.for %g = %c0 to %n step %c1 : i32 {
      )" + before +
           R"(
      %made = tt.make_tensor_descriptor %p, [%n, %c64], [%l0, %l1], descPtr = %at : !tt.ptr<i8> : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
      %d = ttng.reinterpret_tensor_descriptor %at : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16>>
      ttng.async_tma_copy_local_to_global %d[%c0, %c0] %t : !tt.tensordesc<tensor<64x64xf16>>, !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    }
    ttng.async_tma_store_wait {pendings = 0 : i32}
    tt.return
  }
})";
  };
  std::string wait = "ttng.async_tma_store_wait {pendings = 0 : i32}\n";
  std::string late = "ttng.async_tma_store_wait {pendings = 1 : i32}\n";
  std::string first = "%o = arith.constant 0 : i32\n"
                      "%at = tt.addptr %maps, %o : !tt.ptr<i8>, i32\n";
  std::string inTurn = "%two = arith.constant 2 : i32\n"
                       "%bytes = arith.constant 128 : i32\n"
                       "%i = arith.remsi %g, %two : i32\n"
                       "%o = arith.muli %i, %bytes : i32\n"
                       "%at = tt.addptr %maps, %o : !tt.ptr<i8>, i32\n";
  EXPECT_EQ(verdict(kernel(wait + first)), "PROVED");
  EXPECT_EQ(verdict(kernel(first)), "race");
  EXPECT_EQ(verdict(kernel(late + inTurn)), "PROVED");
  EXPECT_EQ(verdict(kernel(late + first)), "race");
}

/// Products out of copied tiles, each on the next of two barriers, which every warp waits for one
/// step later.
TEST_F(TasksTest, AWaitForCopiesIsOneForAllWarps) {
  const char *ring = R"(
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#bars = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
!bar = !ttg.memdesc<1xi64, #bars, #smem, mutable>
!bars = !ttg.memdesc<2x1xi64, #bars, #smem, mutable>
!tile = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!tiles = !ttg.memdesc<3x64x64xf16, #tile, #smem, mutable>
!from = tensor<64x64x!tt.ptr<f16>, #blocked>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @k(%from: !from, %n: i32) {
    %true = arith.constant true
    %0 = arith.constant 0 : i32
    %1 = arith.constant 1 : i32
    %2 = arith.constant 2 : i32
    %3 = arith.constant 3 : i32
    %acc = ttng.tmem_alloc : () -> !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %bars = ttg.local_alloc : () -> !bars
    %b0 = ttg.memdesc_index %bars[%0] : !bars -> !bar
    ttng.init_barrier %b0, 1 : !bar
    %b1 = ttg.memdesc_index %bars[%1] : !bars -> !bar
    ttng.init_barrier %b1, 1 : !bar
    %a = ttg.local_alloc : () -> !tiles
    %a0 = ttg.memdesc_index %a[%0] : !tiles -> !tile
    %c0 = ttg.async_copy_global_to_local %from, %a0 : !from -> !tile
    %g0 = ttg.async_commit_group tokens %c0
    %a1 = ttg.memdesc_index %a[%1] : !tiles -> !tile
    %c1 = ttg.async_copy_global_to_local %from, %a1 : !from -> !tile
    %g1 = ttg.async_commit_group tokens %c1
    %w0 = ttg.async_wait %g0 {num = 1 : i32}
    ttng.tc_gen5_mma %a0, %a0, %acc, %true, %true, %b0[%true] {is_async} : !tile, !tile, !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>, !bar
    scf.for %i = %1 to %n step %1 : i32 {
      %slot = arith.remsi %i, %3 : i32
      %at = ttg.memdesc_index %a[%slot] : !tiles -> !tile
      %w = ttg.async_wait {num = 0 : i32}
      %bit = arith.remsi %i, %2 : i32
      %b = ttg.memdesc_index %bars[%bit] : !bars -> !bar
      ttng.tc_gen5_mma %at, %at, %acc, %true, %true, %b[%true] {is_async} : !tile, !tile, !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>, !bar
      %last = arith.subi %i, %1 : i32
      %lastBit = arith.remsi %last, %2 : i32
      %lastBar = ttg.memdesc_index %bars[%lastBit] : !bars -> !bar
      %turn = arith.divsi %last, %2 : i32
      %phase = arith.remsi %turn, %2 : i32
      ttng.wait_barrier %lastBar, %phase : !bar
      %next = arith.addi %i, %1 : i32
      %nextSlot = arith.remsi %next, %3 : i32
      %to = ttg.memdesc_index %a[%nextSlot] : !tiles -> !tile
      %c = ttg.async_copy_global_to_local %from, %to : !from -> !tile
      %g = ttg.async_commit_group tokens %c
    }
    %end = arith.subi %n, %1 : i32
    %endBit = arith.remsi %end, %2 : i32
    %endBar = ttg.memdesc_index %bars[%endBit] : !bars -> !bar
    %endTurn = arith.divsi %end, %2 : i32
    %endPhase = arith.remsi %endTurn, %2 : i32
    ttng.wait_barrier %endBar, %endPhase : !bar
    tt.return
  }
})";
  LaunchShape launch;
  launch.numWarps = 4;
  EXPECT_EQ(EncodeTest::verdict(ring, launch), "PROVED") << message;
  launch.lowerings.drop(Lowering::TaskBarrierAfterCopyWait);
  EXPECT_EQ(EncodeTest::verdict(ring, launch), "lost-phase") << message;
}
