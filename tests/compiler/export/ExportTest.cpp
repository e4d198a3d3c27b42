// What small kernels become.
#include "compiler/export/Export.h"
#include "compiler/dialect/registry/Registry.h"
#include "compiler/ingest/ParseFile.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace tlx;

namespace {

struct Exported {
  std::unique_ptr<sim::Program> program;
  std::string error;
};

Exported exportText(const char *text, const std::string &kernel = {}) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Exported result;
  auto module = parseText(text, "kernel.ttir", context);
  if (!module) {
    result.error = module.error().str();
    return result;
  }
  ExportOptions options;
  options.kernel = kernel;
  auto program = exportProgram(**module, options);
  if (program)
    result.program = std::move(*program);
  else
    result.error = program.error().str();
  return result;
}

const sim::Inst *find(const sim::Program &program, sim::Op op, unsigned nth = 0) {
  for (const sim::Inst &inst : program.code)
    if (inst.op == op && nth-- == 0)
      return &inst;
  return nullptr;
}

TEST(Export, WhatIsOnlyDeclaredIsNoKernel) {
  const char *text = R"(
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @declared()
})";
  EXPECT_NE(exportText(text).error.find("the module has no public tt.func with a body"),
            std::string::npos);
  EXPECT_NE(exportText(text, "declared").error.find("the module has no kernel 'declared'"),
            std::string::npos);
}

// Rows for two of four CTAs each: both parts lie in the buffer, in front of the next one.
TEST(Export, PartsOfFourCtasLieOneAfterAnother) {
  Exported e = exportText(R"(
#rows = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[0, 0], [1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @k(%x: tensor<128x64xf16>) {
    %a = ttg.local_alloc %x : (tensor<128x64xf16>) -> !ttg.memdesc<128x64xf16, #rows, #smem>
    %b = ttg.local_alloc %x : (tensor<128x64xf16>) -> !ttg.memdesc<128x64xf16, #rows, #smem>
    %c = ttg.local_load %a : !ttg.memdesc<128x64xf16, #rows, #smem> -> tensor<128x64xf16>
    %d = ttg.local_load %b : !ttg.memdesc<128x64xf16, #rows, #smem> -> tensor<128x64xf16>
    tt.return
  }
})");
  ASSERT_TRUE(e.program) << e.error;
  ASSERT_EQ(e.program->allocations.size(), 2U);
  int64_t apart = e.program->allocations[0].offset - e.program->allocations[1].offset;
  EXPECT_GE(std::abs(apart), 128 * 64 * 2);
  const sim::MemLayout &layout = e.program->layouts.front();
  EXPECT_EQ(layout.bases[0].back(), 64U * 64U); // row 64 follows row 63
}

// How an accumulator of a pair of CTAs lies stands in front of the product alone; the load
// through another view must find it there.
TEST(Export, AllViewsOfAnAccumulatorLieAsTheProductAsks) {
  Exported e = exportText(R"(
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>
#pair = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1, ctaMode = twocta_rhs>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:100"} {
  tt.func public @k() {
    %zero = arith.constant 0 : i32
    %true = arith.constant true
    %both = ttng.tmem_alloc : () -> !ttg.memdesc<1x64x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %acc = ttg.memdesc_index %both[%zero] : !ttg.memdesc<1x64x128xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<64x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %asked = tlx.require_layout %acc : !ttg.memdesc<64x128xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<64x128xf32, #pair, #ttng.tensor_memory, mutable>
    %x = ttng.tmem_load %asked : !ttg.memdesc<64x128xf32, #pair, #ttng.tensor_memory, mutable> -> tensor<64x128xf32>
    %y = ttng.tmem_load %acc : !ttg.memdesc<64x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<64x128xf32>
    %plain = ttng.tmem_alloc : () -> !ttg.memdesc<64x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %z = ttng.tmem_load %plain : !ttg.memdesc<64x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<64x128xf32>
    tt.return
  }
})");
  ASSERT_TRUE(e.program) << e.error;
  auto layoutOf = [&](unsigned load) {
    return e.program->typeOf(e.program->operand(*find(*e.program, sim::Op::TmemLoad, load), 0))
        .layout;
  };
  EXPECT_EQ(layoutOf(0), layoutOf(1));
  EXPECT_NE(layoutOf(1), layoutOf(2)) << "nobody asks for anything of the other";
}

