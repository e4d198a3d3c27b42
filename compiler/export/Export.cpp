#include "compiler/export/Export.h"

#include "compiler/export/Exporter.h"

using namespace mlir;

namespace tlx {

static Result<tt::FuncOp> findKernel(ModuleOp module, const std::string &name) {
  tt::FuncOp found;
  for (auto function : module.getOps<tt::FuncOp>()) {
    if (!function.isExternal() &&
        (!name.empty() ? function.getName() == name : function.isPublic())) {
      if (found)
        return Error("the module has several kernels: '" + found.getName().str() + "' and '" +
                         function.getName().str() + "'",
                     sourceLocationOf(function.getLoc()), "name one with the manifest's 'kernel'");
      found = function;
    }
  }
  if (found)
    return found;
  if (!name.empty())
    return Error("the module has no kernel '" + name + "'", sourceLocationOf(module.getLoc()),
                 "the manifest belongs to another kernel");
  return Error("the module has no public tt.func with a body", sourceLocationOf(module.getLoc()));
}

/// Facts that the module states win over guesses, not over what was given.
static Result<void> factsFromModule(ModuleOp module, sim::LaunchFacts &facts) {
  auto integer = [&](StringRef name, int32_t &value) {
    if (auto attr = module->getAttrOfType<IntegerAttr>(name))
      value = attr.getInt();
  };
  if (auto target = module->getAttrOfType<StringAttr>("ttg.target")) {
    if (facts.target.empty())
      facts.target = target.str();
    if (facts.target != target.str())
      return Error("the module is for " + target.str() + "; the launch is for " + facts.target,
                   sourceLocationOf(module.getLoc()), "the manifest belongs to another kernel");
  }
  integer("ttg.num-warps", facts.numWarps);
  integer("ttg.threads-per-warp", facts.threadsPerWarp);
  integer("ttg.num-ctas", facts.numCtas);
  integer("ttg.maxnreg", facts.maxRegisters);
  if (facts.clusterSize() == 1) {
    integer("ttg.cluster-dim-x", facts.clusterDims[0]);
    integer("ttg.cluster-dim-y", facts.clusterDims[1]);
    integer("ttg.cluster-dim-z", facts.clusterDims[2]);
  }
  return {};
}

Result<std::unique_ptr<sim::Program>> exportProgram(ModuleOp module, const ExportOptions &options) {
  Result<tt::FuncOp> kernel = findKernel(module, options.kernel);
  if (!kernel)
    return kernel.error();
  ExportOptions known = options;
  if (auto fits = factsFromModule(module, known.facts); !fits)
    return std::move(fits).error();
  Exporter exporter(module, known, kernel->getName().str());
  Result<std::unique_ptr<sim::Program>> program = exporter.run(*kernel);
  if (!program)
    return program;
  std::vector<sim::ProgramError> errors = sim::validate(**program);
  if (!errors.empty())
    return Error::internal("the exported program is malformed: " + errors.front().message);
  return program;
}

} // namespace tlx
