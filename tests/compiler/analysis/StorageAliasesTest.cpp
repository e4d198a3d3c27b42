// Storage aliases: small trees counted by hand, then every kernel of the corpus
// against the views that fbtriton made of its buffers.
#include "compiler/analysis/StorageAliases.h"

#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/ingest/ParseFile.h"
#include "tests/compiler/DialectsTest.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

using namespace mlir;
using namespace tlx;

namespace {

class StorageAliasesTest : public tlx::testing::DialectsTest {
protected:
  OwningOpRef<ModuleOp> parse(const std::string &body) {
    std::string text =
        "#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n"
        "#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>\n"
        "#u = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>\n"
        "#v = #ttng.tensor_memory_encoding<blockM = 128, blockN = 1, colStride = 1>\n"
        "#smem = #ttg.shared_memory\n"
        "module { tt.func @k() {\n" +
        body + "tt.return } }\n";
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }

  /// Places by the order of allocations, and the error if there is one.
  std::vector<BufferPlace> places(ModuleOp module, std::string *error = nullptr,
                                  std::vector<Storage> *storages = nullptr) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (error && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        *error = diagnostic.str();
      return success();
    });
    FailureOr<StorageAliases> aliases = StorageAliases::compute(module);
    if (failed(aliases))
      return {};
    std::vector<BufferPlace> result;
    module.walk([&](Operation *op) {
      for (Value value : op->getResults())
        if (const BufferPlace *place = aliases->placeOf(value))
          result.push_back(*place);
    });
    if (storages)
      storages->assign(aliases->storages().begin(), aliases->storages().end());
    return result;
  }
};

const char *kSpec = "%s = tlx.storage_alias_spec storage = smem : !tlx.storage_alias_spec<smem>\n";

std::string alloc(const std::string &name, const std::string &type) {
  return "%" + name + " = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> " +
         type + "\n";
}
const std::string kF32 = "!ttg.memdesc<2x64x64xf32, #s, #smem, mutable>";
const std::string kF16 = "!ttg.memdesc<2x64x64xf16, #s, #smem, mutable>";
const std::string kHalf = "!ttg.memdesc<2x64x32xf32, #s, #smem, mutable>";

TEST_F(StorageAliasesTest, nestedGroups) {
  auto module =
      parse(std::string(kSpec) + alloc("qk", kF32) + alloc("p", kF16) + alloc("a", kHalf) +
            "%0 = tlx.reuse_group(%p, %a) group_kind = distinct : (" + kF16 + ", " + kHalf +
            ") -> !tlx.reuse_group<distinct>\n"
            "%1 = tlx.reuse_group(%qk, %0) group_kind = shared : (" +
            kF32 +
            ", !tlx.reuse_group<distinct>) -> !tlx.reuse_group<shared>\n"
            "tlx.set_buffer_overlap(%s, %1) : (!tlx.storage_alias_spec<smem>, "
            "!tlx.reuse_group<shared>) -> ()\n");
  ASSERT_TRUE(module);
  std::vector<Storage> storages;
  auto at = places(*module, nullptr, &storages);
  ASSERT_EQ(at.size(), 3u);
  ASSERT_EQ(storages.size(), 1u);
  EXPECT_EQ(storages[0].size, 2 * 16384);
  EXPECT_EQ(at[0].offsetOf(1), 16384); // qk[1] begins the second group
  EXPECT_EQ(at[1].scale, 2);           // p[i] is the first half of group i
  EXPECT_EQ(at[1].offsetOf(0), 0);
  EXPECT_EQ(at[1].offsetOf(1), 16384);
  EXPECT_EQ(at[2].slot, 1); // a[i] the second half
  EXPECT_EQ(at[2].offsetOf(0), 8192);
  EXPECT_EQ(at[2].offsetOf(1), 16384 + 8192);
}

TEST_F(StorageAliasesTest, groupSizeGathersConsecutiveIndices) {
  const std::string four = "!ttg.memdesc<4x64x64xf16, #s, #smem, mutable>";
  auto module = parse(std::string(kSpec) + alloc("qk", kF32) + alloc("p", four) +
                      "%0 = tlx.reuse_group(%p) group_kind = shared, group_size = 2 : (" + four +
                      ") -> !tlx.reuse_group<shared>\n"
                      "%1 = tlx.reuse_group(%qk, %0) group_kind = shared : (" +
                      kF32 +
                      ", !tlx.reuse_group<shared>) -> !tlx.reuse_group<shared>\n"
                      "tlx.set_buffer_overlap(%s, %1) : (!tlx.storage_alias_spec<smem>, "
                      "!tlx.reuse_group<shared>) -> ()\n");
  ASSERT_TRUE(module);
  auto at = places(*module);
  ASSERT_EQ(at.size(), 2u);
  // p[0] and p[1] lie on qk[0], p[2] and p[3] on qk[1].
  EXPECT_EQ(at[1].offsetOf(0), 0);
  EXPECT_EQ(at[1].offsetOf(1), 8192);
  EXPECT_EQ(at[1].offsetOf(2), 16384);
  EXPECT_EQ(at[1].offsetOf(3), 24576);
}

