// Aliases and views: a bulk store still reads one buffer while another is written.
// That is a race exactly when the two share bytes.
#include "tests/verify/encode/EncodeTest.h"

using namespace tlx;
using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {

class AliasesTest : public EncodeTest {
protected:
  std::string verdict(const std::string &body) { return EncodeTest::verdict(program(body)); }

  std::string program(const std::string &body) {
    return R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#f = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#p = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#u = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#c = #ttng.tensor_memory_encoding<blockM = 128, blockN = 1, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = )" +
           std::to_string(ctas) + R"( : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k(%d: !tt.tensordesc<tensor<64x64xf16>>, %d1: !tt.tensordesc<tensor<64x32xf16>>,
           %d2: !tt.tensordesc<tensor<32x64xf16>>, %v: tensor<64x64xf16>, %w: tensor<64x32xf16>,
           %h: tensor<32x64xf16>, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
)" + body + "  ttng.async_tma_store_wait {pendings = 0 : i32}\n  tt.return\n} }\n";
  }

  int ctas = 1;
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

TEST_F(AliasesTest, aLoopMayCarryABufferThatNobodyLooksAt) {
  // First one allocation, then another: in pipelined loops, to keep it alive.
  std::string loop = "  %a = ttg.local_alloc : () -> " + kTile + "\n" +
                     "  %l = scf.for %i = %c0 to %x step %c1 iter_args(%p = %a) -> (" + kTile +
                     ") : i32 {\n  %o = ttg.local_alloc : () -> " + kTile + "\n";
  std::string end = "  scf.yield %o : " + kTile + "\n  }\n";
  EXPECT_EQ(verdict(loop + end), "PROVED");
  std::string text = verdict(loop + write("p") + end);
  EXPECT_NE(text.find("carries a buffer"), std::string::npos) << text;
  text = verdict(loop + end + write("l"));
  EXPECT_NE(text.find("cannot be found"), std::string::npos) << text;
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

TEST_F(AliasesTest, aBarrierOfSeveralCtasIsOneBarrier) {
  auto text = [](const std::string &encoding) {
    std::string type = "!ttg.memdesc<2xi64, #" + encoding + ", #smem, mutable>";
    return "  %b = ttg.local_alloc : () -> " + type + "\n  ttng.init_barrier %b, 1 : " + type +
           "\n";
  };
  EXPECT_EQ(verdict(text("p")), "does not parse: ");
  ctas = 2;
  EXPECT_EQ(verdict(text("p")), "PROVED");
  EXPECT_EQ(verdict(text("b")).find("ttng.init_barrier: a barrier array without an index"), 0u);
}

TEST_F(AliasesTest, aRemoteCopyReadsItsOwnCtasBuffer) {
  // The copy from %r to the peer's %s still reads %r, not the peer's.
  std::string text =
      kAlloc + index("r", "a", "c0") + index("s", "a", "c1") +
      "  %bars = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #b, #smem, mutable>\n"
      "  %bar = ttg.memdesc_index %bars[%c0] : !ttg.memdesc<1xi64, #b, #smem, mutable> -> "
      "!ttg.memdesc<1xi64, #b, #smem, mutable>\n"
      "  ttg.async_remote_shmem_copy %r, rank %c1, %s barrier %bar : " +
      kTile + " -> " + kTile + " barrier_ty !ttg.memdesc<1xi64, #b, #smem, mutable>\n";
  LaunchShape pair;
  pair.cluster = {2, 1, 1};
  Program copied = encoded(program(text), pair).program;
  int reads = 0, writes = 0;
  for (const Event &event : copied.events)
    for (const Effect &effect : event.effects) {
      if (effect.kind == sync::Kind::Read && ++reads)
        EXPECT_EQ(effect.target.rank, NoExpr);
      if (effect.kind == sync::Kind::Write && ++writes)
        EXPECT_NE(effect.target.rank, NoExpr);
    }
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(writes, 2);
}

TEST_F(AliasesTest, allocationsWhoseLivesAreOverMakeRoomAtTtgir) {
  std::string text = kAlloc + index("r", "a", "c0") + reading("r");
  std::string next =
      "  %n = ttg.local_alloc : () -> " + kTiles + "\n" + index("s", "n", "c0") + write("s");
  std::string wait = "  ttng.async_tma_store_wait {pendings = 0 : i32}\n";
  EXPECT_EQ(verdict(text + next), "race");
  EXPECT_EQ(verdict(text + wait + next), "PROVED");
  // Still alive: not on the same memory.
  EXPECT_EQ(verdict(text + next + index("t", "a", "c1")), "PROVED");
  LaunchShape early;
  early.beforeTtgir = true;
  EXPECT_EQ(EncodeTest::verdict(program(text + next), early), "PROVED");
  // Where the IR says.
  auto at = [&](const std::string &whole, const std::string &offset) {
    std::string changed = whole;
    std::string alloc = "ttg.local_alloc : ()";
    changed.replace(changed.rfind(alloc), alloc.size(),
                    "ttg.local_alloc {allocation.offset = " + offset + " : i32} : ()");
    return verdict(changed);
  };
  EXPECT_EQ(at(text + next, "32768"), "PROVED");
  EXPECT_EQ(at(text + next, "4096"), "race");
}

TEST_F(AliasesTest, columnsOfTensorMemoryUnderAnotherName) {
  // 300 single columns over four accumulators of 128; the MMA writes the third.
  auto text = [](int column) {
    std::string bar = "!ttg.memdesc<1xi64, #b, #smem, mutable>";
    std::string accs = "!ttg.memdesc<4x128x128xf32, #u, #ttng.tensor_memory, mutable>";
    std::string acc = "!ttg.memdesc<128x128xf32, #u, #ttng.tensor_memory, mutable>";
    std::string columns = "!ttg.memdesc<300x128x1xf32, #c, #ttng.tensor_memory, mutable>";
    std::string one = "!ttg.memdesc<128x1xf32, #c, #ttng.tensor_memory, mutable>";
    std::string a = "!ttg.memdesc<128x64xf16, #s, #smem, mutable>";
    std::string b = "!ttg.memdesc<64x128xf16, #s, #smem, mutable>";
    return "  %true = arith.constant true\n  %false = arith.constant false\n"
           "  %i = arith.constant " +
           std::to_string(column) +
           " : i32\n  %z = arith.constant dense<0.0> : tensor<128x1xf32>\n  %bar = ttg.local_alloc "
           ": "
           "() -> " +
           bar + "\n  ttng.init_barrier %bar, 1 : " + bar + "\n  %a = ttg.local_alloc : () -> " +
           a + "\n  %b = ttg.local_alloc : () -> " + b + "\n  %t = ttng.tmem_alloc : () -> " +
           accs + "\n  %o = tlx.local_alias %t : " + accs + " -> " + columns +
           "\n  %r = ttg.memdesc_index %t[%c2] : " + accs + " -> " + acc +
           "\n  ttng.tc_gen5_mma %a, %b, %r, %false, %true, %bar[%true] {is_async} : " + a + ", " +
           b + ", " + acc + ", " + bar + "\n  %n = ttg.memdesc_index %o[%i] : " + columns + " -> " +
           one + "\n  ttng.tmem_store %z, %n, %true : tensor<128x1xf32> -> " + one +
           "\n  ttng.wait_barrier %bar, %c0, %true : " + bar + "\n";
  };
  EXPECT_EQ(verdict(text(255)), "PROVED");
  EXPECT_EQ(verdict(text(256)), "race");
  EXPECT_EQ(verdict(text(299)), "race");
  EXPECT_EQ(verdict(text(300)), "out-of-range");
}

TEST_F(AliasesTest, aProductMayNotOverwriteWhatItReads) {
  auto product = [&](const std::string &of) {
    const std::string acc = "!ttg.memdesc<64x32xf32, #u, #ttng.tensor_memory, mutable>";
    const std::string half = "!ttg.memdesc<64x32xf16, #u, #ttng.tensor_memory, mutable>";
    const std::string accs = "!ttg.memdesc<1x64x32xf32, #u, #ttng.tensor_memory, mutable>";
    const std::string halves = "!ttg.memdesc<1x64x32xf16, #u, #ttng.tensor_memory, mutable>";
    const std::string tile = "!ttg.memdesc<32x32xf16, #s, #smem, mutable>";
    const std::string bar = "!ttg.memdesc<1xi64, #b, #smem, mutable>";
    return EncodeTest::verdict(
        R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#u = #ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k(%o: tensor<64x32xf16>, %v: tensor<32x32xf16>) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %false = arith.constant false
  %d = ttng.tmem_alloc : () -> )" +
        accs + "\n  %e = ttng.tmem_alloc : () -> " + accs + "\n  %h = tlx.local_alias %" + of +
        " : " + accs + " -> " + halves + "\n  %a = ttg.memdesc_index %h[%c0] : " + halves + " -> " +
        half + "\n  %w = ttg.memdesc_index %d[%c0] : " + accs + " -> " + acc +
        "\n  ttng.tmem_store %o, %a, %true : tensor<64x32xf16> -> " + half +
        "\n  %t = ttg.local_alloc %v : (tensor<32x32xf16>) -> " + tile +
        "\n  %r = ttg.local_alloc : () -> " + bar + "\n  ttng.init_barrier %r, 1 : " + bar + R"(
  ttng.fence_async_shared {bCluster = false}
  %m = ttng.tc_gen5_mma %a, %t, %w[], %false, %true, %r[%true] {is_async} : )" +
        half + ", " + tile + ", " + acc + ", " + bar +
        "\n  ttng.wait_barrier %r, %c0, %true : " + bar + "\n  tt.return\n} }\n");
  };
  EXPECT_EQ(product("e"), "PROVED");
  EXPECT_EQ(product("d"), "race");
  EXPECT_NE(message.find("they overlap"), std::string::npos) << message;
}