TEST(Export, ParametersOfADescriptorFollowIt) {
  Exported e = exportText(R"(
tt.func public @k(%d: !tt.tensordesc<tensor<64x32xf16>>, %s0: i32, %s1: i32, %t0: i64, %t1: i64,
                  %n: i32) {
  tt.return
})");
  ASSERT_TRUE(e.program) << e.error;
  const auto &parameters = e.program->parameters;
  ASSERT_EQ(parameters.size(), 6u);
  using Field = sim::Parameter::Field;
  EXPECT_EQ(parameters[0].argument, 0);
  EXPECT_EQ(parameters[0].field, Field::Value);
  EXPECT_EQ(parameters[2].field, Field::DescShape);
  EXPECT_EQ(parameters[2].dimension, 1);
  EXPECT_EQ(parameters[3].field, Field::DescStride);
  EXPECT_EQ(parameters[3].dimension, 0);
  EXPECT_EQ(parameters[4].argument, 0);
  EXPECT_EQ(parameters[5].argument, 1);
  EXPECT_EQ(parameters[5].field, Field::Value);
  const sim::Type &desc = e.program->types[parameters[0].type];
  EXPECT_EQ(desc.kind, sim::TypeKind::TensorDesc);
  EXPECT_EQ(desc.shape, (sim::Shape{64, 32}));
  EXPECT_EQ(desc.elem, DType::f16);
}

TEST(Export, BarrierOpsAreTheirEffects) {
  Exported e = exportText(R"(
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @k(%phase: i32, %go: i1) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.init_barrier %b, 3 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.arrive_barrier %b, 2, %go : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.wait_barrier %b, %phase : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  tt.return
})");
  ASSERT_TRUE(e.program) << e.error;
  const sim::Program &p = *e.program;
  const sim::Inst *init = find(p, sim::Op::Sync, 0), *arrive = find(p, sim::Op::Sync, 1),
                  *wait = find(p, sim::Op::Sync, 2);
  ASSERT_TRUE(init && arrive && wait);
  sim::Reg barrier = p.result(*find(p, sim::Op::LocalAlloc), 0);
  EXPECT_EQ(p.effectsOf(*init)->kind, sync::Kind::BarrierInit);
  EXPECT_EQ(p.effectsOf(*init)->amount, 3);
  EXPECT_EQ(p.effectsOf(*init)->target, barrier);
  EXPECT_EQ(p.effectsOf(*arrive)->kind, sync::Kind::BarrierArrive);
  EXPECT_EQ(p.effectsOf(*arrive)->amount, 2);
  EXPECT_TRUE(p.effectsOf(*arrive)->taskBarrierBefore);
  EXPECT_EQ(p.effectsOf(*arrive)->predicate, p.parameters[1].reg);
  EXPECT_EQ(p.effectsOf(*wait)->kind, sync::Kind::BarrierWait);
  EXPECT_EQ(p.effectsOf(*wait)->phase, p.parameters[0].reg);
}

