#include "compiler/analysis/AxisInfo.h"
#include "tests/compiler/DialectsTest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tlx;

namespace {

/// The facts of the value that is stored last.
class AxisInfoTest : public tlx::testing::DialectsTest {
protected:
  AxisInfo pointers(const std::string &body) {
    std::string text = R"(
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %odd: i32) {
  %c2 = arith.constant 2 : i32
  %c512 = arith.constant 512 : i32
  %zero = arith.constant dense<0.0> : tensor<512xf16, #b>
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #b>
)" + body + "\n tt.return }}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (!module)
      return {};
    tt::StoreOp store;
    module->walk([&](tt::StoreOp op) { store = op; });
    auto kernel = *module->getOps<tt::FuncOp>().begin();
    AxisInfos infos(kernel);
    mask = store.getMask() ? infos.of(store.getMask()) : AxisInfo();
    return infos.of(store.getPtr());
  }
  OwningOpRef<ModuleOp> module;
  AxisInfo mask;
};

constexpr const char *kStore = "tt.store %q, %zero : tensor<512x!tt.ptr<f16>, #b>";

TEST_F(AxisInfoTest, AlignedPointersPlusARange) {
  AxisInfo info = pointers(std::string(R"(
  %q = tt.addptr %ps, %range : tensor<512x!tt.ptr<f16>, #b>, tensor<512xi32, #b>
)") + kStore);
  EXPECT_EQ(info.contiguity[0], 512);
  EXPECT_EQ(info.divisibility[0], 16);
}

TEST_F(AxisInfoTest, AnOddOffsetTakesAlignmentAwayNotTheRun) {
  AxisInfo info = pointers(std::string(R"(
  %m = tt.addptr %p, %odd : !tt.ptr<f16>, i32
  %ms = tt.splat %m : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #b>
  %q = tt.addptr %ms, %range : tensor<512x!tt.ptr<f16>, #b>, tensor<512xi32, #b>
)") + kStore);
  EXPECT_EQ(info.contiguity[0], 512);
  EXPECT_EQ(info.divisibility[0], 2);
}

TEST_F(AxisInfoTest, ACounterIsAMultipleOfItsBoundAndStep) {
  AxisInfo info = pointers(R"(
  %half = arith.divui %n, %c2 : i32
  scf.for %i = %half to %odd step %c512 : i32 {
    %is = tt.splat %i : i32 -> tensor<512xi32, #b>
    %o = arith.addi %is, %range : tensor<512xi32, #b>
    %q = tt.addptr %ps, %o : tensor<512x!tt.ptr<f16>, #b>, tensor<512xi32, #b>
    tt.store %q, %zero : tensor<512x!tt.ptr<f16>, #b>
  })");
  EXPECT_EQ(info.contiguity[0], 512);
  EXPECT_EQ(info.divisibility[0], 16); // 8 elements of 2 bytes
}

TEST_F(AxisInfoTest, ALoopThatMovesPointersByOddStepsLosesAlignment) {
  AxisInfo info = pointers(R"(
  %first = tt.addptr %ps, %range : tensor<512x!tt.ptr<f16>, #b>, tensor<512xi32, #b>
  %os = tt.splat %odd : i32 -> tensor<512xi32, #b>
  %r = scf.for %i = %odd to %n step %c2 iter_args(%q = %first) -> (tensor<512x!tt.ptr<f16>, #b>) : i32 {
    tt.store %q, %zero : tensor<512x!tt.ptr<f16>, #b>
    %next = tt.addptr %q, %os : tensor<512x!tt.ptr<f16>, #b>, tensor<512xi32, #b>
    scf.yield %next : tensor<512x!tt.ptr<f16>, #b>
  })");
  EXPECT_EQ(info.contiguity[0], 512);
  EXPECT_EQ(info.divisibility[0], 2);
}

TEST_F(AxisInfoTest, AMaskIsOneForRunsThatItsBoundDoesNotCut) {
  const char *body = R"(
  %q = tt.addptr %ps, %range : tensor<512x!tt.ptr<f16>, #b>, tensor<512xi32, #b>
  %limit = tt.splat %BOUND : i32 -> tensor<512xi32, #b>
  %m = arith.cmpi slt, %range, %limit : tensor<512xi32, #b>
  tt.store %q, %zero, %m : tensor<512x!tt.ptr<f16>, #b>)";
  std::string text = body;
  size_t at = text.find("%BOUND");
  pointers(std::string(text).replace(at, 6, "%n"));
  EXPECT_EQ(mask.constancy[0], 16);
  pointers(std::string(text).replace(at, 6, "%odd"));
  EXPECT_EQ(mask.constancy[0], 1);
}

TEST_F(AxisInfoTest, RemaindersKeepRunsThatDivideTheDivisor) {
  AxisInfo info = pointers(std::string(R"(
  %ns = tt.splat %n : i32 -> tensor<512xi32, #b>
  %o = arith.remsi %range, %ns : tensor<512xi32, #b>
  %q = tt.addptr %ps, %o : tensor<512x!tt.ptr<f16>, #b>, tensor<512xi32, #b>
)") + kStore);
  EXPECT_EQ(info.contiguity[0], 16);
}

} // namespace
