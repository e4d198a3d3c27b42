#include "sim/views/Html.h"
#include "sim/views/Occupancy.h"
#include "sim/views/Summary.h"
#include "sim/views/Trace.h"
#include "tests/sim/timing/GemmProgram.h"

#include <gtest/gtest.h>
#include <map>

using namespace tlx;
using namespace tlx::sim;
using namespace tlx::sim::test;

namespace {

struct Timed {
  Program program;
  TimingReport report;
};

Timed timed(Hooks *hooks = nullptr) {
  GemmConfig config;
  Timed run{gemmProgram(config), {}};
  TimingOptions options;
  options.hooks = hooks;
  Result<Chip> chip = Chip::load("h200");
  Result<TimingReport> report = simulateTime(run.program, gemmLaunch(config), *chip, options);
  EXPECT_TRUE(report) << report.error().str();
  run.report = *report;
  return run;
}

json::Document parse(const std::string &text) {
  Result<json::Document> document = json::parse(text, "view.json");
  EXPECT_TRUE(document) << document.error().str();
  return *document;
}

TEST(Summary, TextSaysTheImportantThings) {
  Timed run = timed();
  std::string text = summaryText(run.report, run.program);
  EXPECT_EQ(text.rfind("gemm on h200: " + std::to_string(run.report.cycles) + " cycles, ", 0), 0u)
      << text;
  for (const char *part :
       {" at 1980 MHz, bound by latency\n", "8 CTAs on 8 SMs, 1 at a time", "partition0", "default",
        "mbarrier", "note: the data of this launch fit in L2"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Summary, JsonAgreesWithTheReport) {
  Timed run = timed();
  json::Writer out;
  out.beginObject();
  writeReport(out, run.report, run.program);
  out.endObject();
  json::Document document = parse(out.str());
  json::Reader reader(document);
  EXPECT_EQ(reader.root()["cycles"].integer(), run.report.cycles);
  EXPECT_EQ(reader.root()["bytes"]["l2"].integer(), run.report.l2Bytes);
  // Progress and blocked time of each task add up to its total.
  json::Node tasks = reader.root()["tasks"];
  ASSERT_EQ(tasks.size(), 3u);
  for (size_t i = 0; i < tasks.size(); ++i) {
    int64_t sum = tasks[i]["progress"].integer();
    for (const std::string &reason : tasks[i]["blocked"].keys())
      sum += tasks[i]["blocked"][reason].integer();
    EXPECT_EQ(sum, tasks[i]["cycles"].integer());
  }
  EXPECT_FALSE(reader.failed());
}

TEST(Trace, IntervalsOfATaskTileItsTime) {
  struct Check : Hooks {
    std::map<TrackId, std::vector<Interval>> tasks;
    void onTask(const Interval &i) override { tasks[i.track].push_back(i); }
  } check;
  Timed run = timed(&check);
  ASSERT_EQ(check.tasks.size(), 3u); // of CTA 0
  for (auto &[track, intervals] : check.tasks)
    for (size_t i = 0; i < intervals.size(); ++i) {
      EXPECT_LT(intervals[i].begin, intervals[i].end);
      if (i > 0)
        EXPECT_EQ(intervals[i].begin, intervals[i - 1].end);
    }
}

TEST(Trace, LoadsAsChromeTraceWithFlowsAndPhases) {
  GemmConfig config;
  Program program = gemmProgram(config);
  Trace trace(program);
  timed(&trace);
  json::Document document = parse(trace.json());
  json::Reader reader(document);
  json::Node events = reader.root()["traceEvents"];
  std::map<std::string, int> kinds;
  std::map<int64_t, int> starts, ends;
  std::map<std::pair<int64_t, int64_t>, double> lastEnd;
  std::map<std::string, int> threads;
  for (size_t i = 0; i < events.size(); ++i) {
    json::Node event = events[i];
    std::string kind = event["ph"].string();
    ++kinds[kind];
    if (kind == "s")
      ++starts[event["id"].integer()];
    if (kind == "f")
      ++ends[event["id"].integer()];
    if (kind == "M" && event["name"].string() == "thread_name")
      ++threads[event["args"]["name"].string()];
    if (kind == "X") { // slices of a thread do not overlap
      auto key = std::make_pair(event["pid"].integer(), event["tid"].integer());
      double begin = event["ts"].number();
      EXPECT_GE(begin + 1e-9, lastEnd[key]);
      lastEnd[key] = begin + event["dur"].number();
    }
  }
  EXPECT_FALSE(reader.failed());
  EXPECT_EQ(starts, ends);
  EXPECT_GE(starts.size(), 3u);
  EXPECT_GT(kinds["C"], 20);
  EXPECT_EQ(threads["CTA 0 partition1"], 1);
  EXPECT_EQ(threads["tensor core"], 1);
  EXPECT_EQ(threads["TMA engine"], 1);
}

TEST(Trace, IsReproducibleAndBounded) {
  GemmConfig config;
  Program program = gemmProgram(config);
  Trace a(program), b(program), small(program, 100);
  timed(&a);
  timed(&b);
  timed(&small);
  EXPECT_EQ(a.json(), b.json());
  EXPECT_EQ(small.events(), 100u);
  EXPECT_TRUE(small.truncated());
  parse(small.json());
}

TEST(Roofline, PeakOfAnH200) {
  Timed run = timed();
  Roofline line = rooflineOf(run.report, *Chip::load("h200"));
  EXPECT_NEAR(line.peakTeraflops, 1070.5, 0.1); // 4096 x 132 x 1.98 GHz
  EXPECT_NEAR(line.teraflops, run.report.flops / run.report.nanoseconds / 1e3, 1e-9);
}

TEST(Html, IsOnePageWithoutNetwork) {
  GemmConfig config;
  Program program = gemmProgram(config);
  Trace trace(program);
  Timed run = timed(&trace);
  std::string page = htmlReport(run.report, run.program, *Chip::load("h200"), trace);
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_NE(page.find(std::to_string(run.report.cycles) + " cycles"), std::string::npos);
  EXPECT_NE(page.find("CTA 0 partition1"), std::string::npos);
  // The data are JSON.
  size_t begin = page.find("const data = ") + 13, end = page.find(";\n(function", begin);
  ASSERT_NE(end, std::string::npos);
  json::Document document = parse(page.substr(begin, end - begin));
  json::Reader reader(document);
  EXPECT_EQ(reader.root()["bars"].size(), trace.recordedIntervals().size());
  EXPECT_EQ(reader.root()["memories"][0]["name"].string(), "shared memory");
  EXPECT_FALSE(reader.failed());
  std::string small = htmlReport(run.report, run.program, *Chip::load("h200"), trace, 10);
  EXPECT_NE(small.find("The first 10 bars are shown."), std::string::npos);
}

TEST(Occupancy, InUseFromAWriteToTheLastAccessBeforeTheNext) {
  Program program;
  Trace trace(program);
  trace.onTrack(0, {TrackKind::Task, 0, 0, "default"});
  trace.onTask({0, 5, 100});
  auto use = [&](bool write, int64_t offset, int64_t size, Cycles begin, Cycles end) {
    trace.onMemory({0, false, write, offset, size, begin, end});
  };
  use(true, 0, 64, 10, 20);
  use(false, 0, 32, 30, 40); // the first half is read twice, the second once
  use(false, 0, 64, 25, 35);
  use(true, 0, 64, 60, 70);    // never read
  use(false, 128, 16, 10, 90); // never written
  TimingReport report;
  report.sharedBytesPerCta = 4096;
  std::vector<Occupancy> memories = occupancyOf(report, *Chip::load("h200"), trace);
  ASSERT_EQ(memories.size(), 1u);
  EXPECT_EQ(memories[0].limit, 228 * 1024);
  EXPECT_EQ(memories[0].allocated, (StepSeries{{5, 4096}, {100, 0}}));
  EXPECT_EQ(memories[0].used, (StepSeries{{10, 64}, {35, 32}, {40, 0}, {60, 64}, {70, 0}}));
}

TEST(Occupancy, OfAGemmNeverExceedsWhatIsAllocated) {
  GemmConfig config;
  Program program = gemmProgram(config);
  Trace trace(program);
  Timed run = timed(&trace);
  std::vector<Occupancy> memories = occupancyOf(run.report, *Chip::load("h200"), trace);
  ASSERT_EQ(memories.size(), 1u);
  int64_t most = 0;
  for (auto [time, bytes] : memories[0].used)
    most = std::max(most, bytes);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, run.report.sharedBytesPerCta);
  EXPECT_EQ(memories[0].used.back().second, 0);
}

TEST(Progress, CountsCtasAndCycles) {
  GemmConfig config;
  Program program = gemmProgram(config);
  Progress progress;
  TimingOptions options;
  options.progress = &progress;
  auto report = simulateTime(program, gemmLaunch(config), *Chip::load("h200"), options);
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_STREQ(progress.phase, "timing");
  EXPECT_EQ(progress.all, report->ctas);
  EXPECT_EQ(progress.done, report->ctas);
  EXPECT_GT(progress.cycles, report->cycles / 2);
  EXPECT_LE(progress.cycles, report->cycles);
}

TEST(Html, TextIsEscaped) {
  Program program;
  program.kernelName = "a<b>&\"c";
  std::string page = htmlReport(TimingReport(), program, *Chip::load("h200"), Trace(program));
  EXPECT_NE(page.find("<title>a&lt;b&gt;&amp;&quot;c on "), std::string::npos);
  EXPECT_NE(page.find("Nothing was recorded."), std::string::npos);
}

} // namespace
