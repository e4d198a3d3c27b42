#include "sim/units/memory/MemorySystem.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

MemorySystem::Spec smallSpec() {
  MemorySystem::Spec spec;
  spec.gpcs = {0, 0, 1, 1};
  spec.smBytesPerClk = 64;
  spec.smWriteBytesPerClk = 16;
  spec.l2BytesPerClk = 128;
  spec.l2WriteBytesPerClk = 32;
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

TEST(L2Cache, WhatIsWrittenDrivesOutWhatWasWrittenBefore) {
  L2Cache cache(3000);
  cache.assumeDirty();
  EXPECT_EQ(cache.access(0x1000, 1000, true).writtenBack, 1000);
  EXPECT_EQ(cache.access(0x1000, 1000, true).writtenBack, 0); // dirty already
  EXPECT_EQ(cache.access(0x2000, 1000, false).writtenBack, 0);
  cache.access(0x3000, 1000, false);
  EXPECT_EQ(cache.access(0x4000, 1000, false).writtenBack, 0); // 0x1000 leaves, in its place before
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
  EXPECT_EQ(memory.answered(0), 512);
  EXPECT_EQ(memory.answered(1), 221);
  EXPECT_EQ(memory.answered(2), 0); // has asked for nothing
  EXPECT_EQ(memory.hbmTraffic(), 64);
  EXPECT_EQ(memory.l2Traffic(), 128);
}

TEST(MemorySystem, TheFirstRequestOfAHalfGoesFar) {
  MemorySystem::Spec spec = smallSpec();
  spec.partitions = 2; // GPC 0 and GPC 1
  MemorySystem memory(spec);
  memory.commit({0, 0, 0x1000, 64});
  EXPECT_EQ(memory.l2Traffic(), 64 + 32); // half of the lines by way of the other half
  EXPECT_EQ(memory.commit({1000, 1, 0x1000, 64}).ready, 1000 + 1 + 200); // the same half
  EXPECT_EQ(memory.commit({2000, 2, 0x1000, 64}).ready, 2000 + 1 + 300);
  EXPECT_EQ(memory.commit({3000, 3, 0x1000, 64}).ready, 3000 + 1 + 200);
  EXPECT_EQ(memory.l2Traffic(), 4 * 64 + 2 * 32);
  memory.commit({4000, 0, 0x1000, 64, true}); // a write takes the copies away
  EXPECT_EQ(memory.commit({5000, 1, 0x1000, 64}).ready, 5000 + 1 + 300);
  EXPECT_EQ(memory.hbmTraffic(), 64);
}

TEST(L2Cache, CopiesTakeRoom) {
  L2Cache cache(4000, 2);
  cache.access(0x1000, 1000, false, 0);
  EXPECT_EQ(cache.heldBytes(), 1500);
  EXPECT_EQ(cache.access(0x1000, 1000, false, 1).copied, 500);
  EXPECT_EQ(cache.access(0x1000, 1000, false, 1).copied, 0);
  EXPECT_EQ(cache.heldBytes(), 2000);
  cache.access(0x2000, 1000, true, 1); // written: at home only
  EXPECT_EQ(cache.heldBytes(), 3000);
  cache.access(0x3000, 1000, false, 0); // the oldest has to leave
  EXPECT_EQ(cache.heldBytes(), 2500);
  EXPECT_FALSE(cache.access(0x1000, 1000, false, 0).hit);
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

TEST(MemorySystem, ReadsAndWritesShareTheSlices) {
  MemorySystem::Spec spec = smallSpec();
  spec.l2WriteBytesPerClk = spec.l2BytesPerClk / 2;
  spec.smWriteBytesPerClk = 1e6;
  MemorySystem memory(spec);
  memory.assumeWarm();
  EXPECT_EQ(memory.commit({0, 0, 0x1000, 12800, true}).accepted, 200); // 64 bytes a cycle
  EXPECT_EQ(memory.commit({0, 1, 0x9000, 1280}).accepted, 210);        // 128, after it
  MemoryRequest atomic{0, 2, 0x9000, 320};
  atomic.atomic = true;
  spec.atomicBytesPerClk = 32;
  MemorySystem slow(spec);
  slow.assumeWarm();
  EXPECT_EQ(slow.commit(atomic).accepted, 10);
}

TEST(MemorySystem, NeighboursRequestsAreMerged) {
  MemorySystem::Spec spec = smallSpec();
  spec.gpcs = {0, 0, 0, 0, 1};
  spec.mergeMost = 3;
  spec.mergeReturn = 150; // of 200: for 50 cycles
  MemorySystem memory(spec);
  memory.assumeWarm();
  MemoryReply first = memory.commit({0, 0, 0x1000, 640});
  MemoryReply merged = memory.commit({50, 1, 0x1000, 640});
  EXPECT_EQ(memory.l2Traffic(), 640);
  EXPECT_EQ(memory.requested(), 1280);
  EXPECT_GE(merged.ready, first.ready);
  memory.commit({50, 4, 0x1000, 640}); // another GPC
  EXPECT_EQ(memory.l2Traffic(), 1280);
  memory.commit({50, 2, 0x1000, 640, false, true}); // a multicast
  EXPECT_EQ(memory.l2Traffic(), 1920);
  memory.commit({50, 2, 0x1000, 640});
  EXPECT_EQ(memory.l2Traffic(), 1920);
  memory.commit({50, 3, 0x1000, 640}); // one too many, and the first of its own
  EXPECT_EQ(memory.l2Traffic(), 2560);
  memory.commit({200, 0, 0x1000, 640}); // too late
  EXPECT_EQ(memory.l2Traffic(), 3200);
}

TEST(MemorySystem, ARequestThatWaitsForMemoryIsJoinedLonger) {
  MemorySystem::Spec spec = smallSpec();
  spec.mergeMost = 2;
  spec.mergeReturn = 150;
  MemorySystem memory(spec);
  MemoryReply miss = memory.commit({0, 0, 0x1000, 64});
  EXPECT_EQ(memory.commit({300, 1, 0x1000, 64}).ready,
            miss.ready); // 200 + 300 - 150 have not passed
  EXPECT_EQ(memory.l2Traffic(), 64);
}

TEST(MemorySystem, SmsThatDriftMergeLess) {
  MemorySystem::Spec spec = smallSpec();
  spec.gpcs.assign(64, 0);
  spec.l2BytesPerClk = 1e6;
  spec.mergeMost = 64;
  spec.mergeReturn = 150;
  MemorySystem step(spec);
  spec.drift = 1000;
  MemorySystem apart(spec);
  for (MemorySystem *memory : {&step, &apart}) {
    memory->assumeWarm();
    for (int sm = 0; sm < 64; ++sm)
      memory->commit({0, sm, 0x1000, 64});
  }
  EXPECT_EQ(step.l2Traffic(), 64);
  EXPECT_GT(apart.l2Traffic(), 32 * 64);
  EXPECT_LT(apart.l2Traffic(), 64 * 64);
}

TEST(MemorySystem, WritesHaveLinksOfTheirOwn) {
  MemorySystem memory(smallSpec());
  memory.assumeWarm();
  EXPECT_EQ(memory.commit({0, 0, 0x1000, 640, true}).accepted, 40); // 16 bytes a cycle
  EXPECT_EQ(memory.commit({0, 1, 0x2000, 640, true}).accepted, 40); // together 32
  EXPECT_EQ(memory.commit({0, 2, 0x3000, 640, true}).accepted, 60);
  EXPECT_EQ(memory.commit({0, 0, 0x1000, 640}).accepted, 65); // a read waits for the slices only
}

TEST(MemorySystem, DirtyDataLeaveForMemory) {
  MemorySystem memory(smallSpec());
  for (uint64_t i = 0; i < 8; ++i)
    memory.commit({0, 0, 0x1000 * (i + 1), 1024, true});
  EXPECT_EQ(memory.hbmTraffic(), 4 * 1024); // four fit
}

TEST(MemorySystem, StoresToOnePlaceFollowEachOther) {
  MemorySystem::Spec spec = smallSpec();
  spec.smWriteBytesPerClk = spec.l2WriteBytesPerClk = 1024;
  spec.sliceWriteBytesPerClk = 16;
  MemorySystem memory(spec);
  memory.assumeWarm();
  EXPECT_EQ(memory.commit({0, 0, 0x1000, 32, true}).accepted, 2);
  EXPECT_EQ(memory.commit({0, 1, 0x1020, 32, true}).accepted, 4); // in the same 256 bytes
  EXPECT_EQ(memory.commit({0, 2, 0x1100, 32, true}).accepted, 2);
  // A tile's pieces are taken by slices of their own.
  EXPECT_EQ(memory.commit({0, 3, 0x8000, 1024, true}).accepted, 16);
  EXPECT_EQ(memory.commit({0, 3, 0x8000, 1024, true}).accepted, 32);
  EXPECT_EQ(memory.drained(3), 3); // 2144 bytes at 1024 a cycle
}

} // namespace
