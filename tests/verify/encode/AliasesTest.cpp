// Aliases and views: a bulk store still reads one buffer while another is written.
// That is a race exactly when the two share bytes.
#include "compiler/dialect/registry/Registry.h"
#include "verify/checks/Prover.h"
#include "verify/encode/Encoder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::verify;

namespace {

class AliasesTest : public ::testing::Test {
protected:
  AliasesTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  /// "PROVED", the class of the BUG, or the reason of the UNKNOWN.
  std::string verdict(const std::string &body) {
    std::string text = R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#f = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @k(%d: !tt.tensordesc<tensor<64x64xf16>>, %d1: !tt.tensordesc<tensor<64x32xf16>>,
           %d2: !tt.tensordesc<tensor<32x64xf16>>, %v: tensor<64x64xf16>, %w: tensor<64x32xf16>,
           %h: tensor<32x64xf16>, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
)" + body + "  ttng.async_tma_store_wait {pendings = 0 : i32}\n  tt.return\n} }\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module)
      return "does not parse";
    std::string result;
    for (auto function : module->getOps<FunctionOpInterface>()) {
      EncodedKernel kernel = encode(function, {});
      if (!kernel.reason.empty())
        return kernel.reason + ": " + kernel.message;
      ProofResult proof = prove(kernel.program, {});
      result = proof.verdict == ProofResult::Proved ? "PROVED"
               : proof.verdict == ProofResult::Bug  ? info(proof.violation.cls).name
                                                    : proof.reason;
    }
    return result;
  }

  MLIRContext context;
};

const std::string kTile = "!ttg.memdesc<64x64xf16, #s, #smem, mutable>";
const std::string kTiles = "!ttg.memdesc<4x64x64xf16, #s, #smem, mutable>";
const std::string kPair = "!ttg.memdesc<2x64x64xf16, #s, #smem, mutable>";
const std::string kWide = "!ttg.memdesc<2x64x64xf32, #f, #smem, mutable>";
const std::string kWideTile = "!ttg.memdesc<64x64xf32, #f, #smem, mutable>";

std::string index(const std::string &name, const std::string &from, const std::string &at,
                  const std::string &array = kTiles, const std::string &tile = kTile) {
  return "  %" + name + " = ttg.memdesc_index %" + from + "[%" + at + "] : " + array + " -> " +
         tile + "\n";
}
/// The bulk store that is still reading.
std::string reading(const std::string &name) {
  return "  ttng.async_tma_copy_local_to_global %d[%c0, %c0] %" + name +
         " : !tt.tensordesc<tensor<64x64xf16>>, " + kTile + "\n";
}
std::string write(const std::string &name, const std::string &value = "v",
                  const std::string &shape = "64x64", const std::string &rest = "") {
  return "  ttg.local_store %" + value + ", %" + name + " : tensor<" + shape +
         "xf16> -> !ttg.memdesc<" + shape + "xf16, #s, #smem, mutable" + rest + ">\n";
}
std::string writeWide(const std::string &name) {
  return "  %z = arith.constant dense<0.0> : tensor<64x64xf32>\n  ttg.local_store %z, %" + name +
         " : tensor<64x64xf32> -> " + kWideTile + "\n";
}
const std::string kAlloc = "  %a = ttg.local_alloc : () -> " + kTiles + "\n";

} // namespace

TEST_F(AliasesTest, slotsOfOneArrayAreDistinct) {
  std::string both = kAlloc + index("r", "a", "c0") + index("s", "a", "c1");
  EXPECT_EQ(verdict(both + reading("r") + write("s")), "PROVED");
  EXPECT_EQ(verdict(both + reading("r") + write("r")), "race");
}