// 128-byte swizzle of 64 x 64 f16: element (r, c) lies at r * 64 + (c ^ 8 * (r % 8)).
TEST(Export, SwizzledBufferIsAPlainTable) {
  Exported e = exportText(R"(
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func public @k() {
  %b = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
  tt.return
})");
  ASSERT_TRUE(e.program) << e.error;
  const sim::Program &p = *e.program;
  const sim::Type &type = p.typeOf(p.result(*find(p, sim::Op::LocalAlloc), 0));
  const sim::MemLayout &layout = p.layouts[type.layout];
  ASSERT_EQ(layout.bases.size(), 2u);
  for (int64_t r : {0, 1, 7, 8, 63})
    for (int64_t c : {0, 1, 8, 37, 63}) {
      int64_t coords[] = {r, c};
      EXPECT_EQ(layout.offset(coords), uint32_t(r * 64 + (c ^ 8 * (r % 8)))) << r << ", " << c;
    }
  ASSERT_EQ(p.allocations.size(), 1u);
  EXPECT_EQ(p.allocations[0].bytes, 3 * 64 * 64 * 2);
  EXPECT_EQ(p.allocations[0].alignment, 1024);
}

TEST(Export, AccumulatorLiesInLanesAndColumns) {
  Exported e = exportText(R"(
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
tt.func public @k() {
  %d = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
})");
  ASSERT_TRUE(e.program) << e.error;
  const sim::Program &p = *e.program;
  const sim::Type &type = p.typeOf(p.result(*find(p, sim::Op::TmemAlloc), 0));
  int64_t coords[] = {5, 9};
  EXPECT_EQ(p.layouts[type.layout].offset(coords) * 4, 5 * sim::tmemLaneBytes + 9 * 4);
  EXPECT_EQ(type.bufferBytes, 64 * 4);
  EXPECT_EQ(p.allocations[0].bytes, 2 * 64 * 4);
  EXPECT_EQ(p.allocations[0].space, sync::Space::Tensor);
}

// Tiles of 64 rows take the lower or the upper 16 of each 32 lanes, without copies
// in the other half.
TEST(Export, TilesOfSixtyFourRowsLieSideBySide) {
  Exported e = exportText(R"(
#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
tt.func public @k(%x: tensor<64x64xf32>) {
  %t = arith.constant true
  %a = ttng.tmem_alloc : () -> !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %b = ttng.tmem_alloc : () -> !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>
  ttng.tmem_store %x, %a, %t : tensor<64x64xf32> -> !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>
  ttng.tmem_store %x, %b, %t : tensor<64x64xf32> -> !ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
})");
  ASSERT_TRUE(e.program) << e.error;
  const sim::Program &p = *e.program;
  const sim::Type &type = p.typeOf(p.result(*find(p, sim::Op::TmemAlloc), 0));
  int64_t coords[] = {16, 0};
  EXPECT_EQ(p.layouts[type.layout].offset(coords) * 4, 32 * sim::tmemLaneBytes);
  EXPECT_TRUE(p.layouts[type.layout].replicas.empty());
  EXPECT_EQ(p.allocations[0].offset, 0);
  EXPECT_EQ(p.allocations[1].offset, 16 * sim::tmemLaneBytes);
}

// tcgen05.cp of a module whose CTAs work in pairs: the even CTA copies in both.
TEST(Export, CopiesToTensorMemoryAreOfPairs) {
  for (bool paired : {false, true}) {
    std::string text = R"(
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8, rank = 4}>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {tlx.enable_paired_cta_mma = PAIRED} {
tt.func public @k(%s: !ttg.memdesc<1x1x2x256xi8, #shared, #ttg.shared_memory, mutable>) {
  %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>
  ttng.tmem_copy %s, %d : !ttg.memdesc<1x1x2x256xi8, #shared, #ttg.shared_memory, mutable>, !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory, mutable>
  tt.return
} })";
    text.replace(text.find("PAIRED"), 6, paired ? "true" : "false");
    Exported e = exportText(text.c_str());
    ASSERT_TRUE(e.program) << e.error;
    const sim::Inst *copy = find(*e.program, sim::Op::TmemCopy);
    ASSERT_TRUE(copy);
    ASSERT_EQ(copy->numEffects, 2u);
    for (unsigned i = 0; i < 2; ++i)
      EXPECT_EQ(e.program->effectsOf(*copy)[i].pairLeader, paired);
  }
}

