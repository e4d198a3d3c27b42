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

TEST(CtaScheduler, LargeClustersFindRoomOnFewerSms) {
  for (auto [size, fit] : {std::pair(4, 30), std::pair(8, 15), std::pair(16, 7)}) {
    CtaScheduler scheduler = make({200000, 4}, 100, size);
    int placed = 0;
    while (scheduler.next(0).cluster >= 0)
      ++placed;
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
