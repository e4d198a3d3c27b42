// Buffer instructions and LDS accesses: types, verifiers, synchronisation effects.
#include "compiler/dialect/amdg/AMDG.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::amdg {

Type offsetsFor(Type tile) {
  auto tensor = cast<RankedTensorType>(tile);
  return RankedTensorType::get(tensor.getShape(), IntegerType::get(tile.getContext(), 32),
                               tensor.getEncoding());
}

Type pointerFor(Type tile) {
  return tt::PointerType::get(tt::elementTypeOrSelf(tile), /*addressSpace=*/1);
}

bool samePointee(Type expected, Type pointer) {
  return cast<tt::PointerType>(expected).getPointeeType() ==
         cast<tt::PointerType>(pointer).getPointeeType();
}

template <typename Op> static LogicalResult verifyContiguity(Op op) {
  if (int32_t(op.getContiguity()) < 1)
    return op.emitOpError("contiguity must be at least 1; got ") << int32_t(op.getContiguity());
  return success();
}

LogicalResult BufferLoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError("has values for masked-off elements but no mask");
  return verifyContiguity(*this);
}

LogicalResult BufferStoreOp::verify() { return verifyContiguity(*this); }
LogicalResult BufferAtomicRMWOp::verify() { return verifyContiguity(*this); }

/// Direct-to-LDS loads exist from gfx942 on. Nothing is checked where the module
/// names no target.
static LogicalResult verifyDirectToLds(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<StringAttr>("ttg.target") : StringAttr();
  StringRef arch = target ? target.getValue() : StringRef();
  if (!arch.consume_front("hip:"))
    return success();
  for (StringRef known : {"gfx94", "gfx95", "gfx125"})
    if (arch.starts_with(known))
      return success();
  return op->emitOpError("is not supported by target ") << target;
}

LogicalResult BufferLoadToLocalOp::verify() {
  auto dest = getDest().getType();
  if (!dest.getMutableMemory())
    return emitOpError("writes a buffer that is not mutable: ") << dest;
  if (getOther() && !getMask())
    return emitOpError("has values for masked-off elements but no mask");
  Type pointee = getPtr().getType().getPointeeType();
  if (pointee != dest.getElementType())
    return emitOpError("pointed type and buffer element type must be the same; got ")
           << pointee << " and " << dest.getElementType();
  auto offsets = cast<RankedTensorType>(getOffsets().getType());
  if (offsets.getShape() != dest.getShape())
    return emitOpError("offsets and buffer must have the same shape; got ")
           << offsets << " and " << dest;
  if (failed(verifyContiguity(*this)))
    return failure();
  return verifyDirectToLds(*this);
}

LogicalResult LocalLoadPackedTransposedOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  Attribute encoding = result.getEncoding();
  if (!encoding ||
      (isa<ttg::TTGDialect>(encoding.getDialect()) && !isa<ttg::DotOperandEncodingAttr>(encoding)))
    return emitOpError("result must have a dot_op layout; got ") << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Synchronisation effects
//===----------------------------------------------------------------------===//

static SyncEffect access(Kind kind, Space space, Value target, Value predicate = {}) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = space;
  effect.threads = Threads::PerThread;
  effect.target = target;
  effect.predicate = predicate;
  return effect;
}

/// Copies between global memory and LDS that the task does not wait for here.
static SyncEffect copy(Kind kind, Space space, Value target) {
  SyncEffect effect = access(kind, space, target);
  effect.moment = Moment::Completion;
  effect.group = Group::AmdAsync;
  return effect;
}

void BufferLoadOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, Space::Global, getPtr()));
}

void BufferStoreOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Write, Space::Global, getPtr()));
}

void BufferAtomicRMWOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, Space::Global, getPtr()));
  effects.push_back(access(Kind::Write, Space::Global, getPtr()));
}

void BufferAtomicCASOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, Space::Global, getPtr()));
  effects.push_back(access(Kind::Write, Space::Global, getPtr()));
}

void MaskedLoadOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, Space::Global, getPtr(), getMask()));
}

void MaskedStoreOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Write, Space::Global, getPtr(), getMask()));
}

void LocalLoadPackedTransposedOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect read = access(Kind::Read, Space::Shared, getSrc());
  read.threads = Threads::All;
  effects.push_back(read);
}

void BufferLoadToLocalOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(copy(Kind::Read, Space::Global, getPtr()));
  effects.push_back(copy(Kind::Write, Space::Shared, getDest()));
}

void AsyncCopyLocalToGlobalOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(copy(Kind::Read, Space::Shared, getSrc()));
  effects.push_back(copy(Kind::Write, Space::Global, getDst()));
}

} // namespace tlx::amdg
