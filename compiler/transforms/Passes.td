// Passes on TLX IR, one file each: pass `TlxFixup` of `--tlx-fixup` is in
// TlxFixup.cpp, its tests in tests/compiler/transforms/tlx-fixup.mlir.
#ifndef TLX_PASSES_TD
#define TLX_PASSES_TD

include "mlir/Pass/PassBase.td"

def TlxFixup : Pass<"tlx-fixup", "::mlir::ModuleOp"> {
  let summary = "makes the front end's module a legal one: launch attributes, calls, layout pins";
  let description = [{
    Checks what TLX asks of a module, records the launch parameters of modules
    that use TLX as `ttg.*` and `tlx.*` attributes, makes calls agree with their
    callees' signatures, and carries layout pins through the arithmetic between
    them.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "cuda:NN or hip:gfxNNN">,
    Option<"numWarps", "num-warps", "int", "0", "warps of the default region; 0: not known">,
    Option<"numCtas", "num-ctas", "int", "1", "CTAs of a cluster that work as one">,
    Option<"threadsPerWarp", "threads-per-warp", "int", "0",
           "0: 32 on CUDA; 64 on HIP, as fbtriton writes at this level">,
    ListOption<"cluster", "cluster", "int64_t", "cluster shape x,y,z; absent: not known">,
  ];
  let dependentDialects = ["::tlx::tlxd::TLXDialect"];
}

def TlxCombine : Pass<"tlx-combine", "::mlir::ModuleOp"> {
  let summary = "merges neighbouring ops: pointer offsets, selects of loads, dots and sums";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TlxReorderBroadcast : Pass<"tlx-reorder-broadcast", "::mlir::ModuleOp"> {
  let summary = "computes on the small side of splat and broadcast";
}

def TlxMergeReads : Pass<"tlx-merge-reads", "::mlir::ModuleOp"> {
  let summary = "reads of memory that nothing between them writes become one";
}

def TlxLicm : Pass<"tlx-licm", "::mlir::ModuleOp"> {
  let summary = "moves invariant ops, loads included, out of loops";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TlxUpliftWhile : Pass<"tlx-uplift-while", "::mlir::ModuleOp"> {
  let summary = "raises counting scf.while loops to scf.for";
}

def TlxLoopUnroll : Pass<"tlx-loop-unroll", "::mlir::ModuleOp"> {
  let summary = "unrolls loops that carry tt.loop_unroll_factor";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TlxClusterLoops : Pass<"tlx-cluster-loops", "::mlir::ModuleOp"> {
  let summary = "shares the rounds of loops marked tt.multi_cta out among a cluster's CTAs";
  let description = [{
    What the loops sum up meets in the reductions behind them, through shared memory.
    Where a loop does anything else with what it carries, all stay as they are, and
    every CTA does everything.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tlx::nvg::NVGDialect",
                           "::tlx::ttng::TTNGDialect"];
}

def TlxDecomposeScaled : Pass<"tlx-decompose-scaled", "::mlir::ModuleOp"> {
  let summary = "products with scales are products of scaled operands";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tlx::ttg::TTGDialect"];
}

def TlxSplitProducts : Pass<"tlx-split-products", "::mlir::ModuleOp"> {
  let summary = "products of f32 in more bits than tensor cores take are sums of products of parts";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TlxWarpGroupProducts : Pass<"tlx-warp-group-products", "::mlir::ModuleOp"> {
  let summary = "products that are large enough are those of warp groups";
  let dependentDialects = ["::tlx::tlxd::TLXDialect", "::tlx::ttng::TTNGDialect"];
}

def TlxPipelineLoads : Pass<"tlx-pipeline-loads", "::mlir::ModuleOp"> {
  let summary = "copies what a loop's products need some rounds ahead";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tlx::tlxd::TLXDialect",
                           "::tlx::ttng::TTNGDialect"];
}

def TlxAssignLayouts : Pass<"tlx-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "gives every tile a layout, with conversions where ops need another";
  let description = [{
    Layouts come from matrix instructions, user pins and the widest accesses to
    memory, and spread from there; what nothing decides is blocked, its last
    dimension fastest. `tlx.require_layout` and `tlx.release_layout` of tiles are
    conversions afterwards, or nothing.
  }];
  let dependentDialects = ["::tlx::ttg::TTGDialect"];
}

def TlxRemakeTiles : Pass<"tlx-remake-tiles", "::mlir::ModuleOp"> {
  let summary = "computes cheap tiles a second time instead of converting their layout";
}

def TlxHoistConversions : Pass<"tlx-hoist-conversions", "::mlir::ModuleOp"> {
  let summary = "takes conversions of tiles that loops do not change out of them";
  let dependentDialects = ["::tlx::ttg::TTGDialect"];
}

def TlxMoreWarps : Pass<"tlx-more-warps", "::mlir::ModuleOp"> {
  let summary = "doubles the warps of kernels whose products take more registers than there are";
}

def TlxLateProducts : Pass<"tlx-late-products", "::mlir::ModuleOp"> {
  let summary = "issues products of registers behind the wait for the one before";
  let dependentDialects = ["::tlx::ttng::TTNGDialect"];
}

def TlxBufferLayouts : Pass<"tlx-buffer-layouts", "::mlir::ModuleOp"> {
  let summary = "gives buffers the layouts that operations require of them";
  let dependentDialects = ["::tlx::ttg::TTGDialect"];
}

def TlxDescriptorLayouts : Pass<"tlx-descriptor-layouts", "::mlir::ModuleOp"> {
  let summary = "gives the blocks of tensor descriptors the layout of their buffers";
  let description = [{
    Blocks that no buffer decides get the widest swizzle that their rows fill.
  }];
}

def TlxLowerDescriptors : Pass<"tlx-lower-descriptors", "::mlir::ModuleOp"> {
  let summary = "copies tiles through buffers where they are read and written by descriptor";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tlx::ttng::TTNGDialect"];
}

def TlxStorageAliases : Pass<"tlx-storage-aliases", "::mlir::ModuleOp"> {
  let summary = "makes storage that buffers share an allocation, and the buffers its views";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tlx::ttg::TTGDialect"];
}

#endif
