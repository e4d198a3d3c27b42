// Tiles of global memory that several tasks access: where they lie, what orders them, and
// what is said when that is not known.
#include "tests/verify/encode/EncodeTest.h"

#include <regex>

using namespace tlx::verify;
using tlx::verify::testing::EncodeTest;

namespace {
class GlobalTilesTest : public EncodeTest {
protected:
  /// Two tasks with tiles of 64 rows by `%d` and 64 elements from `%p` on, two barriers of
  /// one arrival, and a tile of shared memory.
  std::string judge(const std::string &defaults, const std::string &partition) {
    std::string text = R"(
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!d = !tt.tensordesc<tensor<64x64xf16>>
!m = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k(%d: !d, %p: !tt.ptr<f16>, %n: i32, %step: i32) {
)" + constants + R"(  %pid = tt.get_program_id x : i32
  %m = ttg.local_alloc : () -> !m
  %full = ttg.local_alloc : () -> !bar
  %loaded = ttg.local_alloc : () -> !bar
  ttng.init_barrier %full, 1 : !bar
  ttng.init_barrier %loaded, 1 : !bar
  ttg.warp_specialize(%d, %p, %n, %step, %pid, %m, %full, %loaded)
  default {
)" + defaults + R"(
  ttg.warp_yield
  }
  partition0(%db: !d, %pb: !tt.ptr<f16>, %nb: i32, %stepb: i32, %pidb: i32, %mb: !m, %fullb: !bar,
             %loadedb: !bar) num_warps(4) {
)" + inPartition(constants + partition) +
                       R"(
  ttg.warp_return
  } : (!d, !tt.ptr<f16>, i32, i32, i32, !m, !bar, !bar) -> ()
  tt.return
} }
)";
    EncodedKernel kernel = encoded(text);
    EXPECT_EQ(kernel.reason, "") << kernel.message << text;
    notes = kernel.notes;
    ProofResult proof = prove(kernel.program, {});
    warnings = proof.warnings;
    if (proof.verdict == ProofResult::Bug)
      message = proof.violation.message;
    return proof.verdict == ProofResult::Proved ? "PROVED"
           : proof.verdict == ProofResult::Bug  ? info(proof.violation.cls).name
                                                : proof.reason;
  }

  /// Every name is another one there.
  static std::string inPartition(const std::string &text) {
    return std::regex_replace(text, std::regex("%([a-z]\\w*)"), "%$1b");
  }
  inline static const std::string constants = R"(  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %true = arith.constant true
  %v = arith.constant dense<1.0> : tensor<64x64xf16>
  %w = arith.constant dense<2.0> : tensor<64x64xf16>
)";

  /// Rows from `row` on, stored from registers.
  static std::string store(const std::string &row, const std::string &value = "%v") {
    return "  tt.descriptor_store %d[" + row + ", %c0], " + value + " : !d, tensor<64x64xf16>\n";
  }
  static std::string load(const std::string &row) {
    return "  %r = tt.descriptor_load %d[" + row + ", %c0] : !d -> tensor<64x64xf16>\n";
  }
  /// A loop over the program's tiles; %row: where the iteration's begins.
  static std::string tiles(const std::string &body) {
    return "  scf.for %t = %pid to %n step %step : i32 {\n  %row = arith.muli %t, %c128 : i32\n" +
           body + "  }\n";
  }
  /// The address and value of 64 elements from `from` on.
  static std::string at(const std::string &from) {
    return "  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
           "  %f = tt.splat " +
           from +
           " : i32 -> tensor<64xi32>\n"
           "  %o = arith.addi %f, %i : tensor<64xi32>\n"
           "  %q = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>\n"
           "  %a = tt.addptr %q, %o : tensor<64x!tt.ptr<f16>>, tensor<64xi32>\n";
  }
  static std::string constant(const char *value) {
    return std::string("  %x = arith.constant dense<") + value + "> : tensor<64xf16>\n";
  }
  const std::string update =
      "  %all = arith.constant dense<true> : tensor<64xi1>\n"
      "  %old = tt.atomic_rmw fadd, acq_rel, gpu, %a, %x, %all : "
      "(tensor<64x!tt.ptr<f16>>, tensor<64xf16>, tensor<64xi1>) -> tensor<64xf16>\n";
  const std::string put = "  tt.store %a, %x : tensor<64x!tt.ptr<f16>>\n";
  const std::string arrive = "  ttng.arrive_barrier %full, 1 : !bar\n";
  const std::string wait = "  ttng.wait_barrier %full, %c0 : !bar\n";
  const std::string copyIn =
      "  ttng.barrier_expect %loaded, 8192, %true : !bar\n"
      "  ttng.async_tma_copy_global_to_local %d[%c0, %c0] %m, %loaded, %true : !d, !bar -> !m\n"
      "  ttng.wait_barrier %loaded, %c0 : !bar\n";
  std::vector<std::string> notes;
  std::vector<Violation> warnings;
};
} // namespace

