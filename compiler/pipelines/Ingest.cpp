#include "compiler/pipelines/Ingest.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tlx {

static TlxFixupOptions fixupOptions(const LaunchFacts &facts) {
  TlxFixupOptions options;
  options.target = facts.target;
  options.numWarps = facts.numWarps.value_or(0);
  options.numCtas = facts.numCtas.value_or(1);
  options.threadsPerWarp = facts.threadsPerWarp.value_or(0);
  if (facts.cluster)
    options.cluster.assign(facts.cluster->begin(), facts.cluster->end());
  return options;
}

void buildIngestPipeline(OpPassManager &passes, const LaunchFacts &facts) {
  passes.addPass(createTlxFixup(fixupOptions(facts)));
  passes.addPass(createInlinerPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createTlxCombine());
  passes.addPass(createTlxReorderBroadcast());
  // Equal reads are found once their addresses are one value, and make more ops
  // equal.
  passes.addPass(createCSEPass());
  passes.addPass(createTlxMergeReads());
  passes.addPass(createCSEPass());
  // fbtriton's NVIDIA pipeline moves nothing out of loops at this level, and
  // neither pipeline raises while loops.
  if (StringRef(facts.target).starts_with("hip:"))
    passes.addPass(createTlxLicm());
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createTlxLoopUnroll());
}

LogicalResult ingestModule(ModuleOp module, const LaunchFacts &facts) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  (void)applyPassManagerCLOptions(passes);
  buildIngestPipeline(passes, facts);
  return passes.run(module);
}

bool hasCalls(ModuleOp module) {
  return module.walk([](tt::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

LogicalResult inlineCalls(ModuleOp module) {
  if (!hasCalls(module))
    return success();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  (void)applyPassManagerCLOptions(passes);
  passes.addPass(createInlinerPass());
  passes.addPass(createSymbolDCEPass());
  return passes.run(module);
}

LogicalResult prepareModule(ModuleOp module, IrLevel level, const LaunchFacts &facts) {
  return level == IrLevel::Source ? ingestModule(module, facts) : inlineCalls(module);
}

} // namespace tlx
