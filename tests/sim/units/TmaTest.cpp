#include "sim/units/memory/MemorySystem.h"
#include "sim/units/tma/TmaEngine.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

MemorySystem::Spec memorySpec() {
  MemorySystem::Spec spec;
  spec.gpcs = {0};
  spec.smBytesPerClk = 64;
  spec.smWriteBytesPerClk = 64;
  spec.l2BytesPerClk = 6400;
  spec.l2WriteBytesPerClk = 6400;
  spec.hbmBytesPerClk = 2000;
  spec.hitLatency = 264;
  spec.farLatency = 136;
  spec.hbmLatency = 350;
  spec.l2Bytes = 1 << 25;
  spec.partitions = 1;
  return spec;
}

TmaEngine::Spec tmaSpec(int64_t credit = 1 << 20) {
  TmaEngine::Spec spec;
  spec.issueGap = 33;
  spec.latency = 101;
  spec.storeLatency = 400;
  spec.storeCommit = 200;
  spec.multicast = 100;
  spec.descriptorMiss = 250;
  spec.creditBytes = credit;
  return spec;
}

TEST(Tma, ASmallLoadThatHits) {
  MemorySystem memory(memorySpec());
  memory.assumeWarm();
  TmaEngine tma(tmaSpec(), 0, memory);
  // 128 bytes: 2 cycles at the link, 264 to L2 and back, 101 in the engine.
  TmaEngine::Turn turn = tma.load(1000, {0x1000, 0, 1, 128});
  EXPECT_EQ(turn.start, 1000);
  EXPECT_EQ(turn.done, 1000 + 2 + 264 + 101);
  EXPECT_EQ(turn.hits, 1);
  TmaEngine::Turn wide = tma.load(2000, {0x1000, 0, 1, 128, true, true});
  EXPECT_EQ(wide.done, 2000 + 2 + 264 + 101 + 100 + 250);
}

TEST(Tma, BoxesFollowAtTheGapOrAtTheLink) {
  MemorySystem memory(memorySpec());
  memory.assumeWarm();
  TmaEngine tma(tmaSpec(), 0, memory);
  // Small boxes: the gap limits.
  EXPECT_EQ(tma.load(0, {0x1000, 128, 4, 1024}).done, 3 * 33 + 16 + 264 + 101);
  // Large ones: 4 x 8192 bytes at 64 a cycle.
  MemorySystem other(memorySpec());
  other.assumeWarm();
  TmaEngine large(tmaSpec(), 0, other);
  EXPECT_EQ(large.load(0, {0x1000, 128, 4, 8192}).done, 512 + 264 + 101);
  EXPECT_EQ(large.query(10, {0x1000, 0, 1, 8192}).start, 132);
  EXPECT_EQ(large.query(10, {0x1000, 0, 1, 8192}).heldBy, Reason::Port);
}

TEST(Tma, CreditBoundsWhatIsInFlight) {
  MemorySystem memory(memorySpec());
  memory.assumeWarm();
  TmaEngine tma(tmaSpec(16384), 0, memory);
  Cycles first = tma.load(0, {0x1000, 0, 1, 8192}).done;
  tma.load(0, {0x9000, 0, 1, 8192});
  TmaEngine::Turn third = tma.query(100, {0x11000, 0, 1, 8192});
  EXPECT_EQ(third.heldBy, Reason::Credit);
  EXPECT_EQ(third.start, first);
}

TEST(Tma, AStoreFreesItsSourceBeforeItIsVisible) {
  MemorySystem memory(memorySpec());
  memory.assumeWarm();
  TmaEngine tma(tmaSpec(), 0, memory);
  TmaEngine::Turn turn = tma.store(0, {0x1000, 0, 1, 8192});
  EXPECT_EQ(turn.sourceRead, 128 + 400);
  EXPECT_EQ(turn.done, 128 + 600);
  EXPECT_EQ(tma.busy(), 33);
}

TEST(Tma, StoresLeaveSharedMemoryAtTheirOwnRate) {
  MemorySystem::Spec slow = memorySpec();
  slow.smWriteBytesPerClk = 16;
  MemorySystem memory(slow);
  memory.assumeWarm();
  TmaEngine tma(tmaSpec(), 0, memory);
  EXPECT_EQ(tma.store(0, {0x1000, 0, 1, 8192}).sourceRead, 512 + 400);
  EXPECT_EQ(tma.store(0, {0x8000, 0, 1, 8192}).sourceRead, 1024 + 400);
  EXPECT_EQ(tma.load(0, {0x1000, 0, 1, 128}).start, 66); // loads wait for the gap only
}

} // namespace
