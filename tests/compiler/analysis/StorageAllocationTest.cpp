// Which storages may share memory, and how much all of them need: small programs
// by hand, then every kernel of the corpus against what fbtriton allocated.
#include "compiler/analysis/StorageAllocation.h"

#include "compiler/ingest/ParseFile.h"
#include "runtime/loader/Manifest.h"
#include "tests/compiler/DialectsTest.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <filesystem>

using namespace mlir;
using namespace tlx;

namespace {

class StorageAllocationTest : public tlx::testing::DialectsTest {
protected:
  OwningOpRef<ModuleOp> parse(const std::string &body) {
    std::string text =
        "#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
        "#t = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>\n"
        "#smem = #ttg.shared_memory\n"
        "!b = !ttg.memdesc<2x64xf32, #s, #smem, mutable>\n"
        "!v = !ttg.memdesc<64xf32, #s, #smem, mutable>\n"
        "!m = !ttg.memdesc<64x64xf32, #t, #ttng.tensor_memory, mutable>\n"
        "module { tt.func @k(%x: tensor<64xf32>, %i: i32) {\n" +
        body + "tt.return } }\n";
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }

  static std::string use(const std::string &buffer) {
    static int number = 0;
    std::string view = "%w" + std::to_string(number++);
    return view + " = ttg.memdesc_index %" + buffer + "[%i] : !b -> !v\n" + "ttg.local_store %x, " +
           view + " : tensor<64xf32> -> !v\n";
  }
  static std::string alloc(const std::string &buffer) {
    return "%" + buffer + " = ttg.local_alloc : () -> !b\n";
  }

