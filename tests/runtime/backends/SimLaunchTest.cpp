// A launch request becomes a run of the machine: arguments, findings, outputs.
#include "runtime/backends/sim/SimLaunch.h"
#include "runtime/base/File.h"
#include "runtime/base/Json.h"
#include "tests/sim/functional/Kernels.h"

#include <cstring>

using namespace tlx;
using namespace tlx::device;

namespace {

/// out[i] = in[i] for 32 elements, from element `start` on.
std::shared_ptr<sim::Program> copyProgram() {
  sim::test::Kernel b("copy");
  b.at(3);
  sim::Reg in = b.pointerArg("in", DType::f32), out = b.pointerArg("out", DType::f32);
  sim::Reg start = b.intArg("start");
  sim::Attrs attrs;
  attrs.ints = {0, 32};
  sim::TypeId tensor = b.tensor({32}, DType::i32);
  sim::Reg range = b.emit1(sim::Op::MakeRange, {}, tensor, attrs);
  sim::Reg splat = b.emit1(sim::Op::Splat, {start}, tensor);
  sim::Reg offsets = b.add(range, splat);
  b.at(4);
  sim::Reg value = b.emit1(sim::Op::Load, {b.offset(in, offsets), sim::noReg, sim::noReg},
                           b.tensor({32}, DType::f32));
  b.at(5);
  b.emit(sim::Op::Store, {b.offset(out, offsets), value, sim::noReg});
  b.ret();
  return std::make_shared<sim::Program>(b.finish());
}

class SimLaunchTest : public testing::Test {
protected:
  HostMemory memory;
  SimKernel kernel{copyProgram(), "copy.ttir"};
  Address in = 0, out = 0;

  void SetUp() override {
    HostBuffer buffer(64 * 4);
    for (int i = 0; i < 64; ++i) {
      float value = float(i) * 0.5f;
      std::memcpy(buffer.data() + 4 * i, &value, 4);
    }
    in = *memory.adopt(std::move(buffer));
    out = *memory.allocate(64 * 4);
  }
  LaunchRequest request(int64_t start) {
    LaunchRequest r;
    r.time = false;
    Argument pointer;
    pointer.kind = Argument::Kind::Pointer;
    pointer.type = DType::f32;
    pointer.name = "in";
    pointer.address = in;
    r.arguments.push_back(pointer);
    pointer.name = "out";
    pointer.address = out;
    r.arguments.push_back(pointer);
    Argument scalar;
    scalar.bits = uint64_t(start) & 0xFFFFFFFF;
    r.arguments.push_back(scalar);
    return r;
  }
};

TEST_F(SimLaunchTest, DescribesParameters) {
  auto parameters = *kernel.parameters();
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].kind, ParameterType::Kind::Pointer);
  EXPECT_EQ(parameters[0].spelling, "!tt.ptr<f32>");
  EXPECT_EQ(parameters[2].kind, ParameterType::Kind::Scalar);
  EXPECT_EQ(parameters[2].name, "start");
}

TEST_F(SimLaunchTest, ComputesValues) {
  auto report = launchOnSim(kernel, memory, request(8), nullptr);
  ASSERT_TRUE(report.ok()) << report.error().str();
  EXPECT_TRUE(report->computedValues);
  EXPECT_TRUE(report->findings.empty());
  float values[64];
  std::memcpy(values, memory.find(out, 256), 256);
  EXPECT_EQ(values[7], 0);
  EXPECT_EQ(values[8], 4);
  EXPECT_EQ(values[39], 19.5f);
  EXPECT_EQ(values[40], 0);
}

TEST_F(SimLaunchTest, AccessOutsideIsALocatedFinding) {
  auto report = launchOnSim(kernel, memory, request(40), nullptr);
  ASSERT_TRUE(report.ok());
  ASSERT_FALSE(report->findings.empty());
  EXPECT_EQ(report->findings[0].category, "out-of-bounds");
  EXPECT_EQ(report->findings[0].location.str().substr(0, 11), "kernel.py:4");
  EXPECT_EQ(report->findings[0].code, ExitCode::Violated);
}

