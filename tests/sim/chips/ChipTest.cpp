#include "sim/chips/Chip.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

Chip load(const std::string &name) {
  Result<Chip> chip = Chip::load(name);
  EXPECT_TRUE(chip) << (chip ? "" : chip.error().str());
  return chip ? *chip : Chip();
}

std::string failure(const std::string &text) {
  Result<Chip> chip = Chip::parse(text, "t.chip");
  return chip ? "parsed" : chip.error().str();
}

TEST(Chip, EveryBuiltinLoadsAndSaysWhereItsNumbersComeFrom) {
  EXPECT_EQ(Chip::builtins(),
            (std::vector<std::string>{"b200", "gfx1250", "h100", "h200", "mi300x", "mi350x"}));
  for (const std::string &name : Chip::builtins()) {
    Chip chip = load(name);
    EXPECT_EQ(chip.name(), name);
    for (size_t i = 0; i < paramCount(); ++i)
      if (chip.get(Param(i)).given)
        EXPECT_FALSE(chip.get(Param(i)).source.empty()) << name << " " << info(Param(i)).path;
  }
}

TEST(Chip, H200IsAnH100WithFasterMemory) {
  Chip h100 = load("h100"), h200 = load("h200");
  EXPECT_EQ(h200[Param::HbmGigabytesPerSecond], 4400);
  EXPECT_EQ(h100[Param::HbmGigabytesPerSecond], 3000);
  EXPECT_EQ(h200.integer(Param::SmCount), 132);
  EXPECT_EQ(h200[Param::TmaIssueGap], h100[Param::TmaIssueGap]);
  EXPECT_EQ(h200.get(Param::HbmGigabytesPerSecond).provenance, Provenance::Measured);
  EXPECT_NEAR(h200.hbmBytesPerClk(), 4400e9 / 1980e6, 1e-9);
  EXPECT_EQ(h200.arch(), Arch::Sm90);
  EXPECT_FALSE(h200.isAmd());
  EXPECT_TRUE(load("mi350x").isAmd());
}

TEST(Chip, TextRoundTrips) {
  Chip chip = load("b200");
  std::string text = chip.text();
  Result<Chip> again = Chip::parse(text, "b200.chip");
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(again->text(), text);
}

TEST(Chip, WhatIfChangesOneNumber) {
  Chip chip = load("h200");
  ASSERT_TRUE(chip.whatIf("tma.latency=400"));
  EXPECT_EQ(chip[Param::TmaLatency], 400);
  EXPECT_EQ(chip.get(Param::TmaLatency).provenance, Provenance::Assumed);
  EXPECT_EQ(chip.whatIf("tma.latncy=4").error().str(),
            "error: no chip parameter is called 'tma.latncy'\nhint: did you mean 'tma.latency'?");
  EXPECT_EQ(chip.whatIf("speed=4").error().str(),
            "error: no chip parameter is called 'speed'\nhint: 'tlx chips h200' lists them");
  EXPECT_EQ(chip.whatIf("tma.latency=-1").error().str(),
            "error: 'tma.latency' must be a number from 1 to 10000 clk; got '-1'");
  EXPECT_FALSE(chip.whatIf("tma.latency"));
  EXPECT_FALSE(chip.whatIf("tma.latency=4x"));
  EXPECT_FALSE(chip.whatIf("tma.latency=nan"));
}

TEST(Chip, ErrorsNameLineAndColumn) {
  EXPECT_EQ(failure(""),
            "t.chip: error: the chip table is empty\nhint: it starts with 'chip NAME'");
  EXPECT_EQ(failure("arch sm90\n"),
            "t.chip:1:1: error: a chip table starts with 'chip NAME'; got 'arch'");
  EXPECT_EQ(failure("chip x\narch sm80\n"),
            "t.chip:2:6: error: unknown arch 'sm80'\nhint: known: sm90, sm100, gfx9, gfx1250");
  std::string head = "chip x\narch sm90\nbased-on h200\n";
  EXPECT_EQ(failure(head), "parsed");
  EXPECT_EQ(failure(head + "tma.issueGap = 3 B read \"x\"\n"),
            "t.chip:4:18: error: 'tma.issueGap' is given in clk; got 'B'");
  EXPECT_EQ(failure(head + "  tma.issueGap = zwei clk read \"x\"\n"),
            "t.chip:4:18: error: expected a number; got 'zwei'");
  EXPECT_EQ(failure(head + "tma.issueGap = 3 clk guessed \"x\"\n"),
            "t.chip:4:22: error: expected measured, fitted, read or assumed; got 'guessed'");
  EXPECT_EQ(failure(head + "tma.issueGap = 3 clk read\n"),
            "t.chip:4:26: error: expected the number's source in quotes");
  EXPECT_EQ(failure(head + "sm.count = 0 count read \"x\"\n"),
            "t.chip:4:12: error: 'sm.count' must lie between 1 and 4096; got 0");
  EXPECT_EQ(failure(head + "sm.count = 1 count read \"x\" residual 4\n"),
            "t.chip:4:38: error: expected a residual such as 5%; got '4'");
  EXPECT_EQ(failure(head + "sm.count = 1 count read \"x\"\nsm.count = 2 count read \"x\"\n"),
            "t.chip:5:1: error: 'sm.count' is given twice\nt.chip:4:1: note: first here");
}

TEST(Chip, NumbersOfAnotherKindOfChipAreAssumed) {
  Chip h200 = load("h200"), b200 = load("b200");
  EXPECT_EQ(h200.get(Param::L2HitLatency).provenance, Provenance::Measured);
  EXPECT_EQ(h200.get(Param::MbarrierReady).provenance, Provenance::Measured);
  EXPECT_EQ(b200.get(Param::L2HitLatency).provenance, Provenance::Measured); // its own
  EXPECT_EQ(b200.get(Param::MbarrierReady).provenance, Provenance::Assumed);
  EXPECT_EQ(b200.get(Param::SmWarpSize).provenance, Provenance::Read);
}

TEST(Chip, MissingNumbersAreListed) {
  std::string message = failure("chip x\narch sm90\nclock.mhz = 1 MHz read \"x\"\n");
  EXPECT_NE(message.find("must lie between 100 and 5000"), std::string::npos);
  message = failure("chip x\narch sm90\nclock.mhz = 100 MHz read \"x\"\n");
  EXPECT_NE(message.find("the table of 'x' lacks "), std::string::npos) << message;
  EXPECT_NE(message.find("sm.count, sm.drift"), std::string::npos) << message;
  // A Hopper table owes no tensor memory; a Blackwell one does.
  EXPECT_EQ(failure("chip x\narch sm100\nbased-on b200\n"), "parsed");
  EXPECT_EQ(failure("chip x\narch sm100\nbased-on h100\n").substr(0, 44),
            "t.chip: error: the table of 'x' lacks 11 num");
}

TEST(Chip, UnknownNamesAndFiles) {
  EXPECT_EQ(Chip::load("h300").error().str(),
            "error: no chip is called 'h300'\nhint: built in: b200, gfx1250, h100, h200, mi300x, "
            "mi350x; a table of your own is a path that ends in .chip");
  EXPECT_EQ(Chip::load("./nothing.chip").error().str(),
            "./nothing.chip: error: cannot read: no such file or folder");
}

} // namespace
