#include "sim/units/launch/CtaScheduler.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

CtaScheduler::Spec spec() { return CtaScheduler::Spec::of(*Chip::load("h200")); }

CtaScheduler make(const CtaScheduler::Demand &demand, int64_t clusters, int size = 1) {
  Result<CtaScheduler> scheduler = CtaScheduler::create(spec(), demand, clusters, size);
  EXPECT_TRUE(scheduler) << scheduler.error().str();
  return *scheduler;
}

TEST(CtaScheduler, OccupancyByTheScarcestResource) {
  EXPECT_EQ(make({0, 4}, 1).occupancy(), 16);          // 64 warps
  EXPECT_EQ(make({0, 1}, 1).occupancy(), 32);          // CTA slots
  EXPECT_EQ(make({180496, 12}, 1).occupancy(), 1);     // shared memory
  EXPECT_EQ(make({26624, 4}, 1).occupancy(), 8);       // 233472 / 27648
  EXPECT_EQ(make({0, 4, 32, 255}, 1).occupancy(), 2);  // 65536 / 32640
  EXPECT_EQ(make({0, 12, 32, 168}, 1).occupancy(), 1); // 65536 / 64512
}

TEST(CtaScheduler, SpreadsBeforeItStacks) {
  CtaScheduler scheduler = make({100000, 4}, 300);
  EXPECT_EQ(scheduler.occupancy(), 2);
  for (int i = 0; i < 132; ++i)
    EXPECT_EQ(scheduler.next(0).sms, std::vector<int>{i});
  EXPECT_EQ(scheduler.next(0).sms, std::vector<int>{0});
  for (int i = 1; i < 132; ++i)
    scheduler.next(0);
  EXPECT_EQ(scheduler.next(0).cluster, -1); // full
  scheduler.release(17);
  CtaScheduler::Placement placement = scheduler.next(5000);
  EXPECT_EQ(placement.sms, std::vector<int>{17});
  EXPECT_EQ(placement.cluster, 264);
  EXPECT_EQ(placement.time, 5000);
  EXPECT_FALSE(scheduler.allStarted());
  EXPECT_EQ(scheduler.smsUsed(), 132);
}

TEST(CtaScheduler, ClustersGoRoundTheGpcs) {
  CtaScheduler scheduler = make({200000, 12}, 100, 2);
  EXPECT_EQ(scheduler.next(0).sms, (std::vector<int>{0, 1}));
  EXPECT_EQ(scheduler.next(0).sms, (std::vector<int>{16, 17}));
  for (int i = 2; i < 8; ++i)
    scheduler.next(0);
  EXPECT_EQ(scheduler.next(0).sms, (std::vector<int>{2, 3}));
  for (int i = 9; i < 66; ++i)
    scheduler.next(0);
  EXPECT_EQ(scheduler.next(0).cluster, -1);
  scheduler.release(4);
  EXPECT_EQ(scheduler.next(0).cluster, -1); // its neighbour is busy
  scheduler.release(5);
  EXPECT_EQ(scheduler.next(0).sms, (std::vector<int>{4, 5}));
  EXPECT_EQ(scheduler.smsUsed(), 132);
}

/// As an H200 tells the occupancy of clusters: by their size and the CTAs that an SM has room for.
TEST(CtaScheduler, LargeClustersFindRoomOnFewerSms) {
  for (auto [size, smem, fit] :
       {std::tuple(2, 200000, 66), std::tuple(4, 200000, 30), std::tuple(4, 102400, 62),
        std::tuple(4, 55296, 124), std::tuple(8, 200000, 15), std::tuple(8, 102400, 30),
        std::tuple(8, 55296, 62), std::tuple(16, 200000, 7)}) {
    CtaScheduler scheduler = make({smem, 4}, 1000, size);
    int placed = 0;
    while (scheduler.next(0).cluster >= 0)
      ++placed;
    EXPECT_EQ(placed, fit) << size << ", " << smem;
  }
}

TEST(CtaScheduler, FewerCtasOfClustersAreResident) {
  for (auto [size, fit] :
       {std::pair(1, 2112), std::pair(2, 1056), std::pair(4, 992), std::pair(8, 992)}) {
    CtaScheduler scheduler = make({0, 4}, 10000, size);
    EXPECT_EQ(scheduler.occupancy(), size == 1 ? 16 : 8);
    int placed = 0;
    while (scheduler.next(0).cluster >= 0)
      placed += size;
    EXPECT_EQ(placed, fit) << size;
  }
}

TEST(CtaScheduler, RefusesWhatCannotRun) {
  EXPECT_EQ(CtaScheduler::create(spec(), {232449, 4}, 1, 1).error().message,
            "a CTA of this launch needs 232449 bytes of shared memory; the chip gives 232448");
  EXPECT_EQ(CtaScheduler::create(spec(), {0, 65}, 1, 1).error().message,
            "a CTA of this launch has 65 warps; an SM of the chip holds 64");
  EXPECT_EQ(CtaScheduler::create(spec(), {0, 4}, 1, 17).error().message,
            "a cluster of this launch has 17 CTAs; the chip allows 16");
  EXPECT_EQ(CtaScheduler::create(spec(), {0, 16, 32, 255}, 1, 1).error().message,
            "a CTA of this launch needs 130560 registers; an SM of the chip has 65536");
}

} // namespace
