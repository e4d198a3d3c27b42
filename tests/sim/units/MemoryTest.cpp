#include "sim/units/memory/MemorySystem.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

MemorySystem::Spec smallSpec() {
  MemorySystem::Spec spec;
  spec.sms = 4;
  spec.smBytesPerClk = 64;
  spec.l2BytesPerClk = 128;
  spec.hbmBytesPerClk = 32;
  spec.hitLatency = 200;
  spec.farLatency = 100;
  spec.hbmLatency = 300;
  spec.l2Bytes = 4096;
  spec.partitions = 1;
  return spec;
}

TEST(L2Cache, ReplacesLeastRecentlyUsed) {
  L2Cache cache(3000);
  EXPECT_FALSE(cache.access(0x1000, 1000, false).hit);
  EXPECT_FALSE(cache.access(0x2000, 1000, true).hit);
  EXPECT_FALSE(cache.access(0x3000, 1000, false).hit);
  EXPECT_TRUE(cache.access(0x1000, 1000, false).hit);
  L2Cache::Outcome outcome = cache.access(0x4000, 1000, false); // 0x2000 leaves, dirty
  EXPECT_FALSE(outcome.hit);
  EXPECT_EQ(outcome.writtenBack, 1000);
  EXPECT_TRUE(cache.access(0x1000, 1000, false).hit);
  EXPECT_TRUE(cache.access(0x3000, 1000, false).hit);
  EXPECT_FALSE(cache.access(0x2000, 1000, false).hit);
  EXPECT_EQ(cache.heldBytes(), 3000);
  EXPECT_EQ(cache.dirtyBytes(), 0);
}

TEST(L2Cache, ManyBlocks) {
  L2Cache cache(100000 * 64);
  for (int round = 0; round < 2; ++round)
    for (uint64_t i = 0; i < 100000; ++i)
      EXPECT_EQ(cache.access(i * 64, 64, false).hit, round == 1) << i;
  EXPECT_EQ(cache.heldBytes(), 6400000);
}

TEST(MemorySystem, LatencyOfHitsAndMisses) {
  MemorySystem memory(smallSpec());
  // A miss: 64 bytes take 2 cycles of memory bandwidth, then 200 + 300.
  MemoryReply miss = memory.commit({10, 0, 0x1000, 64});
  EXPECT_FALSE(miss.hit);
  EXPECT_EQ(miss.accepted, 12);
  EXPECT_EQ(miss.ready, 512);
  MemoryReply hit = memory.commit({20, 1, 0x1000, 64});
  EXPECT_TRUE(hit.hit);
  EXPECT_EQ(hit.ready, 20 + 1 + 200);
  EXPECT_EQ(memory.hbmTraffic(), 64);
  EXPECT_EQ(memory.l2Traffic(), 128);
}

TEST(MemorySystem, TheFirstRequestOfAHalfGoesFar) {
  MemorySystem::Spec spec = smallSpec();
  spec.partitions = 2;
  MemorySystem memory(spec);
  memory.commit({0, 0, 0x1000, 64});
  EXPECT_EQ(memory.commit({1000, 2, 0x1000, 64}).ready, 1000 + 1 + 200); // the same half
  EXPECT_EQ(memory.commit({2000, 1, 0x1000, 64}).ready, 2000 + 1 + 300);
  EXPECT_EQ(memory.commit({3000, 3, 0x1000, 64}).ready, 3000 + 1 + 200);
}

TEST(MemorySystem, TheSlowestPortDecides) {
  MemorySystem memory(smallSpec());
  memory.assumeWarm();
  // One SM: 64 bytes a cycle. Four together: L2's 128.
  EXPECT_EQ(memory.commit({0, 0, 0x1000, 6400}).accepted, 100);
  EXPECT_EQ(memory.commit({0, 1, 0x8000, 6400}).accepted, 100);
  EXPECT_EQ(memory.commit({0, 2, 0x9000, 6400}).accepted, 150);
  EXPECT_EQ(memory.hbmTraffic(), 0);
  EXPECT_EQ(memory.query(0, 10), 100);
  EXPECT_EQ(memory.query(3, 10), 10);
}

TEST(MemorySystem, NeighboursRequestsAreMerged) {
  MemorySystem::Spec spec = smallSpec();
  spec.coalesceGroups = 2;
  spec.coalesceWindow = 50;
  MemorySystem memory(spec);
  memory.assumeWarm();
  MemoryReply first = memory.commit({0, 0, 0x1000, 6400});
  MemoryReply merged = memory.commit({30, 2, 0x1000, 6400}); // same group
  EXPECT_EQ(memory.l2Traffic(), 6400);
  EXPECT_EQ(memory.requested(), 12800);
  EXPECT_GE(merged.ready, first.ready);
  memory.commit({30, 1, 0x1000, 6400}); // another group
  EXPECT_EQ(memory.l2Traffic(), 12800);
  memory.commit({51, 2, 0x1000, 6400}); // too late
  EXPECT_EQ(memory.l2Traffic(), 19200);
}

TEST(MemorySystem, DirtyDataLeaveForMemory) {
  MemorySystem memory(smallSpec());
  for (uint64_t i = 0; i < 8; ++i)
    memory.commit({0, 0, 0x1000 * (i + 1), 1024, true});
  EXPECT_EQ(memory.hbmTraffic(), 4 * 1024); // four fit
}

} // namespace
