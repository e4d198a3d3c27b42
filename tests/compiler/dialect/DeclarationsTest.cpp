// Every registered op declares its synchronisation effects and its cost, so that
// none can be forgotten by the verifier, the simulator or the compiler.
#include "compiler/dialect/interfaces/SyncEffects.h"
#include "compiler/dialect/interfaces/TileCost.h"
#include "compiler/dialect/registry/Registry.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace mlir;
using namespace tlx;

namespace {

const std::set<std::string> ours = {"tt", "ttg", "ttng", "tlx", "amdg", "nvg", "nvws"};

struct Declarations : testing::Test {
  Declarations() : context(registryOfAll(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }
  static const DialectRegistry &registryOfAll() {
    static DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }
  MLIRContext context;
};

template <CostUnit... units> bool hasCostTrait(OperationName name) {
  return (name.hasTrait<CostPerElement<units>::template Impl>() || ...);
}

TEST_F(Declarations, EveryOpOfOursDeclaresItsEffects) {
  std::map<std::string, unsigned> seen;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    std::string dialect = name.getDialectNamespace().str();
    if (!ours.count(dialect))
      continue;
    ++seen[dialect];
    EXPECT_NE(syncEffectsKind(name), SyncEffectsKind::Undeclared) << name.getStringRef().str();
  }
  // The surface of fbtriton: nothing has dropped out of the registry.
  EXPECT_GE(seen["tt"], 48u);
  EXPECT_GE(seen["ttg"], 32u);
  EXPECT_GE(seen["ttng"], 56u);
  EXPECT_GE(seen["tlx"], 10u);
  EXPECT_GE(seen["amdg"], 39u);
  EXPECT_GE(seen["nvg"], 5u);
  EXPECT_GE(seen["nvws"], 16u);
}

TEST_F(Declarations, EveryOpOfOursDeclaresItsCost) {
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!ours.count(name.getDialectNamespace().str()))
      continue;
    bool declared =
        name.hasInterface<TileCostOpInterface>() ||
        hasCostTrait<CostUnit::None, CostUnit::Scalar, CostUnit::Alu, CostUnit::Fma, CostUnit::Fp64,
                     CostUnit::Mufu, CostUnit::Convert, CostUnit::LoadStore, CostUnit::SharedMemory,
                     CostUnit::Shuffle, CostUnit::Tma, CostUnit::TensorCore, CostUnit::TensorMemory,
                     CostUnit::Barrier>(name);
    EXPECT_TRUE(declared) << name.getStringRef().str();
  }
}

TEST_F(Declarations, UpstreamOpsAreDeclaredOrUnknown) {
  auto kind = [&](const char *name) { return syncEffectsKind(OperationName(name, &context)); };
  EXPECT_EQ(kind("arith.addi"), SyncEffectsKind::None);
  EXPECT_EQ(kind("math.exp2"), SyncEffectsKind::None);
  EXPECT_EQ(kind("scf.while"), SyncEffectsKind::OfBody);
  EXPECT_EQ(kind("cf.cond_br"), SyncEffectsKind::OfBody);
  EXPECT_EQ(kind("ub.poison"), SyncEffectsKind::None);
  // What nobody has thought about is not taken for harmless.
  EXPECT_EQ(kind("gpu.launch"), SyncEffectsKind::Undeclared);
  EXPECT_EQ(kind("llvm.call"), SyncEffectsKind::Undeclared);
  EXPECT_EQ(kind("rocdl.barrier"), SyncEffectsKind::Undeclared);
}

} // namespace
