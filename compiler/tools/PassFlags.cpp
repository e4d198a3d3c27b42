#include "compiler/tools/PassFlags.h"

#include "compiler/ingest/ParseFile.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace tlx {

PluginFlag::PluginFlag()
    : plugins("load-pass-plugin", cl::desc("load passes from a shared library"),
              cl::value_desc("file"), cl::cb<void, std::string>([this](const std::string &path) {
                llvm::Expected<PassPlugin> plugin = PassPlugin::load(path);
                if (plugin)
                  return plugin->registerPassRegistryCallbacks();
                failure = Error("cannot be loaded as a pass plugin: " +
                                    llvm::toString(plugin.takeError()),
                                {path, 0, 0});
              })) {}

Result<void> PluginFlag::loaded() const {
  if (failure)
    return Error(*failure);
  return {};
}

PassFlags::PassFlags()
    : pipeline("ttgir-passes", cl::desc("passes to run on the tile program"),
               cl::value_desc("pipeline")) {
  registerTransformsPasses();
  registerTlxPasses();
  registerPassManagerCLOptions();
}

Result<void> PassFlags::runOn(ModuleOp module) const {
  if (pipeline.empty())
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, os);
  if (failed(parsed))
    return Error("--ttgir-passes: " + StringRef(text).split('\n').first.str());
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  if (parsed->getOpAnchorName() != ModuleOp::getOperationName())
    return Error("--ttgir-passes: a pipeline begins with builtin.module(; got " +
                 pipeline.getValue());
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  FirstError errors(module.getContext());
  if (failed(applyPassManagerCLOptions(passes)) || failed(passes.run(module)))
    return errors.take("a pass of --ttgir-passes failed without saying why");
  return {};
}

} // namespace tlx
