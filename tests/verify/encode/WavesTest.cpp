// Warp pipelines: two groups of waves run the stages of a loop one after the other, so that
// what meets depends on every barrier that the lowering puts between them.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {

const std::string kRing = "!ttg.memdesc<3x64x64xf16, #s, #smem, mutable>";
const std::string kTile = "!ttg.memdesc<64x64xf16, #s, #smem, mutable>";

/// Values that nobody names again.
std::string fresh() {
  static int serial = 0;
  return "%v" + std::to_string(serial++);
}
std::string slotOf(const std::string &ring, const std::string &index, std::string &lines) {
  std::string slot = fresh();
  lines += slot + " = ttg.memdesc_index %" + ring + "[%" + index + "] : " + kRing + " -> " + kTile +
           "\n";
  return slot;
}
std::string copy(const std::string &ring, const std::string &index) {
  std::string lines, slot = slotOf(ring, index, lines);
  return lines + fresh() + " = ttg.async_copy_global_to_local %p, " + slot +
         " : tensor<64x64x!tt.ptr<f16>> -> <64x64xf16, #s, #smem, mutable>\n";
}
std::string load(const std::string &ring, const std::string &index, bool relaxed = false) {
  std::string lines, slot = slotOf(ring, index, lines);
  return lines + fresh() + " = ttg.local_load " + slot +
         (relaxed ? " {ttg.amdg.syncedViaAsyncWait = true}" : "") + " : " + kTile +
         " -> tensor<64x64xf16>\n";
}
std::string commit() { return fresh() + " = ttg.async_commit_group\n"; }
std::string wait(int pending) {
  return fresh() + " = ttg.async_wait {num = " + std::to_string(pending) + " : i32}\n";
}
std::string border(const std::string &stage) {
  return "rocdl.sched.barrier 0 {triton.warp_pipeline.border = \"" + stage + "\"}\n";
}

class WavesTest : public EncodeTest {
protected:
  /// The verdict on a loop behind three copies into each ring.
  std::string verdict(const std::string &body, int waves = 8) {
    std::string before;
    for (const char *slot : {"c0", "c1", "c2"})
      before += copy("a", slot) + commit() + copy("b", slot) + commit();
    return EncodeTest::verdict(R"(
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [8, 1], order = [1, 0]}>
#halves = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 64], warpsPerCTA = [8, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [64, 1], warpsPerCTA = [1, 8], order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = )" +
                               std::to_string(waves) + R"( : i32, ttg.target = "hip:gfx950"} {
tt.func @k(%p: tensor<64x64x!tt.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %a = ttg.local_alloc : () -> )" +
                               kRing + "\n%b = ttg.local_alloc : () -> " + kRing + "\n" + before +
                               wait(4) + R"(
  scf.for %k = %c0 to %n step %c1 : i32 {
    %k1 = arith.addi %k, %c1 : i32
    %this = arith.remsi %k, %c3 : i32
    %next = arith.remsi %k1, %c3 : i32
)" + body + "}\ntt.return } }\n");
  }
};

std::string refill() { return copy("a", "this") + commit() + copy("b", "this") + commit(); }

TEST_F(WavesTest, ABarrierWithinAStageKeepsTheSecondWavesFromLagging) {
  // The other waves' part of the tile has been waited for one barrier later.
  auto stages = [](bool relaxed) {
    return border("multiply") + wait(2) + refill() + load("a", "next", relaxed) +
           load("b", "next", relaxed) + border("memory");
  };
  EXPECT_EQ(verdict(stages(false)), "PROVED"); // one between the copies and the loads
  EXPECT_EQ(verdict(stages(true)), "race");
  EXPECT_EQ(related.front().task, 1);
  EXPECT_EQ(verdict(stages(true), 4), "PROVED");
}

