// Where the lowering's cluster barrier stands, and which initialisations it waits for.
#include "compiler/analysis/ClusterSync.h"

#include "compiler/dialect/ttng/TTNG.h"
#include "tests/compiler/DialectsTest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tlx;

namespace {

struct ClusterSyncTest : public tlx::testing::DialectsTest {
  /// The names of the kernel's operations, with "sync" where the cluster barrier is;
  /// views, constants and allocations left out.
  std::string order(const std::string &body) {
    module = parseSourceString<ModuleOp>(R"(
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.cluster-dim-x" = 2 : i32} {
tt.func @k(%p: !tt.ptr<i32>, %c: i1) {
  %c0 = arith.constant 0 : i32
  %a = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
)" + body + "  tt.return\n} }\n",
                                         &context);
    if (!module)
      return "does not parse";
    tt::FuncOp kernel = *module->getOps<tt::FuncOp>().begin();
    LoweredClusterSync sync = lowerClusterSync(kernel);
    EXPECT_TRUE(succeeded(module->verify()));
    std::string text;
    for (Operation &op : kernel.getBody().front()) {
      StringRef name = op.getName().stripDialect();
      if (name != "constant" && name != "local_alloc" && name != "memdesc_index" &&
          name != "map_to_remote_buffer")
        text += name.str() + " ";
      if (&op == sync.entryAfter)
        text += "sync ";
    }
    return text;
  }

  OwningOpRef<ModuleOp> module;
};

const std::string kBarrier = "!ttg.memdesc<1xi64, #s, #smem, mutable>";
const std::string kInit = "  ttng.init_barrier %a, 1 : " + kBarrier + "\n";
const std::string kLateInit = "  %b = ttg.local_alloc : () -> " + kBarrier +
                              "\n  ttng.init_barrier %b, 1 : " + kBarrier + "\n";
const std::string kRemote =
    "  %r = ttng.map_to_remote_buffer %a, %c0 : " + kBarrier +
    " -> !ttg.memdesc<1xi64, #s, #ttng.shared_cluster_memory, mutable>\n"
    "  ttng.arrive_barrier %r, 1 : !ttg.memdesc<1xi64, #s, #ttng.shared_cluster_memory, "
    "mutable>\n";

} // namespace

TEST_F(ClusterSyncTest, lateInitialisationsMoveAheadOfWhatReachesPeers) {
  EXPECT_EQ(order(kInit + kRemote + kLateInit),
            "init_barrier init_barrier sync arrive_barrier return ");
  EXPECT_EQ(order(kInit + kLateInit + kRemote),
            "init_barrier init_barrier sync arrive_barrier return ");
}

TEST_F(ClusterSyncTest, nothingReachesPeersNoSync) {
  EXPECT_EQ(order(kInit + kLateInit), "init_barrier init_barrier return ");
}

TEST_F(ClusterSyncTest, controlFlowEndsTheEntryBlock) {
  const std::string branch = "  scf.if %c {\n  }\n";
  EXPECT_EQ(order(kInit + kRemote + branch + kLateInit),
            "init_barrier sync arrive_barrier if init_barrier return ");
  EXPECT_EQ(order(branch + kInit + kRemote), "if init_barrier arrive_barrier return ");
}

TEST_F(ClusterSyncTest, whatAnInitialisationIsComputedFromMovesWithIt) {
  const std::string computed =
      "  %i = tt.load %p : !tt.ptr<i32>\n"
      "  %bs = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #s, #smem, mutable>\n"
      "  %b = ttg.memdesc_index %bs[%i] : !ttg.memdesc<2x1xi64, #s, #smem, mutable> -> " +
      kBarrier + "\n  ttng.init_barrier %b, 1 : " + kBarrier + "\n";
  EXPECT_EQ(order(kInit + kRemote + computed),
            "init_barrier load init_barrier sync arrive_barrier return ");
  EXPECT_EQ(order(computed + kRemote + kInit),
            "load init_barrier init_barrier sync arrive_barrier return ");
}
