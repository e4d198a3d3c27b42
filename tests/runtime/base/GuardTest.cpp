//===- GuardTest.cpp - limits that are met ---------------------------------===//
#include "runtime/base/Guard.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

using namespace tlx;

namespace {

void sleepFor(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// Touches `mebibytes`, a few at a time, and keeps them.
void useMemory(size_t mebibytes) {
  std::vector<std::vector<char>> held;
  for (size_t i = 0; i < mebibytes / 16; ++i) {
    held.emplace_back(size_t(16) << 20, char(1));
    sleepFor(5);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): it is what is tested.
int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = char(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

TEST(GuardDeathTest, TimeEndsTheProcess) {
  EXPECT_EXIT(
      {
        guardTool({0.2, 0}, "k.ttir");
        sleepFor(10000);
        std::_Exit(0);
      },
      testing::ExitedWithCode(4), "^k.ttir: error: no answer within 0.2 s\nhint: --timeout");
  EXPECT_EXIT(
      {
        guardTool({30, 0}, "k.ttir");
        sleepFor(300);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

TEST(GuardDeathTest, TheClockCanBeginAnew) {
  EXPECT_EXIT(
      {
        guardTool({1, 0}, "k.ttir");
        for (int i = 0; i < 5; ++i) {
          sleepFor(300);
          restartGuardClock();
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

TEST(GuardDeathTest, MemoryEndsTheProcess) {
  constexpr int64_t limit = int64_t(512) << 20;
  EXPECT_EXIT(
      {
        guardTool({0, limit}, "k.ttir");
        useMemory(4096);
        std::_Exit(0);
      },
      testing::ExitedWithCode(4), "^k.ttir: error: needs more than 512 MiB of memory\nhint: ");
  EXPECT_EXIT(
      {
        guardTool({0, limit}, "k.ttir");
        useMemory(64);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
// The sanitizers answer these two themselves.
TEST(GuardDeathTest, MemoryThatTheSystemDoesNotHave) {
  EXPECT_EXIT(
      {
        guardTool({}, "k.ttir");
        std::vector<char> all(size_t(1) << 46);
        std::_Exit(all[0]);
      },
      testing::ExitedWithCode(4), "^k.ttir: error: needs more memory than there is");
}

TEST(GuardDeathTest, StackEndsTheProcess) {
  EXPECT_EXIT(
      {
        guardTool({}, "k.ttir");
        std::_Exit(recurse(0));
      },
      testing::ExitedWithCode(2), "^k.ttir: error: nested too deeply\n$");
  // Another fault is not taken for it.
  EXPECT_EXIT(
      {
        guardTool({}, "k.ttir");
        volatile char *nowhere = nullptr;
        *nowhere = 1;
      },
      testing::KilledBySignal(SIGSEGV), "^$");
}
#endif

TEST(Guard, TheDefaultIsAPartOfTheMachine) {
  EXPECT_GT(defaultMemoryLimit(), int64_t(64) << 20);
  EXPECT_EQ(memoryLimit(100), int64_t(100) << 20);
  EXPECT_EQ(memoryLimit({}), defaultMemoryLimit());
}

} // namespace
