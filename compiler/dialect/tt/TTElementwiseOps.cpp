// Verifiers of conversions and element-wise ops.
#include "compiler/dialect/tt/TT.h"

using namespace mlir;

namespace tlx::tt {

/// Width in bits; pointers count as 64.
static unsigned bitWidth(Type type) {
  type = elementTypeOrSelf(type);
  if (isa<PointerType>(type))
    return 64;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

LogicalResult BitcastOp::verify() {
  unsigned from = bitWidth(getSrc().getType()), to = bitWidth(getType());
  if (from != to)
    return emitOpError("changes the width from ") << from << " to " << to << " bits";
  return success();
}

LogicalResult FpToFpOp::verify() {
  unsigned from = bitWidth(getSrc().getType()), to = bitWidth(getType());
  if (to < from && !getRounding())
    return emitOpError("narrows from ") << from << " to " << to << " bits without a rounding mode";
  if (bool(getRbits()) != (getRounding() == RoundingMode::RS))
    return emitOpError("takes rbits exactly when rounding = rs");
  return success();
}

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

} // namespace tlx::tt
