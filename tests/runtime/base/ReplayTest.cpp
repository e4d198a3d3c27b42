#include "runtime/base/Replay.h"
#include "runtime/base/Sha256.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tlx;
using namespace tlx::replay;

static Trace example() {
  Trace t;
  t.kernel = "matmul";
  t.contentHash = sha256Hex("module {}");
  t.writer = "tlx-verify 0.1.0";
  t.launch = {"cuda:90", {132, 1, 1}, {2, 1, 1}, 4, 1};
  t.scalars = {{9, "M", "i32", false, -512, 0},
               {10, "scale", "f32", true, 0, 0.1},
               {11, "bad", "f32", true, 0, std::nan("")}};
  t.ctas = {{{0, 0, 0}, 0}, {{1, 0, 0}, 1}};
  Operation wait{"ttng.wait_barrier", 17, {"kernel.py", 40, 8}};
  t.answers = {{Answer::Kind::Branch, 0, "default", wait, 2, {1}},
               {Answer::Kind::Clc, 1, "partition0", wait, 0, {}},
               {Answer::Kind::Clc, 1, "partition0", wait, 1, {3, 0, 0}},
               {Answer::Kind::Value, 1, "partition0", wait, 1, {-5}}};
  t.events = {{0, "default", wait, {0, 3}, false, "waits for phase 1"},
              {1, "partition0", {"ttng.async_tma_copy", -1, {}}, {}, true, ""}};
  t.violation = {"deadlock", "every task waits", wait};
  return t;
}

TEST(Replay, WhatIsWrittenIsRead) {
  std::string text = print(example());
  auto back = parse(text, "t.json");
  ASSERT_TRUE(back.ok()) << back.error().str();
  EXPECT_EQ(print(*back), text);
  EXPECT_EQ(back->events[0].iteration, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(back->events[1].op.index, -1);
  EXPECT_TRUE(back->events[1].completion);
  EXPECT_EQ(back->answers[2].values, (std::vector<int64_t>{3, 0, 0}));
  EXPECT_EQ(back->scalars[0].integer, -512);
  EXPECT_TRUE(std::isnan(back->scalars[2].real));
  EXPECT_EQ(back->violation.op.location.line, 40u);
  EXPECT_EQ(back->launch.grid[0], 132);
}

static std::string errorAfter(std::string from, std::string to) {
  std::string text = print(example());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  auto result = parse(text, "t.json");
  return result.ok() ? "parsed" : result.error().message;
}

TEST(Replay, BadFilesAreRefused) {
  EXPECT_EQ(errorAfter("\"version\": 1", "\"version\": 2"),
            "'version' must be 1, the version that this build reads; got 2");
  EXPECT_EQ(errorAfter("tlx-replay", "something"),
            "'format' must be \"tlx-replay\"; got \"something\"");
  EXPECT_EQ(errorAfter("\"cta\": 1", "\"cta\": 2"),
            "'answers[1].cta' names none of the 2 entries of 'ctas'; got 2");
  EXPECT_EQ(errorAfter("\"values\": [1]", "\"values\": [2]"),
            "'answers[0].values' of a branch must be [0] or [1]");
  EXPECT_EQ(errorAfter("\"clc\"", "\"coin\""),
            "'answers[1].kind' must be \"branch\", \"clc\" or \"value\"; got "
            "\"coin\"");
  EXPECT_EQ(errorAfter("[132, 1, 1]", "[132, 1]"), "'launch.grid' must have three elements");
  EXPECT_EQ(errorAfter("[132, 1, 1]", "[0, 1, 1]"),
            "'launch.grid[0]' must be an integer of at least 1; got 0");
}

TEST(Replay, HashMustMatch) {
  Trace t = example();
  EXPECT_TRUE(checkKernel(t, "module {}", "t.json", "k.ttir").ok());
  auto bad = checkKernel(t, "module { }", "t.json", "k.ttir");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ExitCode::BadInput);
  EXPECT_NE(bad.error().message.find("another kernel file"), std::string::npos);
}

TEST(Replay, DamageNeverCrashes) {
  std::string text = print(example());
  for (size_t n = 0; n + 1 < text.size(); n += 3)
    EXPECT_FALSE(parse(text.substr(0, n), "t.json").ok());
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    damaged[random() % damaged.size()] = char(random());
    (void)parse(damaged, "t.json").ok();
  }
}