TEST_F(AliasesTest, aLocalAliasBeginsWhereItsAllocationDoes) {
  // 2 x 16 KiB over 4 x 8 KiB.
  std::string both = kAlloc + "  %f = tlx.local_alias %a : " + kTiles + " -> " + kWide + "\n" +
                     index("r", "a", "c2") + index("f0", "f", "c0", kWide, kWideTile) +
                     index("f1", "f", "c1", kWide, kWideTile);
  EXPECT_EQ(verdict(both + reading("r") + writeWide("f0")), "PROVED");
  EXPECT_EQ(verdict(both + reading("r") + writeWide("f1")), "race");
}

TEST_F(AliasesTest, storageAliasesWithoutOverlapAllBeginAtTheBeginning) {
  std::string both =
      "  %s = tlx.storage_alias_spec storage = smem : !tlx.storage_alias_spec<smem>\n"
      "  %a = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> " +
      kTiles + "\n  %f = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> " +
      kWide + "\n" + index("r", "a", "c1") + index("f0", "f", "c0", kWide, kWideTile) +
      index("f1", "f", "c1", kWide, kWideTile);
  EXPECT_EQ(verdict(both + reading("r") + writeWide("f0")), "race");
  EXPECT_EQ(verdict(both + reading("r") + writeWide("f1")), "PROVED");
}

/// shared(f, distinct(p, q)): f[i] lies over p[i] and q[i].
static std::string groups() {
  std::string text =
      "  %s = tlx.storage_alias_spec storage = smem : !tlx.storage_alias_spec<smem>\n";
  for (auto [name, type] : {std::pair("f", kWide), std::pair("p", kPair), std::pair("q", kPair)})
    text += "  %" + std::string(name) +
            " = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> " + type + "\n";
  return text + "  %g = tlx.reuse_group(%p, %q) group_kind = distinct : (" + kPair + ", " + kPair +
         ") -> !tlx.reuse_group<distinct>\n"
         "  %h2 = tlx.reuse_group(%f, %g) group_kind = shared : (" +
         kWide +
         ", !tlx.reuse_group<distinct>) -> !tlx.reuse_group<shared>\n"
         "  tlx.set_buffer_overlap(%s, %h2) : (!tlx.storage_alias_spec<smem>, "
         "!tlx.reuse_group<shared>) -> ()\n";
}

TEST_F(AliasesTest, reuseGroupsPlaceTheirBuffers) {
  for (int p = 0; p < 2; ++p)
    for (int f = 0; f < 2; ++f)
      for (const char *name : {"p", "q"}) {
        std::string c = "c" + std::to_string(p), at = "c" + std::to_string(f);
        EXPECT_EQ(verdict(groups() + index("r", name, c, kPair) +
                          index("o", "f", at, kWide, kWideTile) + reading("r") + writeWide("o")),
                  p == f ? "race" : "PROVED")
            << name << "[" << p << "] and f[" << f << "]";
      }
  EXPECT_EQ(verdict(groups() + index("r", "p", "c0", kPair) + index("o", "q", "c0", kPair) +
                    reading("r") + write("o")),
            "PROVED");
}

TEST_F(AliasesTest, aSlotKnownAtRunTimeOnlyIsAnyOfThem) {
  std::string text = groups() + index("r", "p", "c0", kPair) +
                     index("o", "f", "x", kWide, kWideTile) + reading("r") + writeWide("o");
  EXPECT_NE(verdict(text), "PROVED");
}

TEST_F(AliasesTest, reinterpretedArraysHaveSlotsOfTheirOwn) {
  std::string both = kAlloc + "  %f = ttg.memdesc_reinterpret %a : " + kTiles + " -> " + kWide +
                     "\n" + index("r", "a", "c1") + index("f0", "f", "c0", kWide, kWideTile) +
                     index("f1", "f", "c1", kWide, kWideTile);
  EXPECT_EQ(verdict(both + reading("r") + writeWide("f0")), "race");
  EXPECT_EQ(verdict(both + reading("r") + writeWide("f1")), "PROVED");
}

