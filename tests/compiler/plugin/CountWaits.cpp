//===- CountWaits.cpp - a pass outside of the tree ------------------------------===//
//
// Writes into the module how many mbarrier waits it has. MLIR and the dialects are
// those of the program that loads it: nothing is linked.
//
//===----------------------------------------------------------------------===//
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

struct CountWaits : PassWrapper<CountWaits, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountWaits)
  StringRef getArgument() const override { return "count-waits"; }
  void runOnOperation() override {
    int64_t waits = 0;
    getOperation().walk([&](tlx::ttng::WaitBarrierOp) { ++waits; });
    getOperation()->setAttr("ttng.waits", Builder(&getContext()).getI64IntegerAttr(waits));
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "CountWaits", "1", [] { PassRegistration<CountWaits>(); }};
}