// Members of a storage alias take turns in it: an index counts buffers of its own
// member, and the place of each is told with the view.
TEST(Export, BuffersOfAStorageAliasTakeTurns) {
  Exported e = exportText(R"(
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
tt.func public @k(%i: i32) {
  %s = tlx.storage_alias_spec storage = smem : !tlx.storage_alias_spec<smem>
  %a = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> !ttg.memdesc<2x16x16xf32, #shared, #smem, mutable>
  %b = tlx.storage_alias_local_alloc %s : !tlx.storage_alias_spec<smem> -> !ttg.memdesc<2x16x16xf32, #shared, #smem, mutable>
  %g = tlx.reuse_group(%a, %b) group_kind = distinct : (!ttg.memdesc<2x16x16xf32, #shared, #smem, mutable>, !ttg.memdesc<2x16x16xf32, #shared, #smem, mutable>) -> !tlx.reuse_group<distinct>
  tlx.set_buffer_overlap(%s, %g) : (!tlx.storage_alias_spec<smem>, !tlx.reuse_group<distinct>) -> ()
  %x = ttg.memdesc_index %a[%i] : !ttg.memdesc<2x16x16xf32, #shared, #smem, mutable> -> !ttg.memdesc<16x16xf32, #shared, #smem, mutable>
  %y = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x16x16xf32, #shared, #smem, mutable> -> !ttg.memdesc<16x16xf32, #shared, #smem, mutable>
  tt.return
})");
  ASSERT_TRUE(e.program) << e.error;
  const sim::Program &p = *e.program;
  using Ints = std::vector<int64_t>;
  EXPECT_EQ(p.allocations.size(), 1u);
  EXPECT_EQ(p.attrsOf(*find(p, sim::Op::MemDescIndex, 0)).ints, Ints({1024, 2, 0, 1}));
  EXPECT_EQ(p.attrsOf(*find(p, sim::Op::MemDescIndex, 1)).ints, Ints({1024, 2, 1, 1}));
}

TEST(Export, TensorMemoryHasFiveHundredTwelveColumns) {
  for (bool third : {false, true}) {
    std::string text = R"(
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1>
tt.func public @k(%x: tensor<128x256xf32>) {
  %t = arith.constant true
)";
    std::string type = "!ttg.memdesc<128x256xf32, #tmem, #ttng.tensor_memory, mutable>";
    for (int i = 0; i < (third ? 3 : 2); ++i)
      text += "  %a" + std::to_string(i) + " = ttng.tmem_alloc : () -> " + type + "\n";
    for (int i = 0; i < (third ? 3 : 2); ++i)
      text += "  ttng.tmem_store %x, %a" + std::to_string(i) + ", %t : tensor<128x256xf32> -> " +
              type + "\n";
    Exported e = exportText((text + "  tt.return\n}").c_str());
    EXPECT_EQ(e.error, third ? "kernel.ttir:7:9: error: needs 768 columns of tensor memory; a CTA "
                               "has 512"
                             : "");
  }
}

TEST(Export, LoopsAndRegionsBecomeJumpsAndBlocks) {
  Exported e = exportText(R"(
tt.func public @k(%n: i32, %x: tensor<8x4xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
    %next = arith.addi %acc, %i : i32
    scf.yield %next : i32
  }
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<8x4xf32>) -> tensor<8xf32>
  tt.return
})");
  ASSERT_TRUE(e.program) << e.error;
  const sim::Program &p = *e.program;
  EXPECT_EQ(p.loops.size(), 1u);
  ASSERT_EQ(p.blocks.size(), 1u);
  EXPECT_EQ(p.blocks[0].args.size(), 2u);
  EXPECT_TRUE(p.blocks[0].straightLine);
  EXPECT_EQ(p.code[p.blocks[0].entry].op, sim::Op::MaxNumF);
  EXPECT_EQ(p.attrsOf(*find(p, sim::Op::Reduce)).axis, 1);
  EXPECT_TRUE(sim::validate(p).empty());
}