TEST_F(GlobalTilesTest, tilesOfOneIterationOverlapOrLieApart) {
  auto both = [&](const std::string &other) {
    return judge(tiles(store("%row")),
                 tiles("  %low = arith.addi %row, " + other + " : i32\n" + store("%low", "%w")));
  };
  EXPECT_EQ(both("%c64"), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(both("%c32"), "race");
  EXPECT_EQ(both("%c0"), "race");
  EXPECT_NE(message.find("elements of global memory"), std::string::npos) << message;
}

TEST_F(GlobalTilesTest, whatIsNotKnownIsNoted) {
  EXPECT_EQ(judge(store("%n"), store("%step", "%w")), "PROVED");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(std::regex_search(notes[0], std::regex("not compared: .*tt.descriptor_store at .*, "
                                                     "tt.descriptor_store at ")))
      << notes[0];
  // Two reads, or one value twice, need no comparison.
  EXPECT_EQ(judge(load("%n"), load("%step")), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(judge(store("%n"), store("%step")), "PROVED");
  EXPECT_TRUE(notes.empty());
}

TEST_F(GlobalTilesTest, whatIsStoredTwiceIsOneValue) {
  auto filled = [&](const std::string &value) {
    return "  %number = arith.divsi " + value +
           " : i32\n  %float = arith.sitofp %number : i32 to f16\n"
           "  %tile = tt.splat %float : f16 -> tensor<64x64xf16>\n" +
           store("%c0", "%tile");
  };
  const std::string one = ", %c1";
  EXPECT_EQ(judge(filled("%n" + one), filled("%n" + one)), "PROVED");
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(judge(filled("%n" + one), filled("%step" + one)), "race");   // two arguments
  EXPECT_EQ(judge(filled("%n, %c64"), filled("%step, %c64")), "PROVED"); // perhaps
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].message.find("is not decided"), std::string::npos);
}

TEST_F(GlobalTilesTest, whatIterationsCountIsNotOneValue) {
  auto counted = [&](const std::string &name) {
    return "  scf.for %k = %c0 to %n step %c1 : i32 {\n  %float = arith.sitofp %k : i32 to f16\n"
           "  %tile = tt.splat %float : f16 -> tensor<64x64xf16>\n" +
           store("%" + name, "%tile") + "  }\n";
  };
  EXPECT_EQ(judge(counted("c0"), counted("c0")), "race"); // k of one iteration, and of another
}

TEST_F(GlobalTilesTest, whatIsReadAgainIsOneValueWhereNobodyWrites) {
  auto copied = [&](const std::string &between) {
    std::string copy = at("%n") + constant("1.0") + between +
                       "  %number = tt.load %a : tensor<64x!tt.ptr<f16>>\n"
                       "  %line = tt.expand_dims %number {axis = 0 : i32} : tensor<64xf16> -> "
                       "tensor<1x64xf16>\n"
                       "  %tile = tt.broadcast %line : tensor<1x64xf16> -> tensor<64x64xf16>\n" +
                       store("%c0", "%tile");
    return judge(copy, copy);
  };
  EXPECT_EQ(copied(""), "PROVED");
  EXPECT_EQ(copied(put), "race");
}

