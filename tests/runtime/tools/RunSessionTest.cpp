#include "runtime/base/File.h"
#include "runtime/base/Replay.h"
#include "runtime/base/Sha256.h"
#include "runtime/tools/tlx-run/Session.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::run;

namespace {

class RunSession : public testing::Test {
protected:
  std::string file(const std::string &name, const std::string &text) {
    std::string path = testing::TempDir() + name;
    EXPECT_TRUE(writeFile(path, text).ok());
    return path;
  }
  std::string message(const Options &options) {
    auto outcome = runSession(options);
    return outcome.ok() ? "ran" : outcome.error().str();
  }
  std::string kernel = file("k.ttir", "module {}\n");
  std::string manifest = file("l.json", "{\"kernel\": \"k\", \"target\": \"cuda:90\", \"grid\": "
                                        "[1, 1, 1], \"args\": [{\"kind\": \"pointer\", \"dtype\": "
                                        "\"f32\", \"shape\": [4], \"strides\": [1], \"storage\": "
                                        "0, \"offset\": 0, \"data\": {\"fill\": \"zeros\"}}]}");
  Options options() {
    Options out;
    out.device = "null";
    out.file = kernel;
    out.manifest = manifest;
    return out;
  }
};

TEST_F(RunSession, NullDeviceDoesEverythingElse) {
  auto outcome = runSession(options());
  ASSERT_TRUE(outcome.ok()) << outcome.error().str();
  EXPECT_EQ(outcome->device, "null");
  EXPECT_EQ(outcome->kernel, "k");
  EXPECT_TRUE(outcome->outputs.empty());
  EXPECT_EQ(exitCode(*outcome), 0);
}

TEST_F(RunSession, ClustersThatDoNotDivideTheGridAreNamed) {
  Options o = options();
  o.manifest = file("c.json", "{\"kernel\": \"k\", \"target\": \"cuda:100\", \"grid\": [2, 6, 1], "
                              "\"cluster\": [4, 2, 1], \"args\": []}");
  auto outcome = runSession(o);
  ASSERT_TRUE(outcome.ok()) << outcome.error().str();
  EXPECT_EQ(
      outcome->report.notes[0],
      "the grid of 2x6x1 CTAs is no multiple of the cluster of 4x2x1, which a driver refuses; "
      "clusters of 2x2x1 are launched");
}

TEST_F(RunSession, WhatIsMissingIsSaid) {
  Options o = options();
  o.manifest.reset();
  EXPECT_EQ(message(o).substr(0, 72),
            "error: tlx-run needs --manifest LAUNCH.json or --replay TRACE.json\n"
            "hint:");
  o = options();
  o.file = "/nonexistent/k.ttir";
  EXPECT_EQ(message(o).rfind("/nonexistent/k.ttir: error: ", 0), 0u);
  o = options();
  o.manifest = "/nonexistent/l.json";
  EXPECT_EQ(message(o).rfind("/nonexistent/l.json: error: ", 0), 0u);
  o = options();
  o.device = "hip";
  EXPECT_EQ(message(o).rfind("error: device 'hip' is not available in this build", 0), 0u);
}

TEST_F(RunSession, ReplayNeedsTheSameKernel) {
  replay::Trace trace;
  trace.kernel = "k";
  trace.contentHash = sha256Hex("other");
  trace.launch.target = "cuda:90";
  trace.ctas = {{}};
  Options o = options();
  o.manifest.reset();
  o.replay = file("t.json", replay::print(trace));
  EXPECT_NE(message(o).find("the trace belongs to another kernel file"), std::string::npos);
  trace.contentHash = sha256Hex("module {}\n");
  o.replay = file("t.json", replay::print(trace));
  EXPECT_NE(message(o).find("device 'null' cannot follow a replay file"), std::string::npos);
}

} // namespace
