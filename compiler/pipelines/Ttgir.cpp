#include "compiler/pipelines/Ttgir.h"

#include "compiler/pipelines/Ingest.h"
#include "compiler/transforms/Passes.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tlx {

/// What the module says wins.
static LogicalResult recordLaunch(ModuleOp module, const LaunchFacts &facts) {
  OpBuilder b(module.getContext());
  auto record = [&](StringRef name, std::optional<int64_t> value) {
    if (value && !module->hasAttr(name))
      module->setAttr(name, b.getI32IntegerAttr(*value));
  };
  if (!facts.target.empty() && !module->hasAttr("ttg.target"))
    module->setAttr("ttg.target", b.getStringAttr(facts.target));
  record("ttg.num-warps", facts.numWarps);
  record("ttg.num-ctas", facts.numCtas.value_or(1));
  record("ttg.threads-per-warp", facts.threadsPerWarp.value_or(32));
  // The launch's cluster includes the CTAs that share tiles, which lie along x.
  if (facts.cluster)
    for (auto [axis, size] : llvm::zip("xyz", *facts.cluster))
      record(("ttg.cluster-dim-" + Twine(axis)).str(),
             axis == 'x' ? size / facts.numCtas.value_or(1) : size);
  auto threads = module->getAttrOfType<IntegerAttr>("ttg.threads-per-warp");
  auto target = module->getAttrOfType<StringAttr>("ttg.target");
  if (!target || !module->hasAttr("ttg.num-warps"))
    return module.emitError("neither the module nor the launch says target and warps");
  if (!target.getValue().starts_with("cuda:") || threads.getInt() != 32)
    return module.emitError("layouts are chosen for CUDA's warps of 32 threads only");
  return success();
}

/// Machine code has no calls: helpers that the front end keeps apart are inlined too.
static LogicalResult inlineAllCalls(ModuleOp module) {
  for (auto function : module.getOps<tt::FuncOp>())
    function->removeAttr("noinline");
  return inlineCalls(module);
}

void buildTtgirPipeline(OpPassManager &passes) {
  passes.addPass(createTlxStorageAliases());
  passes.addPass(createTlxClusterLoops());
  passes.addPass(createTlxBufferLayouts());
  passes.addPass(createTlxDescriptorLayouts());
  passes.addPass(createTlxLowerDescriptors());
  passes.addPass(createTlxDecomposeScaled());
  passes.addPass(createTlxSplitProducts());
  passes.addPass(createTlxWarpGroupProducts());
  passes.addPass(createTlxPipelineLoads());
  passes.addPass(createTlxAssignLayouts());
  passes.addPass(createTlxRemakeTiles());
  passes.addPass(createTlxHoistConversions());
  passes.addPass(createTlxLateProducts());
  passes.addPass(createCSEPass());
}

Result<void> raiseToTtgir(ModuleOp module, IrLevel level, const LaunchFacts &facts, bool forCode) {
  FirstError errors(module.getContext());
  if (level == IrLevel::Source && failed(ingestModule(module, facts)))
    return errors.take("the front end's IR could not be prepared");
  if (failed(inlineAllCalls(module)))
    return errors.take("calls could not be inlined");
  if (level == IrLevel::Ttgir)
    return {};
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  (void)applyPassManagerCLOptions(passes); // switches, where a tool has them
  if (forCode)
    passes.addPass(createTlxMoreWarps());
  buildTtgirPipeline(passes);
  if (failed(recordLaunch(module, facts)) || failed(passes.run(module)))
    return errors.take("layouts could not be chosen");
  return {};
}

} // namespace tlx