TEST_F(GlobalTilesTest, tilesThatAreForgottenAreAWarning) {
  auto every = [&](const std::string &from, const std::string &value) {
    return "  scf.for %k = " + from +
           " to %n step %c1 : i32 {\n  %row = arith.muli %k, %c128 : i32\n"
           "  %at = arith.addi %row, " +
           (from == "%c0" ? "%c0" : "%c64") + " : i32\n" + store("%at", value) + "  }\n";
  };
  EXPECT_EQ(judge(every("%c0", "%v"), every("%c1", "%w")), "PROVED");
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].message.find("nothing is compared any more"), std::string::npos);
}

TEST_F(GlobalTilesTest, whatIsHandedOverInARingIsOrdered) {
  const std::string phase = "  %f = arith.andi %k, %c1 : i32\n";
  auto ring = [&](const std::string &waits, const std::string &row) {
    return judge("  scf.for %k = %c0 to %n step %c1 : i32 {\n" + phase +
                     "  %row = arith.muli %k, %c64 : i32\n" + store("%row") + arrive +
                     "  ttng.wait_barrier %loaded, %f : !bar\n  }\n",
                 "  scf.for %k = %c0 to %n step %c1 : i32 {\n" + phase +
                     "  %next = arith.addi %k, %c1 : i32\n  %at = arith.muli " + row +
                     ", %c64 : i32\n" + waits + load("%at") +
                     "  ttng.arrive_barrier %loaded, 1 : !bar\n  }\n");
  };
  const std::string full = "  ttng.wait_barrier %full, %f : !bar\n";
  EXPECT_EQ(ring(full, "%k"), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(ring("", "%k"), "race");
  EXPECT_EQ(ring(full, "%next"), "PROVED"); // before it is written, as well as after
}

TEST_F(GlobalTilesTest, pointersWithStridesAreTiles) {
  auto rows = [&](const std::string &first, const std::string &value) {
    return "  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
           "  %f = tt.splat " +
           first +
           " : i32 -> tensor<16xi32>\n"
           "  %o = arith.addi %f, %i : tensor<16xi32>\n"
           "  %e = tt.expand_dims %o {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>\n"
           "  %s = tt.splat %step : i32 -> tensor<16x1xi32>\n"
           "  %g = arith.muli %e, %s : tensor<16x1xi32>\n"
           "  %j = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>\n"
           "  %q = tt.splat %p : !tt.ptr<f16> -> tensor<16x1x!tt.ptr<f16>>\n"
           "  %a = tt.addptr %q, %g : tensor<16x1x!tt.ptr<f16>>, tensor<16x1xi32>\n"
           "  %ab = tt.broadcast %a : tensor<16x1x!tt.ptr<f16>> -> tensor<16x16x!tt.ptr<f16>>\n"
           "  %jb = tt.broadcast %j : tensor<1x16xi32> -> tensor<16x16xi32>\n"
           "  %b = tt.addptr %ab, %jb : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>\n"
           "  %x = arith.constant dense<" +
           value +
           "> : tensor<16x16xf16>\n"
           "  tt.store %b, %x : tensor<16x16x!tt.ptr<f16>>\n";
  };
  const std::string own = "  %own = arith.muli %pid, %c32 : i32\n";
  const std::string low = own + "  %low = arith.addi %own, %c16 : i32\n";
  EXPECT_EQ(judge(own + rows("%own", "1.0"), low + rows("%low", "2.0")), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(judge(rows("%pid", "1.0"), rows("%pid", "2.0")), "race");
}

TEST_F(GlobalTilesTest, pointersThatALoopMovesOn) {
  // From `from` on, 128 elements further in each iteration.
  auto walk = [&](const std::string &from, const std::string &value,
                  const std::string &next = "%walked") {
    return at(from) + constant(value.c_str()) +
           "  %steps = arith.constant dense<128> : tensor<64xi32>\n"
           "  %end = scf.for %k = %c0 to %n step %c1 iter_args(%now = %a) -> "
           "(tensor<64x!tt.ptr<f16>>) : i32 {\n"
           "    tt.store %now, %x : tensor<64x!tt.ptr<f16>>\n"
           "    %walked = tt.addptr %now, %steps : tensor<64x!tt.ptr<f16>>, tensor<64xi32>\n"
           "    scf.yield " +
           next + " : tensor<64x!tt.ptr<f16>>\n  }\n";
  };
  auto both = [&](const std::string &other) { return judge(walk("%c0", "1.0"), other); };
  EXPECT_EQ(both(walk("%c64", "2.0")), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(both(walk("%c32", "2.0")), "race");
  // The second one stands still, on what the first one passes.
  EXPECT_EQ(both(walk("%c128", "2.0", "%now")), "race");
  // Where a pointer is that is moved by loaded tiles of offsets is not known.
  const std::string loaded =
      "    %far = tt.load %w : tensor<64x!tt.ptr<i32>>\n"
      "    %jump = tt.addptr %now, %far : tensor<64x!tt.ptr<f16>>, tensor<64xi32>\n    scf.yield";
  std::string lost = walk("%c64", "2.0", "%jump");
  lost.replace(lost.find("    scf.yield"), 13, loaded);
  lost.insert(0, "  %e = tt.bitcast %p : !tt.ptr<f16> -> !tt.ptr<i32>\n"
                 "  %w = tt.splat %e : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n");
  EXPECT_EQ(both(std::regex_replace(lost, std::regex("%w\\b"), "%whole")), "PROVED");
  ASSERT_EQ(notes.size(), 2u); // of tasks, and of programs
  EXPECT_NE(notes[1].find("tt.load at"), std::string::npos) << notes[1];
  EXPECT_NE(notes[0].find("tt.load at"), std::string::npos) << notes[0];
}

TEST_F(GlobalTilesTest, aPointerThatABranchChooses) {
  auto chosen = [&](const std::string &yes, const std::string &no) {
    return judge(at("%c0") + constant("1.0") + put,
                 at(yes) +
                     "  %big = arith.cmpi sgt, %n, %c64 : i32\n"
                     "  %b = scf.if %big -> tensor<64x!tt.ptr<f16>> {\n"
                     "    scf.yield %a : tensor<64x!tt.ptr<f16>>\n  } else {\n"
                     "    %l = tt.addptr %p, " +
                     no +
                     " : !tt.ptr<f16>, i32\n"
                     "    %g = tt.splat %l : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>\n"
                     "    %h = tt.addptr %g, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>\n"
                     "    scf.yield %h : tensor<64x!tt.ptr<f16>>\n  }\n" +
                     constant("2.0") + "  tt.store %b, %x : tensor<64x!tt.ptr<f16>>\n");
  };
  EXPECT_EQ(chosen("%c64", "%c64"), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(chosen("%c32", "%c32"), "race");
  EXPECT_EQ(chosen("%c32", "%c64"), "PROVED"); // a selection has no distance
  EXPECT_EQ(notes.size(), 1u);
}

TEST_F(GlobalTilesTest, descriptorsOfOnePointerAreOfOneTensor) {
  auto made = [](const std::string &base) {
    return "  %wide = arith.constant 64 : i64\n  %one = arith.constant 1 : i64\n"
           "  %low = tt.addptr %p, " +
           base +
           " : !tt.ptr<f16>, i32\n"
           "  %made = tt.make_tensor_descriptor %low, [%n, %c64], [%wide, %one] : !tt.ptr<f16>, "
           "!tt.tensordesc<tensor<64x64xf16>>\n"
           "  tt.descriptor_store %made[%c0, %c0], %w : !d, tensor<64x64xf16>\n";
  };
  const std::string first = std::regex_replace(made("%c0"), std::regex(", %w :"), ", %v :");
  const std::string rows = "  %far = arith.constant 4096 : i32\n"; // 64 of them
  EXPECT_EQ(judge(first, rows + made("%far")), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(judge(first, made("%c128")), "race");
  // And pointers.
  EXPECT_EQ(judge(first, rows + at("%far") + constant("2.0") + put), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(judge(first, at("%c128") + constant("2.0") + put), "race");
}

TEST_F(GlobalTilesTest, rowsMayBeginInMemoryOrOnTheAxis) {
  // 64 rows of an unknown length from row `row` of what begins at `base` on.
  auto rows = [&](const std::string &row, const std::string &base, const std::string &value) {
    return "  %b = arith.muli " + base + R"(, %step : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %f = tt.splat )" +
           row + R"( : i32 -> tensor<64xi32>
  %r = arith.addi %f, %i : tensor<64xi32>
  %s = tt.splat %step : i32 -> tensor<64xi32>
  %o = arith.muli %r, %s : tensor<64xi32>
  %g = tt.addptr %p, %b : !tt.ptr<f16>, i32
  %q = tt.splat %g : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %a = tt.addptr %q, %o : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
)" + constant(value.c_str()) +
           put;
  };
  EXPECT_EQ(judge(rows("%c0", "%c0", "1.0"), rows("%c64", "%c0", "2.0")), "PROVED");
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(judge(rows("%c0", "%c0", "1.0"), rows("%c32", "%c0", "2.0")), "race");
  // Row 64, and row 0 of what begins 64 rows on, are one.
  EXPECT_EQ(judge(rows("%c64", "%c0", "1.0"), rows("%c0", "%c64", "2.0")), "PROVED");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("not compared"), std::string::npos) << notes[0];
}

TEST_F(GlobalTilesTest, aBoundThatABranchAsksAboutCutsTilesOff) {
  const std::string masked = at("%c0") + constant("1.0") + R"(
  %e = tt.splat %n : i32 -> tensor<64xi32>
  %in = arith.cmpi slt, %o, %e : tensor<64xi32>
  tt.store %a, %x, %in : tensor<64x!tt.ptr<f16>>
)";
  const std::string rest = at("%c32") + constant("2.0") + put;
  auto guarded = [](const std::string &by, const std::string &body) {
    return "  %few = arith.cmpi sle, " + by + ", %c32 : i32\n  scf.if %few {\n" + body + "  }\n";
  };
  EXPECT_EQ(judge(masked, rest), "race");
  // Where n is at most 32 the first stores nothing from 32 on.
  EXPECT_EQ(judge(masked, guarded("%n", rest)), "PROVED");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("not compared"), std::string::npos) << notes[0];
  EXPECT_EQ(judge(masked, guarded("%step", rest)), "race"); // of another argument
}

TEST_F(GlobalTilesTest, updatesCommuteAndStoresDoNot) {
  const std::string here = at("%pid") + constant("1.0");
  EXPECT_EQ(judge(here + update, here + update), "PROVED");
  EXPECT_EQ(judge(here + update, here + put), "race");
  // Who looks at what an update gave may wait for it.
  std::string used = here + update + "  tt.store %a, %old : tensor<64x!tt.ptr<f16>>\n";
  EXPECT_EQ(judge(used, here + put), "PROVED");
  EXPECT_EQ(notes.size(), 2u); // of tasks, and of programs
}

TEST_F(GlobalTilesTest, aStoreThatTmaReadsIsFenced) {
  const std::string fence = "  ttng.fence_async_shared {bCluster = false}\n";
  auto handed = [&](const std::string &before, const std::string &after) {
    return judge(store("%c0") + before, after + copyIn);
  };
  EXPECT_EQ(handed(fence + arrive, wait), "PROVED");
  EXPECT_EQ(handed(arrive, wait + fence), "PROVED");
  EXPECT_EQ(handed(arrive, wait), "proxy-fence");
  EXPECT_EQ(handed(fence, ""), "race");
}

TEST_F(GlobalTilesTest, aTmaStoreIsWaitedFor) {
  auto handed = [&](const std::string &waits, const std::string &after) {
    return judge("  ttng.async_tma_copy_local_to_global %d[%c0, %c0] %m : !d, !m\n" + waits +
                     arrive,
                 after + load("%c32"));
  };
  const std::string stored = "  ttng.async_tma_store_wait {pendings = 0 : i32}\n";
  EXPECT_EQ(handed(stored, wait), "PROVED");
  ASSERT_EQ(warnings.size(), 1u); // the wait is for the source only
  EXPECT_EQ(warnings[0].cls, BugClass::Race);
  EXPECT_EQ(handed("", wait), "race");
  EXPECT_EQ(handed(stored, ""), "race");
}

TEST_F(GlobalTilesTest, programsShareItAndNothingOrdersThem) {
  // Programs that store what `value` says to 64 elements from `from` on.
  auto programs = [&](const std::string &body) {
    return verdict(R"(
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f16>, %n: i32) {
)" + constants + R"(  %two = arith.constant 2 : i32
  %pid = tt.get_program_id x : i32
  %count = tt.get_num_programs x : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %f = arith.sitofp %pid : i32 to f16
  %mine = tt.splat %f : f16 -> tensor<64xf16>
)" + body + "  tt.return\n} }\n");
  };
  auto tile = [](const std::string &name, const std::string &base, const std::string &from) {
    return "  %o" + name + " = tt.addptr " + base + ", " + from + " : !tt.ptr<f16>, i32\n  %s" +
           name + " = tt.splat %o" + name + " : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>\n  %a" +
           name + " = tt.addptr %s" + name + ", %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>\n";
  };
  auto put = [&](const std::string &from, const std::string &value) {
    return tile("", "%p", from) + "  tt.store %a, " + value + " : tensor<64x!tt.ptr<f16>>\n";
  };
  auto times = [](const std::string &what, const std::string &by) {
    return "  %at = arith.muli " + what + ", " + by + " : i32\n";
  };
  EXPECT_EQ(programs(times("%pid", "%c64") + put("%at", "%mine")), "PROVED");
  EXPECT_EQ(programs(times("%pid", "%c32") + put("%at", "%mine")), "race");
  EXPECT_NE(message.find("nothing orders programs"), std::string::npos) << message;
  const std::string half = "  %half = arith.divsi %pid, %two : i32\n" + times("%half", "%c64");
  EXPECT_EQ(programs(half + put("%at", "%mine")), "race");
  const std::string one = "  %one = arith.constant dense<1.0> : tensor<64xf16>\n";
  EXPECT_EQ(programs(one + half + put("%at", "%one")), "PROVED"); // all the same
  // What is loaded from different places differs, but not where tiles overlap that were copied.
  auto copied = [&](const std::string &from, const std::string &to) {
    return tile("l", "%q", from) + "  %l = tt.load %al : tensor<64x!tt.ptr<f16>>\n" + put(to, "%l");
  };
  const std::string own = "  %own = arith.muli %pid, %c64 : i32\n";
  EXPECT_EQ(programs(own + half + copied("%own", "%at")), "race");
  EXPECT_EQ(programs(own + half + copied("%own", "%own")), "PROVED");
  EXPECT_EQ(programs(times("%pid", "%c32") + copied("%at", "%at")), "PROVED");
  // In place: a neighbour's tile is read.
  auto inPlace = [&](const std::string &from) {
    return own + "  %next = arith.addi %own, %c64 : i32\n" + tile("l", "%p", from) +
           "  %l = tt.load %al : tensor<64x!tt.ptr<f16>>\n" + put("%own", "%l");
  };
  EXPECT_EQ(programs(inPlace("%own")), "PROVED");
  EXPECT_EQ(programs(inPlace("%next")), "race");
  // A loop over tiles, by as many as there are programs or not.
  auto persistent = [&](const std::string &step, const std::string &end = "%n") {
    return "  scf.for %t = %pid to " + end + " step " + step + " : i32 {\n" + times("%t", "%c64") +
           put("%at", "%mine") + "  }\n";
  };
  EXPECT_EQ(programs(persistent("%count")), "PROVED");
  EXPECT_EQ(programs(persistent("%c1")), "race");
  EXPECT_EQ(programs("  %end = arith.addi %pid, %c1 : i32\n" + persistent("%c1", "%end")),
            "PROVED");
  EXPECT_EQ(programs("  %few = arith.subi %count, %c1 : i32\n" + persistent("%few")), "race");
  // As far as some argument says, but not past the end of what there is.
  auto below = [&](const std::string &condition) {
    return half + "  %chosen = arith.cmpi " + condition + " : i32\n  scf.if %chosen {\n" +
           put("%at", "%mine") + "  }\n";
  };
  EXPECT_EQ(programs(below("slt, %pid, %n")), "race");
  EXPECT_EQ(programs("  %none = arith.subi %n, %n : i32\n" + below("slt, %pid, %none")), "PROVED");
  // Only one of them stores.
  auto guarded = [&](const std::string &condition) {
    return half + "  %chosen = arith.cmpi " + condition + " : i32\n  scf.if %chosen {\n" +
           put("%at", "%mine") + "  }\n";
  };
  EXPECT_EQ(programs(guarded("eq, %pid, %c0")), "PROVED");
  EXPECT_EQ(programs(guarded("slt, %pid, %two")), "race");
  EXPECT_EQ(programs(put("%c0", "%mine")), "PROVED"); // as of a launch of one
}