// The compiler's index arithmetic, where the group is too small for its members:
// index 3 lands in the next group.
TEST_F(StorageAliasesTest, groupsThatAreTooSmallOverlapTheNext) {
  const std::string wide = "!ttg.memdesc<2x64x128xf16, #s, #smem, mutable>";
  const std::string four = "!ttg.memdesc<8x64x64xf16, #s, #smem, mutable>";
  auto module =
      parse(std::string(kSpec) + alloc("big", wide) + alloc("p", four) +
            "%0 = tlx.reuse_group(%big) group_kind = shared, group_size = 4 : (" + wide +
            ") -> !tlx.reuse_group<shared>\n"
            "%1 = tlx.reuse_group(%0, %p) group_kind = shared : (!tlx.reuse_group<shared>, " +
            four +
            ") -> !tlx.reuse_group<shared>\n"
            "tlx.set_buffer_overlap(%s, %1) : (!tlx.storage_alias_spec<smem>, "
            "!tlx.reuse_group<shared>) -> ()\n");
  ASSERT_TRUE(module);
  auto at = places(*module);
  ASSERT_EQ(at.size(), 2u);
  // 64 KiB per group; big has stride 16 KiB, scale 1: used as written.
  EXPECT_TRUE(at[0].isDirect());
  EXPECT_EQ(at[0].offsetOf(1), 16384);
  EXPECT_EQ(at[1].scale, 8);
}

TEST_F(StorageAliasesTest, withoutOverlapAllBeginAtZero) {
  auto module = parse(std::string(kSpec) + alloc("x", kF32) + alloc("y", kF16));
  ASSERT_TRUE(module);
  std::vector<Storage> storages;
  auto at = places(*module, nullptr, &storages);
  ASSERT_EQ(at.size(), 2u);
  EXPECT_EQ(storages[0].size, 2 * 16384);
  EXPECT_EQ(at[1].offsetOf(1), 8192);
}

TEST_F(StorageAliasesTest, tensorMemoryCountsColumns) {
  auto module = parse(
      "%s = tlx.storage_alias_spec storage = tmem : !tlx.storage_alias_spec<tmem>\n"
      "%qk = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<tmem> -> "
      "!ttg.memdesc<2x128x128xf32, #t, #ttng.tensor_memory, mutable>\n"
      "%p = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<tmem> -> "
      "!ttg.memdesc<2x128x64xf16, #u, #ttng.tensor_memory, mutable>\n"
      "%m = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<tmem> -> "
      "!ttg.memdesc<2x128x1xf32, #v, #ttng.tensor_memory, mutable>\n"
      "%0 = tlx.reuse_group(%p, %m) group_kind = distinct : (!ttg.memdesc<2x128x64xf16, #u, "
      "#ttng.tensor_memory, mutable>, !ttg.memdesc<2x128x1xf32, #v, #ttng.tensor_memory, mutable>) "
      "-> !tlx.reuse_group<distinct>\n"
      "%1 = tlx.reuse_group(%qk, %0) group_kind = shared : (!ttg.memdesc<2x128x128xf32, #t, "
      "#ttng.tensor_memory, mutable>, !tlx.reuse_group<distinct>) -> !tlx.reuse_group<shared>\n"
      "tlx.set_buffer_overlap(%s, %1) : (!tlx.storage_alias_spec<tmem>, !tlx.reuse_group<shared>) "
      "-> ()\n");
  ASSERT_TRUE(module);
  std::vector<Storage> storages;
  auto at = places(*module, nullptr, &storages);
  ASSERT_EQ(at.size(), 3u);
  EXPECT_EQ(storages[0].lanes, 128);
  EXPECT_EQ(storages[0].size, 256);
  EXPECT_EQ(at[1].unit, 32); // two 16-bit elements to a column
  EXPECT_EQ(at[1].offsetOf(1), 128);
  EXPECT_EQ(at[2].unit, 1);
  EXPECT_EQ(at[2].offsetOf(0), 32);
  EXPECT_EQ(at[2].offsetOf(1), 160);
}

