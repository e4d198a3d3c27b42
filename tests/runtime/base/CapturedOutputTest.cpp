//===- CapturedOutputTest.cpp - what others print is kept, once -------------===//
#include "runtime/base/CapturedOutput.h"

#include "gtest/gtest.h"

#include <unistd.h>

using namespace tlx;

namespace {

using Lines = std::vector<std::string>;

TEST(CapturedOutputTest, KeepsWhatIsPrintedAndWritten) {
  CapturedOutput outer;
  std::printf("before\n");
  {
    CapturedOutput inner;
    std::printf("v: 1\nv: 2\n");
    std::fflush(stdout);
    ASSERT_EQ(::write(STDOUT_FILENO, "last", 4), 4);
    EXPECT_EQ(inner.lines(), (Lines{"v: 1", "v: 2", "last"}));
    std::printf("after\n");
  }
  EXPECT_EQ(outer.lines(), (Lines{"before", "after"}));
}

TEST(CapturedOutputTest, NothingIsNoLine) {
  CapturedOutput nothing;
  EXPECT_EQ(nothing.lines(), Lines());
  EXPECT_EQ(nothing.lines(), Lines());
}

TEST(CapturedOutputTest, OutputComesBackWhereNobodyAsked) {
  CapturedOutput outer;
  {
    CapturedOutput dropped;
    std::printf("dropped\n");
  }
  std::printf("kept\n");
  EXPECT_EQ(outer.lines(), Lines{"kept"});
}

} // namespace
