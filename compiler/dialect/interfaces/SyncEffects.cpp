#include "compiler/dialect/interfaces/SyncEffects.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSet.h"

#include "compiler/dialect/interfaces/SyncEffects.cpp.inc"

using namespace mlir;

namespace tlx {

int64_t bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return type.isIntOrFloat() ? (type.getIntOrFloatBitWidth() + 7) / 8 : 8;
  Type element = shaped.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return (shaped.getNumElements() * bits + 7) / 8;
}

// Upstream ops cannot carry our traits; what they do is declared here, by
// dialect, with the exceptions by name.
static SyncEffectsKind upstreamKind(OperationName name) {
  static const llvm::StringSet<> structure = {
      "builtin.module", "scf.for",       "scf.while",          "scf.if",
      "scf.yield",      "scf.condition", "scf.execute_region", "scf.index_switch",
      "cf.br",          "cf.cond_br",    "cf.switch"};
  static const llvm::StringSet<> none = {"ub.poison",
                                         "gpu.thread_id",
                                         "llvm.intr.assume",
                                         "rocdl.sched.barrier",
                                         "rocdl.s.setprio",
                                         "rocdl.workitem.id.x",
                                         "builtin.unrealized_conversion_cast"};
  if (structure.contains(name.getStringRef()))
    return SyncEffectsKind::OfBody;
  if (none.contains(name.getStringRef()))
    return SyncEffectsKind::None;
  StringRef dialect = name.getDialectNamespace();
  if (dialect == "arith" || dialect == "math")
    return SyncEffectsKind::None;
  return SyncEffectsKind::Undeclared;
}

SyncEffectsKind syncEffectsKind(OperationName name) {
  if (name.hasInterface<SyncEffectsOpInterface>())
    return SyncEffectsKind::Own;
  if (name.hasTrait<NoSyncEffects>())
    return SyncEffectsKind::None;
  if (name.hasTrait<SyncEffectsOfBody>())
    return SyncEffectsKind::OfBody;
  return upstreamKind(name);
}

bool collectSyncEffects(Operation *op, SyncEffects &effects) {
  if (auto declared = dyn_cast<SyncEffectsOpInterface>(op)) {
    declared.getSyncEffects(effects);
    return true;
  }
  return syncEffectsKind(op->getName()) != SyncEffectsKind::Undeclared;
}

} // namespace tlx
