#include "sim/engine/CreditWindow.h"
#include "sim/engine/EventQueue.h"
#include "sim/engine/Port.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace tlx::sim;

namespace {

struct Recorder : EventTarget {
  std::vector<std::pair<Cycles, uint64_t>> seen;
  EventQueue *queue = nullptr;
  void onEvent(Cycles now, uint64_t payload) override {
    seen.push_back({now, payload});
    if (payload == 7)
      queue->schedule(now, *this, 8); // behind everything else at this time
  }
};

using Seen = std::vector<std::pair<Cycles, uint64_t>>;

TEST(EventQueue, TimeThenSequence) {
  EventQueue queue;
  Recorder r;
  r.queue = &queue;
  queue.schedule(5, r, 1);
  queue.schedule(3, r, 7);
  queue.schedule(5, r, 2);
  queue.schedule(3, r, 4);
  EXPECT_EQ(queue.run(4), 3u);
  EXPECT_EQ(queue.now(), 3);
  EXPECT_EQ(queue.pending(), 2u);
  EXPECT_EQ(queue.run(), 2u);
  EXPECT_EQ(r.seen, (Seen{{3, 7}, {3, 4}, {3, 8}, {5, 1}, {5, 2}}));
}

TEST(EventQueue, ThePastCountsAsNow) {
  EventQueue queue;
  Recorder r;
  r.queue = &queue;
  queue.schedule(10, r, 1);
  queue.run();
  queue.schedule(2, r, 2);
  queue.run();
  EXPECT_EQ(r.seen, (Seen{{10, 1}, {10, 2}}));
}

TEST(EventQueue, ManyEventsComeOutSortedAndStable) {
  EventQueue queue;
  Recorder r;
  r.queue = &queue;
  std::mt19937 random(1);
  Seen expected;
  for (uint64_t i = 100; i < 5100; ++i) {
    Cycles time = random() % 200;
    expected.push_back({time, i});
    queue.schedule(time, r, i);
  }
  std::sort(expected.begin(), expected.end()); // payloads count up: stable
  queue.run();
  EXPECT_EQ(r.seen, expected);
}

TEST(Port, QueuesAndRounds) {
  Port smem(128);
  Port::Turn first = smem.commit(10, 200); // 1.5625 cycles
  EXPECT_EQ(first.start, 10);
  EXPECT_EQ(first.done, 12);
  Port::Turn second = smem.query(0, 56); // fills the cycle up
  EXPECT_EQ(second.start, 11);
  EXPECT_EQ(second.done, 12);
  EXPECT_EQ(smem.query(20, 128).start, 20);
  EXPECT_EQ(smem.free(), 12); // query changed nothing
  smem.commit(0, 56);
  EXPECT_EQ(smem.busy(), 2);
}

TEST(Port, LongRunKeepsTheRate) {
  Port l2(6359);
  Port::Turn turn{};
  for (int i = 0; i < 100000; ++i)
    turn = l2.commit(0, 8192);
  EXPECT_NEAR(double(turn.done), 100000.0 * 8192 / 6359, 100000.0 * 8192 / 6359 * 5e-4);
}

TEST(Port, MinimumOccupancy) {
  Port tma(1e6, 33);
  EXPECT_EQ(tma.commit(0, 1).done, 33);
  EXPECT_EQ(tma.commit(0, 1).done, 66);
  EXPECT_EQ(tma.commit(100, 1).start, 100);
}

TEST(CreditWindow, StartsWhenItFits) {
  CreditWindow window(100);
  EXPECT_EQ(window.query(0, 60), 0);
  window.commit(0, 60, 50);
  EXPECT_EQ(window.query(0, 40), 0);
  EXPECT_EQ(window.query(0, 41), 50);
  window.commit(0, 40, 30);
  EXPECT_EQ(window.inFlight(10), 100);
  EXPECT_EQ(window.query(10, 10), 30);
  EXPECT_EQ(window.query(10, 100), 50);
  EXPECT_EQ(window.query(10, 1000), 50); // too large: alone
  EXPECT_EQ(window.query(60, 1000), 60);
  EXPECT_EQ(window.inFlight(40), 60);
}

TEST(CreditWindow, ForgetsWhatLeft) {
  CreditWindow window(10);
  Cycles now = 0;
  for (int i = 0; i < 1000; ++i) {
    now = window.query(now, 5);
    window.commit(now, 5, now + 7);
  }
  // Two at a time, each for 7 cycles.
  EXPECT_EQ(now, 7 * 499);
}

} // namespace
