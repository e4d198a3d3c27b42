// The two reports of tlx-run: the JSON schema that programs rely on, and the
// text.
#include "runtime/base/Json.h"
#include "runtime/tools/tlx-run/ProgressLine.h"
#include "runtime/tools/tlx-run/Session.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::run;

static Outcome example() {
  Outcome outcome;
  outcome.device = "sim";
  outcome.kernel = "gemm";
  outcome.seconds = 0.25;
  outcome.report.cycles = 1234567;
  outcome.report.nanoseconds = 700500.5;
  outcome.report.chip = "h200";
  outcome.report.computedValues = true;
  outcome.report.summary = "bound by tensor core\n";
  outcome.report.writeDetails = [](json::Writer &out) { out.key("bound_by").value("tensor core"); };
  outcome.report.notes = {"extrapolated"};
  outcome.report.printed = {"pid 0"};
  device::Finding finding;
  finding.category = "deadlock";
  finding.message = "nobody arrives";
  finding.location = {"k.py", 12, 4};
  finding.notes = {{{"k.py", 20, 8}, "waits here"}};
  finding.count = 3;
  outcome.report.findings = {finding};
  outcome.outputs = {{2, DType::f16, {512, 384}, std::string(64, 'a'), "o/2.npy", {}}};
  return outcome;
}

TEST(RunReport, JsonSchema) {
  auto document = json::parse(jsonReport(example()), "report");
  ASSERT_TRUE(document.ok()) << document.error().str();
  json::Reader reader(*document);
  json::Node root = reader.root();
  root.onlyKeys({"device", "kernel", "chip", "cycles", "ns", "seconds", "outputs", "findings",
                 "details", "notes", "printed"});
  EXPECT_EQ(root["device"].string(), "sim");
  EXPECT_EQ(root["kernel"].string(), "gemm");
  EXPECT_EQ(root["cycles"].integer(), 1234567);
  EXPECT_EQ(root["ns"].number(), 700500.5);
  EXPECT_EQ(root["seconds"].number(), 0.25);
  json::Node output = root["outputs"]["2"];
  EXPECT_EQ(output["dtype"].string(), "f16");
  EXPECT_EQ(output["shape"].integers(), (std::vector<int64_t>{512, 384}));
  EXPECT_EQ(output["sha256"].string(), std::string(64, 'a'));
  json::Node finding = root["findings"][0];
  EXPECT_EQ(finding["class"].string(), "deadlock");
  EXPECT_EQ(finding["message"].string(), "nobody arrives");
  EXPECT_EQ(finding["location"]["line"].integer(), 12);
  EXPECT_EQ(finding["notes"][0]["location"]["column"].integer(), 8);
  EXPECT_EQ(finding["count"].integer(), 3);
  EXPECT_EQ(root["details"]["bound_by"].string(), "tensor core");
  EXPECT_FALSE(reader.failed()) << reader.error().str();
}

TEST(RunReport, JsonWithoutTimeHasNulls) {
  Outcome outcome = example();
  outcome.report.cycles.reset();
  outcome.report.nanoseconds.reset();
  auto document = json::parse(jsonReport(outcome), "report");
  ASSERT_TRUE(document.ok());
  json::Reader reader(*document);
  EXPECT_TRUE(reader.root()["cycles"].isNull());
  EXPECT_TRUE(reader.root()["ns"].isNull());
}

TEST(RunReport, Text) {
  Outcome outcome = example();
  const std::string head = "pid 0\n";
  EXPECT_EQ(findingsText(outcome), "k.py:12:4: error: nobody arrives [deadlock]\n"
                                   "k.py:20:8: note: waits here\n"
                                   "note: this happened 3 times\n");
  const std::string tail = "output 2        f16 512x384  sha256 aaaaaaaaaaaaaaaa  -> o/2.npy\n"
                           "note            extrapolated\n"
                           "ran for         0.25 s\n";
  EXPECT_EQ(textReport(outcome), head + "bound by tensor core\n" + tail);
  outcome.report.summary.clear();
  EXPECT_EQ(textReport(outcome), head +
                                     "kernel          @gemm on sim (h200)\n"
                                     "time            1,234,567 cycles, 700.50 us\n" +
                                     tail);
}

TEST(RunReport, ExitCodes) {
  Outcome outcome;
  EXPECT_EQ(exitCode(outcome), 0);
  device::Finding finding;
  finding.code = ExitCode::Unknown;
  outcome.report.findings = {finding};
  EXPECT_EQ(exitCode(outcome), 4);
  finding.code = ExitCode::Violated;
  outcome.report.findings.push_back(finding);
  EXPECT_EQ(exitCode(outcome), 1);
  finding.code = ExitCode::BadInput;
  outcome.report.findings.push_back(finding);
  EXPECT_EQ(exitCode(outcome), 2);
}

TEST(Progress, SaysWhatIsDone) {
  Progress progress;
  EXPECT_EQ(progressText(progress), "");
  progress.begin("computing", 1320);
  progress.done = 12;
  EXPECT_EQ(progressText(progress), "computing: 12 of 1,320 CTAs done");
  progress.cycles = 1234567;
  EXPECT_EQ(progressText(progress), "computing: 12 of 1,320 CTAs done, 1,234,567 cycles");
}