TEST_F(StorageAliasesTest, errorsNameTheReason) {
  auto small =
      parse("%s = tlx.storage_alias_spec storage = smem, size = 1000 : "
            "!tlx.storage_alias_spec<smem, 1000>\n"
            "%x = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem, 1000> -> " +
            kF16 + "\n");
  ASSERT_TRUE(small);
  std::string error;
  EXPECT_TRUE(places(*small, &error).empty());
  EXPECT_NE(error.find("size 1000 is too small for its buffers, which need 16384 bytes"),
            std::string::npos)
      << error;

  const std::string odd = "!ttg.memdesc<2x16x32xf32, #s, #smem, mutable>";
  auto uneven = parse(std::string(kSpec) + alloc("x", odd) + alloc("y", kF16) + alloc("z", odd) +
                      "%0 = tlx.reuse_group(%x, %y) group_kind = distinct : (" + odd + ", " + kF16 +
                      ") -> !tlx.reuse_group<distinct>\n"
                      "tlx.set_buffer_overlap(%s, %0) : (!tlx.storage_alias_spec<smem>, "
                      "!tlx.reuse_group<distinct>) -> ()\n");
  ASSERT_TRUE(uneven);
  EXPECT_TRUE(places(*uneven, &error).empty());
  EXPECT_NE(error.find("does not divide its group's"), std::string::npos) << error;
}

TEST_F(StorageAliasesTest, localAliasesShareTheWholeAllocation) {
  auto module =
      parse("%x = ttg.local_alloc : () -> " + kF16 + "\n%y = tlx.local_alias %x : " + kF16 +
            " -> " + kF32 + "\n%z = ttg.local_alloc : () -> " + kF16 + "\n");
  ASSERT_TRUE(module);
  std::vector<Storage> storages;
  auto at = places(*module, nullptr, &storages);
  ASSERT_EQ(at.size(), 3u);
  EXPECT_EQ(at[0].storage, at[1].storage);
  EXPECT_NE(at[0].storage, at[2].storage);
  EXPECT_EQ(storages[at[0].storage].size, 2 * 16384);
}

//===----------------------------------------------------------------------===//
// The corpus
//===----------------------------------------------------------------------===//

/// Shape and element type: encodings change between the levels.
std::string shapeOf(ttg::MemDescType type, int64_t count) {
  std::string text = std::to_string(count);
  for (int64_t size : type.getShape().drop_front())
    text += "x" + std::to_string(size);
  llvm::raw_string_ostream(text) << type.getElementType();
  return text;
}

// fbtriton turns each aliased buffer into a view with as many buffers as its
// rewritten indices reach: those views stand in the .ttgir.
TEST_F(StorageAliasesTest, corpusViewsAreFbtritons) {
  const char *given = std::getenv("TLX_SHARED");
  std::filesystem::path root =
      std::filesystem::path(given ? given : TLX_SOURCE_DIR "/../shared") / "corpus";
  if (!std::filesystem::is_directory(root))
    GTEST_SKIP() << "no corpus at " << root;
  unsigned specs = 0, kernels = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
    std::filesystem::path path = entry.path();
    if (path.extension() != ".ttir")
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(path.string());
    if (!buffer || !(*buffer)->getBuffer().contains("tlx.storage_alias_spec"))
      continue;
    auto module = parseFile(path.string(), context);
    auto lowered = parseFile(path.replace_extension(".ttgir").string(), context);
    ASSERT_TRUE(module.ok() && lowered.ok()) << path;
    std::set<std::string> views;
    (*lowered)->walk([&](Operation *op) {
      if (isa<ttg::MemDescReinterpretOp, ttg::LocalAllocOp, ttng::TMEMAllocOp>(op)) {
        auto type = cast<ttg::MemDescType>(op->getResult(0).getType());
        views.insert(shapeOf(type, type.getShape().front()));
      }
    });
    FailureOr<StorageAliases> aliases = StorageAliases::compute(module->get());
    ASSERT_TRUE(succeeded(aliases)) << path;
    ++kernels;
    (*module)->walk([&](tlxd::StorageAliasLocalAllocOp op) {
      const BufferPlace *place = aliases->placeOf(op.getResult());
      ASSERT_TRUE(place) << path;
      // What nobody reads or writes is not in the .ttgir.
      if (llvm::all_of(op->getUsers(), llvm::IsaPred<tlxd::ReuseGroupOp>))
        return;
      ++specs;
      std::string view = shapeOf(op.getType(), place->slotOf(place->count - 1) + 1);
      EXPECT_TRUE(views.count(view)) << path << ": no view " << view;
    });
  }
  EXPECT_GE(kernels, 50u);
  EXPECT_GE(specs, 300u);
}

} // namespace
