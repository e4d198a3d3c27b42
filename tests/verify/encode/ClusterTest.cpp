// The cluster barrier waits for every warp that has been launched, and what the lowering
// adds of its own.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {
const std::string kMeet = "  ttng.cluster_arrive\n  ttng.cluster_wait\n";

class ClusterTest : public EncodeTest {
protected:
  /// Two partitions beside the default warps, in a cluster of two CTAs.
  std::string tasks(const std::string &defaults, const std::string &first,
                    const std::string &second, int warps) {
    auto partition = [&](int i, const std::string &body) {
      return "partition" + std::to_string(i) + "() num_warps(" + std::to_string(warps) + ") {\n" +
             body + "  ttg.warp_return\n}\n";
    };
    LaunchShape launch;
    launch.target = "cuda:90";
    launch.numWarps = 4;
    launch.cluster = {2, 1, 1};
    return verdict("module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32} {\n"
                   "tt.func @k() {\n  ttg.warp_specialize()\n  default {\n" +
                       defaults + "  ttg.warp_yield\n}\n" + partition(0, first) +
                       partition(1, second) + ": () -> ()\n  tt.return\n} }\n",
                   launch);
  }
};
} // namespace

TEST_F(ClusterTest, aLaunchHasAWholeCluster) {
  auto fewer = [&](int64_t size) {
    LaunchShape launch;
    launch.numWarps = 4;
    launch.cluster = {size, 1, 1};
    return verdict(R"(
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #b, #ttg.shared_memory, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k() {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %bar = ttg.local_alloc : () -> !bar
  ttng.init_barrier %bar, 1 : !bar
  %programs = tt.get_num_programs x : i32
  %fewer = arith.cmpi slt, %programs, %c2 : i32
  scf.if %fewer {
    ttng.wait_barrier %bar, %c0 : !bar
  }
  tt.return
} }
)",
                   launch);
  };
  EXPECT_EQ(fewer(2), "PROVED");
  EXPECT_EQ(fewer(1), "deadlock");
}

TEST_F(ClusterTest, everyTaskMeets) {
  EXPECT_EQ(tasks(kMeet, kMeet, kMeet, 4), "PROVED");
  EXPECT_EQ(tasks("", "", "", 4), "PROVED");
}

TEST_F(ClusterTest, aTaskThatHasEndedIsStillWaitedFor) {
  EXPECT_EQ(tasks(kMeet, kMeet, "", 4), "deadlock");
  EXPECT_NE(message.find("partition1 has ended without"), std::string::npos) << message;
  EXPECT_EQ(tasks(kMeet + kMeet, kMeet, kMeet, 4), "deadlock");
}

TEST_F(ClusterTest, anArrivalOfATaskThatEndsCounts) {
  EXPECT_EQ(tasks(kMeet, kMeet, "  ttng.cluster_arrive\n", 4), "PROVED");
}

TEST_F(ClusterTest, warpsThatFillAGroupAreWaitedFor) {
  EXPECT_EQ(tasks(kMeet, kMeet, kMeet, 2), "PROVED"); // a group of four between them
  EXPECT_EQ(tasks(kMeet, kMeet, kMeet, 1), "deadlock");
  EXPECT_NE(message.find("idle warps"), std::string::npos) << message;
  EXPECT_EQ(tasks("", "", "", 1), "PROVED");
}

TEST_F(ClusterTest, ofStoresTmaStoresAreFencedByTheLoweringAndBulkStoresAreNot) {
  auto stored = [&](const std::string &fence, const std::string &store) {
    LaunchShape launch;
    launch.beforeTtgir = true;
    return verdict(R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!m = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k(%d: !tt.tensordesc<tensor<64x64xf16>>, %p: !tt.ptr<f16>, %v: tensor<64x64xf16>) {
  %c0 = arith.constant 0 : i32
  %n = arith.constant 8192 : i32
  %m = ttg.local_alloc : () -> !m
  ttg.local_store %v, %m : tensor<64x64xf16> -> !m
)" + fence + store + "  ttng.async_tma_store_wait {pendings = 0 : i32}\n  tt.return\n} }\n",
                   launch);
  };
  const std::string fence = "  ttng.fence_async_shared {bCluster = false}\n";
  const std::string tma = "  ttng.async_tma_copy_local_to_global %d[%c0, %c0] %m : "
                          "!tt.tensordesc<tensor<64x64xf16>>, !m\n";
  const std::string bulk = "  ttng.async_store %m, %p, %n : !m, !tt.ptr<f16>\n";
  EXPECT_EQ(stored("", tma), "PROVED");
  EXPECT_EQ(stored(fence, bulk), "PROVED");
  EXPECT_EQ(stored("", bulk), "proxy-fence");
}

TEST_F(ClusterTest, tensorMemoryOfAPairIsAllocatedWhenBothRun) {
  auto pair = [&](const std::string &before, bool contract) {
    LaunchShape launch;
    launch.target = "cuda:100";
    launch.cluster = {2, 1, 1};
    if (!contract)
      launch.lowerings.drop(Lowering::ClusterSync);
    return verdict(R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!a = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
!h = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!acc = !ttg.memdesc<128x128xf32, #t, #ttng.tensor_memory, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k() {
  %c0 = arith.constant 0 : i32
  %false = arith.constant false
  %true = arith.constant true
  %a = ttg.local_alloc : () -> !a
  %b = ttg.local_alloc : () -> !h
  %done = ttg.local_alloc : () -> !bar
  ttng.init_barrier %done, 1 : !bar
  ttng.fence_mbarrier_init_release_cluster
)" + before + R"(
  %acc = ttng.tmem_alloc : () -> !acc
)" + kMeet + R"(
  ttng.tc_gen5_mma %a, %b, %acc, %false, %true, %done[%true] {is_async, two_ctas} : !a, !h, !acc, !bar
  ttng.wait_barrier %done, %c0, %true : !bar
)" + kMeet + R"(
  tt.return
} }
)",
                   launch);
  };
  EXPECT_EQ(pair("", true), "PROVED");
  EXPECT_EQ(pair(kMeet, false), "PROVED");
  EXPECT_EQ(pair("", false), "cluster-entry");
}