TEST_F(AliasesTest, halvesOfATileAreDistinctInAnyLayout) {
  std::string rest = ", 64x64";
  auto half = [&](const std::string &name, const std::string &shape, const std::string &at) {
    return "  %" + name + " = ttg.memdesc_subslice %t[" + at + "] : " + kTile +
           " -> !ttg.memdesc<" + shape + "xf16, #s, #smem, mutable, 64x64>\n";
  };
  auto read = [&](const std::string &name, const std::string &shape) {
    return "  ttng.async_tma_copy_local_to_global %d1[%c0, %c0] %" + name +
           " : !tt.tensordesc<tensor<" + shape + "xf16>>, !ttg.memdesc<" + shape +
           "xf16, #s, #smem, mutable, 64x64>\n";
  };
  std::string tile = kAlloc + index("t", "a", "c0");
  std::string left = half("l", "64x32", "0, 0"), right = half("m", "64x32", "0, 32");
  std::string lower = half("n", "32x64", "32, 0");
  EXPECT_EQ(verdict(tile + left + right + read("l", "64x32") + write("m", "w", "64x32", rest)),
            "PROVED");
  EXPECT_EQ(verdict(tile + left + read("l", "64x32") + write("l", "w", "64x32", rest)), "race");
  EXPECT_EQ(verdict(tile + left + lower + read("l", "64x32") + write("n", "h", "32x64", rest)),
            "race");
}

TEST_F(AliasesTest, halvesStayDistinctWhenTransposed) {
  std::string text = kAlloc + index("t", "a", "c0") +
                     "  %u = ttg.memdesc_trans %t {order = array<i32: 1, 0>} : " + kTile +
                     " -> !ttg.memdesc<64x64xf16, #t, #smem, mutable>\n";
  // Columns of the transposed tile are rows of the tile.
  auto upper = [&](const std::string &at) {
    return "  %n = ttg.memdesc_subslice %u[" + at +
           "] : !ttg.memdesc<64x64xf16, #t, #smem, mutable> -> "
           "!ttg.memdesc<64x32xf16, #t, #smem, mutable, 64x64>\n"
           "  ttg.local_store %w, %n : tensor<64x32xf16> -> "
           "!ttg.memdesc<64x32xf16, #t, #smem, mutable, 64x64>\n";
  };
  std::string low = "  %l = ttg.memdesc_subslice %t[32, 0] : " + kTile +
                    " -> !ttg.memdesc<32x64xf16, #s, #smem, mutable, 64x64>\n"
                    "  ttng.async_tma_copy_local_to_global %d2[%c0, %c0] %l : "
                    "!tt.tensordesc<tensor<32x64xf16>>, "
                    "!ttg.memdesc<32x64xf16, #s, #smem, mutable, 64x64>\n";
  EXPECT_EQ(verdict(text + low + upper("0, 0")), "PROVED");
  EXPECT_EQ(verdict(text + low + upper("0, 32")), "race");
}

TEST_F(AliasesTest, whatCannotBeFollowedProvesButDoesNotRefute) {
  std::string text = kAlloc + index("t", "a", "c0") + index("o", "a", "c1") +
                     "  %n = ttg.memdesc_dynamic_subslice %t[%x, %c0] : " + kTile +
                     " -> !ttg.memdesc<32x64xf16, #s, #smem, mutable, 64x64>\n";
  EXPECT_EQ(verdict(text + reading("o") + write("n", "h", "32x64", ", 64x64")), "PROVED");
  EXPECT_EQ(verdict(text + reading("t") + write("n", "h", "32x64", ", 64x64")),
            "which part of its buffer an access touches");
}

TEST_F(AliasesTest, storageThatIsTooSmallIsNamed) {
  std::string text =
      verdict("  %s = tlx.storage_alias_spec storage = smem, size = 100 : "
              "!tlx.storage_alias_spec<smem, 100>\n"
              "  %a = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem, 100> -> " +
              kTiles + "\n");
  EXPECT_NE(text.find("storage-aliases: "), std::string::npos) << text;
  EXPECT_NE(text.find("size 100 is too small"), std::string::npos) << text;
}