TEST_F(GlobalTilesTest, ctasOfAClusterShareIt) {
  LaunchShape pair;
  pair.numWarps = 4;
  pair.cluster = {2, 1, 1};
  auto ctas = [&](const std::string &body) {
    return verdict(R"(
!d = !tt.tensordesc<tensor<64x64xf16>>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
tt.func @k(%d: !d, %one: f16) {
)" + constants + R"(
  %pid = tt.get_program_id x : i32
  %rank = nvg.cluster_id
  %own = arith.muli %pid, %c64 : i32
  %even = arith.subi %pid, %rank : i32
  %first = arith.muli %even, %c64 : i32
  %id = arith.sitofp %pid : i32 to f16
  %mine = tt.splat %id : f16 -> tensor<64x64xf16>
  %ours = tt.splat %one : f16 -> tensor<64x64xf16>
)" + body + "  tt.return\n} }\n",
                   pair);
  };
  auto number = [&](const std::string &expr) {
    return "  %number = " + expr +
           " : i32\n  %numberF = arith.sitofp %number : i32 to f16\n"
           "  %tile = tt.splat %numberF : f16 -> tensor<64x64xf16>\n" +
           store("%first", "%tile");
  };
  EXPECT_EQ(ctas(number("arith.subi %pid, %rank")), "PROVED"); // of both CTAs the same
  EXPECT_EQ(ctas(number("arith.divsi %pid, %c64")), "PROVED"); // may be the same: a warning
  EXPECT_EQ(ctas(number("arith.addi %pid, %c64")), "race");
  auto both = [&](const std::string &function, const std::string &from = "%last") {
    return "  %pairs = arith.addi %even, %even : i32\n  %last = arith.addi %pairs, %c1 : i32\n"
           "  %other = arith.subi " +
           from +
           ", %pid : i32\n  %otherF = arith.sitofp %other : i32 to f16\n"
           "  %sum = " +
           function + " %id, %otherF : f16\n  %tile = tt.splat %sum : f16 -> tensor<64x64xf16>\n" +
           store("%first", "%tile");
  };
  EXPECT_EQ(ctas(both("arith.addf")), "PROVED"); // a + b and b + a: may be the same
  EXPECT_EQ(ctas(both("arith.subf")), "race");
  EXPECT_EQ(ctas(both("arith.addf", "%c0")), "race"); // a + b and c + d
  EXPECT_EQ(ctas(number("arith.muli %rank, %c64")), "race");
  auto ofCluster = [&](const std::string &offset) {
    return "  %two = arith.constant 2 : i32\n  %own2 = arith.divsi %pid, %two : i32\n"
           "  %odd = arith.remsi %pid, %two : i32\n  %both = arith.muli %own2, %c128 : i32\n"
           "  %part = arith.muli %odd, " +
           offset + " : i32\n  %at = arith.addi %both, %part : i32\n" + store("%at", "%mine");
  };
  EXPECT_EQ(ctas(ofCluster("%c64")), "PROVED"); // a half for each CTA
  EXPECT_EQ(ctas(ofCluster("%c32")), "race");
  const std::string meet = "  ttng.cluster_arrive\n  ttng.cluster_wait\n";
  EXPECT_EQ(ctas(store("%own", "%mine")), "PROVED");
  EXPECT_EQ(ctas(store("%first", "%mine")), "race");
  EXPECT_EQ(ctas(store("%first", "%ours")), "PROVED"); // the same
  EXPECT_EQ(ctas(store("%own", "%mine") + load("%first")), "race");
  EXPECT_EQ(ctas(store("%own", "%mine") + meet + load("%first")), "PROVED");
  EXPECT_EQ(ctas(store("%first", "%r").insert(0, load("%own"))), "PROVED"); // may be the same
}
