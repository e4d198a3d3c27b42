// Registration, and the aliases that encodings print as.
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

#include "compiler/dialect/ttng/TTNGDialect.cpp.inc"
#include "compiler/dialect/ttng/TTNGEnums.cpp.inc"

using namespace mlir;

namespace tlx::ttng {
namespace {

struct TTNGAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const final {
    if (isa<TensorMemoryEncodingAttr>(attr)) {
      os << "tmem";
      return AliasResult::FinalAlias;
    }
    if (isa<TensorMemoryScalesEncodingAttr>(attr)) {
      os << "tmem_scales";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }
};

/// Every op may be inlined.
struct TTNGInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void TTNGDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerOps();
  addInterfaces<TTNGAsmInterface, TTNGInlinerInterface>();
}

sync::Space spaceOf(Value buffer) {
  auto type = dyn_cast<ttg::MemDescType>(buffer.getType());
  if (!type)
    return sync::Space::None;
  Attribute space = type.getMemorySpace();
  if (isa<ttg::SharedMemorySpaceAttr>(space))
    return sync::Space::Shared;
  if (isa<SharedClusterMemorySpaceAttr>(space))
    return sync::Space::SharedCluster;
  if (isa<TensorMemorySpaceAttr>(space))
    return sync::Space::Tensor;
  return sync::Space::None;
}

Value remoteRankOf(Value buffer) {
  if (auto map = buffer.getDefiningOp<MapToRemoteBufferOp>())
    return map.getCtaRank();
  return {};
}

} // namespace tlx::ttng