// A table of pointers that a producer recorded: what they meant is gone, but the kernel runs.
TEST_F(SimLaunchTest, ZerosStandBehindAddressesOfTheRecordedProcess) {
  sim::test::Kernel b("through");
  sim::Reg table = b.pointerArg("table", DType::i64), to = b.pointerArg("to", DType::i32);
  sim::Reg address = b.emit1(sim::Op::Load, {table, sim::noReg, sim::noReg}, b.scalar(DType::i64));
  sim::Reg from = b.emit1(sim::Op::IntToPtr, {address}, b.pointer(DType::i32));
  sim::Reg value = b.emit1(sim::Op::Load, {from, sim::noReg, sim::noReg}, b.scalar(DType::i32));
  b.emit(sim::Op::Store, {to, value, sim::noReg});
  b.ret();
  SimKernel through(std::make_shared<sim::Program>(b.finish()), "through.ttir");
  auto launch = [&](uint64_t word) {
    HostBuffer words(16);
    std::memcpy(words.data(), &word, 8);
    LaunchRequest r = request(0);
    r.arguments.pop_back();
    r.arguments[0].name = "table";
    r.arguments[0].type = DType::i64;
    r.arguments[0].address = *memory.adopt(std::move(words));
    return launchOnSim(through, memory, r, nullptr);
  };
  const float mark = 1;
  ASSERT_TRUE(memory.at(out, 4).ok());
  std::memcpy(*memory.at(out, 4), &mark, 4);
  auto report = launch(0x7fb2768ea040);
  ASSERT_TRUE(report.ok()) << report.error().str();
  EXPECT_TRUE(report->findings.empty());
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_NE(report->notes[0].find("'table' holds addresses"), std::string::npos);
  EXPECT_EQ(memory.find(out, 4)[3], 0) << "zeros were read";
  // Addresses of this launch mean what they say; a number that is no address is wrong.
  report = launch(in + 4);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->findings.empty() && report->notes.empty());
  EXPECT_EQ(memory.find(out, 4)[3], 0x3f) << "0.5 was read";
  report = launch(0x7fb2768ea041);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->findings.empty());
}

TEST_F(SimLaunchTest, BadRequests) {
  LaunchRequest r = request(0);
  r.schedule = "someday";
  auto report = launchOnSim(kernel, memory, r, nullptr);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("--schedule must be"), std::string::npos);
  r = request(0);
  r.grid = {int64_t(1) << 31, 1, 1};
  EXPECT_FALSE(launchOnSim(kernel, memory, r, nullptr).ok());
  r.grid = {60000, 60000, 1};
  report = launchOnSim(kernel, memory, r, nullptr);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("too large to simulate: at most 16777216 CTAs"),
            std::string::npos);
}

TEST_F(SimLaunchTest, WritesTimeLineAndPage) {
  auto chip = sim::Chip::load("h200");
  ASSERT_TRUE(chip.ok());
  LaunchRequest r = request(0);
  r.time = true;
  r.values = false;
  r.tracePath = testing::TempDir() + "trace.json";
  r.reportPath = testing::TempDir() + "page.html";
  ASSERT_TRUE(launchOnSim(kernel, memory, r, &*chip).ok());
  auto trace = readFile(r.tracePath), page = readFile(r.reportPath);
  ASSERT_TRUE(trace.ok() && page.ok());
  EXPECT_TRUE(json::parse(*trace, "trace.json").ok());
  EXPECT_NE(page->find("<html"), std::string::npos);
  r.tracePath = "/nonexistent/trace.json";
  EXPECT_FALSE(launchOnSim(kernel, memory, r, &*chip).ok());
}

TEST_F(SimLaunchTest, PredictsTime) {
  auto chip = sim::Chip::load("h200");
  ASSERT_TRUE(chip.ok());
  LaunchRequest r = request(0);
  r.time = true;
  r.values = false;
  auto report = launchOnSim(kernel, memory, r, &*chip);
  ASSERT_TRUE(report.ok()) << report.error().str();
  EXPECT_GT(*report->cycles, 500);
  EXPECT_LT(*report->cycles, 50000);
  EXPECT_FALSE(report->computedValues);
  EXPECT_EQ(report->chip, "h200");
  EXPECT_NE(report->summary.find("cycles"), std::string::npos);
  json::Writer details;
  details.beginObject();
  report->writeDetails(details);
  details.endObject();
  EXPECT_NE(details.str().find("\"bound_by\":"), std::string::npos);
}

} // namespace
