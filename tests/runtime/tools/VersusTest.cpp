#include "runtime/tools/tlx-run/Versus.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::run;

namespace {

Result<Predicted> read(const std::string &text, const std::string &file = "r.json") {
  auto document = json::parse(text, file);
  EXPECT_TRUE(document) << document.error().str();
  return readPredicted(*document);
}

/// A report with one task that waits `wait` of 1000 cycles at k.py:`line`.
std::string report(int cycles, int wait, int line, const char *task = "default") {
  std::string w = std::to_string(wait), c = std::to_string(cycles);
  return R"({"kernel": "k", "details": {"cycles": )" + c + R"(, "ns": )" + c +
         R"(, "chip": "h200", "bound_by": "latency",
    "utilisation": {"tensor_core": 0.25, "shared_memory": 0.5},
    "bytes": {"l2": )" +
         std::to_string(4 * cycles) + R"(, "dram": 0},
    "tasks": [{"name": ")" +
         task + R"(", "cycles": 1000, "progress": )" + std::to_string(1000 - wait) +
         R"(, "blocked": {"mbarrier": )" + w + R"(}}],
    "stalls": [{"reason": "mbarrier", "cycles": )" +
         w + R"(, "share": )" + std::to_string(wait / 1000.0) +
         R"(, "op": "wait", "file": "k.py", "line": )" + std::to_string(line) +
         R"(, "column": 3}]}})";
}

TEST(Versus, WaitingIsCountedInCyclesOfATask) {
  auto a = read(report(2000, 500, 7));
  ASSERT_TRUE(a) << a.error().str();
  EXPECT_EQ(a->cycles, 2000);
  EXPECT_DOUBLE_EQ(a->tasks.at(0).progress, 0.5);
  // 500 of 1000 cycles of all tasks are half of the launch's 2000.
  EXPECT_DOUBLE_EQ(a->lines.at({"k.py:7", "mbarrier"}), 1000);
}

TEST(Versus, TextShowsWhatChanged) {
  std::string text =
      versusText(*read(report(2000, 500, 7), "a.json"), *read(report(1500, 200, 7), "b.json"));
  for (const char *part : {"cycles                 2,000    1,500       -25.0 %",
                           "l2 bytes               8,000    6,000",
                           "default: progress   50.0 %   80.0 %  +30.0 points",
                           "  k.py:7 mbarrier      1,000      300          -700"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Versus, AReportIsEqualToItself) {
  auto a = read(report(2000, 500, 7));
  std::string text = versusText(*a, *a);
  EXPECT_NE(text.find("no line's waiting changed"), std::string::npos) << text;
  EXPECT_EQ(text.find("k.py:7"), std::string::npos);
}

TEST(Versus, LinesAndTasksOfOneReportOnly) {
  auto a = read(report(2000, 500, 7)), b = read(report(2000, 100, 9, "producer"));
  auto document = json::parse(versusJson(*a, *b), "out.json");
  ASSERT_TRUE(document);
  json::Reader reader(*document);
  json::Node root = reader.root(), lines = root["lines"], tasks = root["tasks"];
  ASSERT_EQ(lines.size(), 2u); // the larger change first
  EXPECT_EQ(lines[0]["line"].string(), "k.py:7");
  EXPECT_EQ(lines[0]["cycles"]["a"].number(), 1000);
  EXPECT_EQ(lines[0]["cycles"]["b"].number(), 0);
  EXPECT_EQ(lines[1]["cycles"]["b"].number(), 200);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_TRUE(tasks[0]["present"]["a"].boolean());
  EXPECT_FALSE(tasks[0]["present"]["b"].boolean());
  EXPECT_EQ(tasks[1]["name"].string(), "producer");
  EXPECT_FALSE(reader.failed());
  EXPECT_NE(versusText(*a, *b).find("no such task"), std::string::npos);
}

TEST(Versus, OtherFilesAreRefusedWithTheirPlace) {
  auto refused = [](const std::string &text) {
    auto got = read(text);
    return got ? "read" : got.error().str();
  };
  EXPECT_EQ(refused("[]").rfind("r.json:1:1: error: ", 0), 0u) << refused("[]");
  EXPECT_NE(refused("{}").find("kernel"), std::string::npos);
  std::string untimed = refused("{\"kernel\": \"k\",\n \"details\": {}}");
  EXPECT_EQ(untimed.rfind("r.json:2:13: error: ", 0), 0u) << untimed;
  EXPECT_NE(untimed.find("no predicted time"), std::string::npos) << untimed;
  std::string bad = report(2000, 500, 7);
  bad.replace(bad.find("0.25"), 4, "\"x\" ");
  EXPECT_NE(refused(bad).find("tensor_core"), std::string::npos) << refused(bad);
}

} // namespace