/// A kernel of a cluster of two: barrier, then `body`.
std::string clusterKernel(const std::string &body) {
  return R"(
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.cluster-dim-x" = 2 : i32} {
tt.func public @k(%rank: i32, %x: tensor<4xf32>) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
)" + body +
         "  tt.return\n}\n}\n";
}

std::vector<sync::Kind> syncKinds(const sim::Program &program) {
  std::vector<sync::Kind> kinds;
  for (const sim::Inst &inst : program.code)
    for (unsigned i = 0; i < inst.numEffects; ++i)
      kinds.push_back(program.effectsOf(inst)[i].kind);
  return kinds;
}

// The lowering's cluster barrier stands behind the last initialisation.
TEST(Export, KernelsWithRemoteViewsMeetAtEntry) {
  Exported e = exportText(clusterKernel(R"(
  %r = ttng.map_to_remote_buffer %b, %rank : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<1xi64, #shared, #ttng.shared_cluster_memory, mutable>
)")
                              .c_str());
  ASSERT_TRUE(e.program) << e.error;
  EXPECT_EQ(syncKinds(*e.program),
            (std::vector<sync::Kind>{sync::Kind::BarrierInit, sync::Kind::BarrierInitFence,
                                     sync::Kind::ClusterArrive, sync::Kind::ClusterWait}));
}

// Remote stores alone get none: the kernel has to meet by itself.
TEST(Export, KernelsWithRemoteStoresOnlyDoNot) {
  Exported e = exportText(clusterKernel(R"(
  %m = ttg.local_alloc : () -> !ttg.memdesc<4xf32, #shared, #smem, mutable>
  ttg.remote_shmem_store %x, rank %rank, %m : tensor<4xf32> -> !ttg.memdesc<4xf32, #shared, #smem, mutable>
)")
                              .c_str());
  ASSERT_TRUE(e.program) << e.error;
  for (sync::Kind kind : syncKinds(*e.program))
    EXPECT_NE(kind, sync::Kind::ClusterArrive);
}

TEST(Export, UnknownOpIsNamedWithItsPlace) {
  Exported e = exportText(R"(
tt.func public @k(%x: f32) {
  %y = math.atan %x : f32
  tt.return
})");
  EXPECT_FALSE(e.program);
  EXPECT_EQ(e.error, "kernel.ttir:3:8: error: the simulator has no operation 'math.atan'");
}

TEST(Export, TwoKernelsNeedAName) {
  Exported e = exportText(R"(
tt.func public @a() { tt.return }
tt.func public @b() { tt.return })");
  EXPECT_NE(e.error.find("several kernels: 'a' and 'b'"), std::string::npos) << e.error;
}

TEST(Export, OtherKernelsOfTheFileAreLeftOut) {
  // Buffers and unknown operations of @b are none of @a's; what @a calls is.
  const char *text = R"(
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @b(%x: f32) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #shared, #smem, mutable>
  %y = math.atan %x : f32
  tt.return
}
tt.func private @helper(%x: i32) -> i32 { tt.return %x : i32 }
tt.func private @through(%x: i32) -> i32 {
  %y = tt.call @helper(%x) : (i32) -> i32
  tt.return %y : i32
}
tt.func public @a(%x: i32) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #shared, #smem, mutable>
  %y = tt.call @through(%x) : (i32) -> i32
  tt.return
})";
  Exported a = exportText(text, "a");
  ASSERT_TRUE(a.program) << a.error;
  EXPECT_EQ(a.program->allocations.size(), 1u);
  EXPECT_EQ(a.program->functions.size(), 3u); // @a, @helper and @through
  EXPECT_NE(exportText(text, "b").error.find("math.atan"), std::string::npos);
}

} // namespace