  StorageAllocation allocate(ModuleOp module) {
    FailureOr<StorageAliases> aliases = StorageAliases::compute(module);
    EXPECT_TRUE(succeeded(aliases));
    return StorageAllocation::compute(module, *aliases);
  }
};

TEST_F(StorageAllocationTest, livesThatDoNotOverlapShare) {
  auto module = parse(alloc("a") + use("a") + alloc("b") + use("b"));
  ASSERT_TRUE(module);
  StorageAllocation allocation = allocate(*module);
  EXPECT_TRUE(allocation.mayShare(0, 1));
  EXPECT_EQ(allocation.addressOf(1).offset, 0);
  EXPECT_EQ(allocation.sharedBytes(), 512);
}

TEST_F(StorageAllocationTest, livesThatOverlapDoNot) {
  auto module = parse(alloc("a") + alloc("b") + use("b") + use("a"));
  ASSERT_TRUE(module);
  StorageAllocation allocation = allocate(*module);
  EXPECT_FALSE(allocation.mayShare(0, 1));
  EXPECT_EQ(allocation.addressOf(1).offset, 512);
  EXPECT_EQ(allocation.sharedBytes(), 1024);
}

// A use early in a loop's body is one late in the next iteration.
TEST_F(StorageAllocationTest, usesInALoopLastAsLongAsTheLoop) {
  auto module = parse(alloc("a") + "scf.for %j = %i to %i step %i : i32 {\n" + use("a") +
                      alloc("b") + use("b") + "}\n" + alloc("c") + use("c"));
  ASSERT_TRUE(module);
  StorageAllocation allocation = allocate(*module);
  EXPECT_FALSE(allocation.mayShare(0, 1));
  EXPECT_TRUE(allocation.mayShare(0, 2));
  EXPECT_TRUE(allocation.mayShare(1, 2));
}

TEST_F(StorageAllocationTest, capturesLiveThroughoutTheirWarpSpecialize) {
  auto module = parse(alloc("a") + alloc("d") + use("d") +
                      "ttg.warp_specialize(%a, %i)\n"
                      "default {\n" +
                      alloc("b") + use("b") + alloc("c") + use("c") +
                      "ttg.warp_yield\n}\n"
                      "partition0(%p: !b, %j: i32) num_warps(4) {\n"
                      "%q = ttg.memdesc_index %p[%j] : !b -> !v\nttg.warp_return\n"
                      "} : (!b, i32) -> ()\n");
  ASSERT_TRUE(module);
  StorageAllocation allocation = allocate(*module);
  EXPECT_FALSE(allocation.mayShare(0, 2)); // a lives while b does
  EXPECT_TRUE(allocation.mayShare(1, 2));  // d is over by then
  EXPECT_TRUE(allocation.mayShare(2, 3));
}

TEST_F(StorageAllocationTest, regionsOfAWarpSpecializeRunAtTheSameTime) {
  auto module =
      parse("ttg.warp_specialize(%i)\ndefault {\n" + alloc("a") + use("a") + alloc("c") + use("c") +
            "ttg.warp_yield\n}\npartition0(%j: i32) num_warps(4) {\n" +
            "%b = ttg.local_alloc : () -> !b\n" +
            "%q = ttg.memdesc_index %b[%j] : !b -> !v\nttg.warp_return\n" + "} : (i32) -> ()\n");
  ASSERT_TRUE(module);
  StorageAllocation allocation = allocate(*module);
  EXPECT_TRUE(allocation.mayShare(0, 1));
  EXPECT_FALSE(allocation.mayShare(0, 2));
  EXPECT_FALSE(allocation.mayShare(1, 2));
}

TEST_F(StorageAllocationTest, buffersHandedThroughALoopStayAlive) {
  auto module = parse(alloc("a") + alloc("c") +
                      "%r = scf.for %j = %i to %i step %i iter_args(%p = %a) -> (!b) : i32 {\n"
                      "scf.yield %p : !b\n}\n" +
                      use("c") + alloc("b") + use("b") + use("r"));
  ASSERT_TRUE(module);
  StorageAllocation allocation = allocate(*module);
  EXPECT_FALSE(allocation.mayShare(0, 2));
  EXPECT_TRUE(allocation.mayShare(1, 2));
}

// Tiles of 64 rows take half of the lanes: two lie side by side.
TEST_F(StorageAllocationTest, tensorMemoryHasTwoHalves) {
  auto module =
      parse("%t = arith.constant true\n%x2 = arith.constant dense<0.0> : tensor<64x64xf32>\n"
            "%a = ttng.tmem_alloc : () -> !m\n%b = ttng.tmem_alloc : () -> !m\n"
            "ttng.tmem_store %x2, %a, %t : tensor<64x64xf32> -> !m\n"
            "ttng.tmem_store %x2, %b, %t : tensor<64x64xf32> -> !m\n");
  ASSERT_TRUE(module);
  StorageAllocation allocation = allocate(*module);
  EXPECT_EQ(allocation.tensorColumns(), 64);
  EXPECT_EQ(allocation.addressOf(0).lane, 0);
  EXPECT_EQ(allocation.addressOf(1).lane, 16);
}

// Packed 4-bit floats beside 8-bit ones take twice their bytes.
TEST_F(StorageAllocationTest, paddedFp4TakesTwiceItsBytes) {
  std::string type =
      "!ttg.memdesc<1x64x64xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed "
      "= false, elementBitWidth = 8, fp4Padded = true}>, #smem, mutable>";
  auto module = parse("%p = ttg.local_alloc : () -> " + type + "\n" + alloc("a") + use("a") +
                      "ttg.local_dealloc %p : " + type + "\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(allocate(*module).sharedBytes(), 2 * 64 * 64 + 512);
}

// fbtriton's totals also hold scratch memory, never less than the buffers.
TEST_F(StorageAllocationTest, corpusKernelsFitWhatFbtritonAllocated) {
  const char *given = std::getenv("TLX_SHARED");
  std::filesystem::path root =
      std::filesystem::path(given ? given : TLX_SOURCE_DIR "/../shared") / "corpus";
  if (!std::filesystem::is_directory(root))
    GTEST_SKIP() << "no corpus at " << root;
  unsigned kernels = 0, near = 0, tensor = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
    std::filesystem::path path = entry.path();
    if (path.extension() != ".json" || path.filename() == "bug.json")
      continue;
    std::string stem = path.stem().string();
    bool launch = stem.rfind("launch", 0) == 0;
    std::filesystem::path ir = path.parent_path() / ((launch ? "kernel" : stem) + ".ttgir");
    if (!std::filesystem::exists(ir))
      continue;
    // Its launch was of another tile size: 16 KiB for a tile of 32.
    if (path.string().find("matmul_kernel_host_tensor_descriptor-6107f2") != std::string::npos)
      continue;
    Result<Manifest> manifest = readManifest(path.string());
    if (!manifest || !manifest->isCuda() || !manifest->sharedBytes)
      continue;
    auto module = parseFile(ir.string(), context);
    if (!module)
      continue; // the round trip says which
    StorageAllocation allocation = allocate(module->get());
    ++kernels;
    EXPECT_LE(allocation.sharedBytes(), *manifest->sharedBytes) << ir;
    near += allocation.sharedBytes() + 1024 >= *manifest->sharedBytes;
    if (manifest->tmemColumns && *manifest->tmemColumns) {
      EXPECT_LE(allocation.tensorColumns(), *manifest->tmemColumns) << ir;
      tensor += 2 * allocation.tensorColumns() > *manifest->tmemColumns;
    }
  }
  RecordProperty("kernels", int(kernels));
  RecordProperty("near", int(near));
  EXPECT_GE(kernels, 200u);
  EXPECT_GE(near, kernels / 2);
  EXPECT_GE(tensor, 50u);
}

} // namespace
