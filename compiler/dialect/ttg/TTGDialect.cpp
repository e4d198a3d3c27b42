#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include "compiler/dialect/ttg/TTGDialect.cpp.inc"
#include "compiler/dialect/ttg/TTGEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/ttg/TTGAttrs.cpp.inc"

using namespace mlir;

namespace tlx::ttg {
namespace {

/// Encodings print as aliases at the head of the file.
struct TTGAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (attr.hasTrait<MmaEncodingTrait>())
      os << "mma";
    else if (attr.hasTrait<SharedEncodingTrait>())
      os << "shared";
    else if (isa<BlockedEncodingAttr>(attr))
      os << "blocked";
    else if (isa<LinearEncodingAttr>(attr))
      os << "linear";
    else if (isa<GenericLinearEncodingAttr>(attr))
      os << "generic_linear";
    else if (isa<SharedMemorySpaceAttr>(attr))
      os << "smem";
    else
      return AliasResult::NoAlias;
    return AliasResult::FinalAlias;
  }
};

struct TTGInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void TTGDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerOps();
  addInterfaces<TTGAsmInterface, TTGInlinerInterface>();
}

void TTGDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/ttg/TTGAttrs.cpp.inc"
      >();
}

std::optional<int> contextNumWarps(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp()) {
    // An isolated partition: which region of its parent are we in?
    if (auto partitions = dyn_cast_or_null<WarpSpecializePartitionsOp>(at->getParentOp())) {
      auto specialize = cast<WarpSpecializeOp>(partitions->getParentOp());
      unsigned index = at->getParentRegion()->getRegionNumber();
      if (index < specialize.getPartitionNumWarps().size())
        return specialize.getPartitionNumWarps()[index];
    }
    if (auto warps = at->getAttrOfType<IntegerAttr>("ttg.num-warps"))
      return int(warps.getInt());
  }
  return std::nullopt;
}

} // namespace tlx::ttg