TEST_F(WavesTest, AWaitOneStageEarlierIsEveryWaves) {
  auto stages = [](const std::string &early, const std::string &late) {
    return early + border("one") + late + load("a", "this", true) + load("b", "this", true) +
           border("two") + border("three") + refill() + border("four");
  };
  EXPECT_EQ(verdict(stages(wait(4), "")), "PROVED");
  EXPECT_EQ(verdict(stages("", wait(4))), "race");
  EXPECT_EQ(verdict(stages("", wait(4)), 4), "PROVED");
}

TEST_F(WavesTest, WhatOneStageReadsTheNextMayNotFill) {
  auto stages = [](const std::string &between) {
    return wait(4) + border("multiply") + load("a", "this") + load("b", "this") + border("load") +
           between + refill() + border("copy");
  };
  EXPECT_EQ(verdict(stages("")), "race"); // the second waves still read
  EXPECT_EQ(verdict(stages(border("between"))), "PROVED");
  EXPECT_EQ(verdict(stages(""), 4), "PROVED");
}

TEST_F(WavesTest, OperationsBehindTheLastBorderAreAStage) {
  auto stages = [](const std::string &tail) {
    return wait(4) + border("multiply") + refill() + border("copy") + load("a", "next") +
           load("b", "next") + tail;
  };
  EXPECT_EQ(verdict(stages(border("load"))), verdict(stages("")));
  EXPECT_EQ(verdict(wait(4) + border("multiply") + load("a", "this") + border("load") + refill()),
            "race");
}

TEST_F(WavesTest, WhatWavesExchangeWithinAStageHasBarriersThatAreNotKnown) {
  const std::string rows = "tensor<64x64xf32, #rows>", value = "%x = arith.constant dense<1.0> : ";
  auto stages = [&](const std::string &operation) {
    return wait(0) + value + rows + "\n" + border("one") + operation + border("two");
  };
  auto reduce = [&](int axis) {
    return "%m = \"tt.reduce\"(%x) <{axis = " + std::to_string(axis) + R"( : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : ()" +
           rows + ") -> tensor<64xf32, #ttg.slice<{dim = " + std::to_string(axis) +
           ", parent = #rows}>>\n";
  };
  auto convert = [&](const std::string &to) {
    return "%y = ttg.convert_layout %x : " + rows + " -> tensor<64x64xf32, #" + to + ">\n";
  };
  const std::string why = "exchanges data between waves within a stage of a warp pipeline";
  EXPECT_EQ(verdict(stages(reduce(1))), "PROVED"); // a row is one wave's
  EXPECT_NE(verdict(stages(reduce(0))).find("tt.reduce: " + why), std::string::npos);
  EXPECT_EQ(verdict(stages(convert("halves"))), "PROVED");
  EXPECT_NE(verdict(stages(convert("columns"))).find("ttg.convert_layout: " + why),
            std::string::npos);
  EXPECT_EQ(verdict(stages(reduce(0)), 4), "PROVED");
}

TEST_F(WavesTest, MbarriersBesideAPipelineAreNotKnown) {
  std::string init = "%bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s1, #smem, mutable>\n"
                     "ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #s1, #smem, mutable>\n";
  std::string stages = wait(0) + border("one") + load("a", "this") + border("two");
  EXPECT_EQ(verdict(stages), "PROVED");
  EXPECT_NE(verdict(init + stages).find("ttng.init_barrier: beside a warp pipeline"),
            std::string::npos);
}

TEST_F(WavesTest, EachGroupWritesItsPartOfATile) {
  auto store = [](const std::string &value) {
    std::string lines, slot = slotOf("a", "this", lines);
    return lines + "ttg.local_store %" + value + ", " + slot + " : tensor<64x64xf16> -> " + kTile +
           "\n";
  };
  std::string value = "%x = arith.constant dense<1.0> : tensor<64x64xf16>\n";
  // Both groups store their parts of the tile and of the next, and nobody reads.
  EXPECT_EQ(verdict(wait(0) + value + border("one") + store("x") + border("two")), "PROVED");
  EXPECT_EQ(verdict(wait(0) + value + border("one") + store("x") + border("two") +
                    load("a", "this", true) + border("three")),
            "race");
}

} // namespace
