// Costs that follow from layouts.
#include "compiler/dialect/registry/Registry.h"
#include "compiler/export/Export.h"
#include "compiler/ingest/ParseFile.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace tlx;

namespace {

std::unique_ptr<sim::Program> exportTtgir(const std::string &text) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseText(text, "kernel.ttgir", context);
  EXPECT_TRUE(module) << module.error().str();
  if (!module)
    return nullptr;
  auto program = exportProgram(**module);
  EXPECT_TRUE(program) << program.error().str();
  return program ? std::move(*program) : nullptr;
}

/// The integers among the attributes of the first instruction with this opcode.
std::vector<int64_t> intsOf(const std::string &text, sim::Op op) {
  std::unique_ptr<sim::Program> program = exportTtgir(text);
  if (program)
    for (const sim::Inst &inst : program->code)
      if (inst.op == op)
        return inst.attrs < 0 ? std::vector<int64_t>{} : program->attrs[inst.attrs].ints;
  ADD_FAILURE() << "no such instruction";
  return {};
}

/// Costs of the instructions with this opcode, in order.
std::vector<sim::Cost> costsOf(const std::string &body, sim::Op op) {
  std::string text = R"(
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#swizzled = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @k(%x: tensor<64x64xf16, #mma>, %y: tensor<64x64xf16, #blocked>, %z: tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>) {
)" + body + "    tt.return\n  }\n}\n";
  std::vector<sim::Cost> costs;
  if (std::unique_ptr<sim::Program> program = exportTtgir(text))
    for (const sim::Inst &inst : program->code)
      if (inst.op == op && inst.cost >= 0)
        costs.push_back(program->costs[inst.cost]);
  return costs;
}

// Four warps reach all lanes of tensor memory; more share the columns, or the rows of a tall tile.
TEST(LayoutCost, WhichFourWarpsHoldAnElement) {
  auto bitsOf = [](const char *last, int warps) {
    return intsOf(
        "#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>\n"
        "#l = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]" +
            std::string(warps == 4 ? ", [0, 32]" : "") +
            "], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]" + last +
            "], block = []}>\n" +
            "module attributes {\"ttg.num-warps\" = " + std::to_string(warps) +
            R"( : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:100"} {
  tt.func public @k() {
    %m = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #l>
    tt.return
  }
})",
        sim::Op::TmemLoad);
  };
  EXPECT_EQ(bitsOf(", [0, 32]", 8), std::vector<int64_t>{32});
  EXPECT_EQ(bitsOf("", 4), std::vector<int64_t>{});
}

TEST(LayoutCost, AChangeOfLayoutThatMovesNothing) {
  auto costs = costsOf(R"(
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #dot>
    %1 = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked1>
)",
                       sim::Op::Copy);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].unit, CostUnit::None); // an accumulator is an operand as it is
  EXPECT_EQ(costs[1].unit, CostUnit::SharedMemory);
}

TEST(LayoutCost, SharedMemoryPassesAndInstructions) {
  auto costs = costsOf(R"(
    %0 = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #swizzled, #smem, mutable>
    %1 = ttg.local_alloc %x : (tensor<64x64xf16, #mma>) -> !ttg.memdesc<64x64xf16, #swizzled, #smem, mutable>
    %2 = ttg.local_alloc %x : (tensor<64x64xf16, #mma>) -> !ttg.memdesc<64x64xf16, #plain, #smem, mutable>
)",
                       sim::Op::LocalAlloc);
  ASSERT_EQ(costs.size(), 3u);
  // 16 bytes to a lane: 4 instructions in each of 4 warps, no conflicts.
  EXPECT_EQ(costs[0].warpInstructions, 16);
  EXPECT_EQ(costs[0].sharedWavefronts, 64 * 64 * 2 / 128);
  // Pairs go four at a time (stmatrix), without conflicts thanks to the swizzle.
  EXPECT_EQ(costs[1].warpInstructions, 16);
  EXPECT_EQ(costs[1].sharedWavefronts, 64 * 64 * 2 / 128);
  // Rows of 128 bytes without a swizzle: eight rows meet in each bank.
  EXPECT_EQ(costs[2].sharedWavefronts, 8 * 64 * 64 * 2 / 128);
}

TEST(LayoutCost, CopiesCount) {
  auto costs = costsOf(R"(
    %0 = math.exp2 %z : tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
)",
                       sim::Op::Exp2);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].registersPerThread, 2);
  EXPECT_EQ(costs[0].elements, 2 * 32 * 4); // four lanes hold each row
}

} // namespace
