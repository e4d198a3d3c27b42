// Global memory: verifiers, memory effects and synchronisation effects.
#include "compiler/dialect/tt/TT.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::tt {

static SyncEffect access(Kind kind, Value target, Value mask = {}) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = Space::Global;
  effect.target = target;
  // A tile's mask decides for each element; only a scalar decides for the op.
  if (mask && mask.getType().isInteger(1))
    effect.predicate = mask;
  return effect;
}

static LogicalResult verifyPointee(Operation *op, Value pointer, Type value) {
  Type expected = pointeeSameShape(pointer.getType());
  auto tensor = dyn_cast<RankedTensorType>(value);
  auto expectedTensor = dyn_cast_or_null<RankedTensorType>(expected);
  if (!expected || bool(tensor) != bool(expectedTensor) ||
      elementTypeOrSelf(value) != elementTypeOrSelf(expected) ||
      (tensor && tensor.getShape() != expectedTensor.getShape()))
    return op->emitOpError("value of type ")
           << value << " does not fit pointers of type " << pointer.getType();
  return success();
}

static LogicalResult verifyMask(Operation *op, Value pointer, Value mask) {
  if (!mask)
    return success();
  auto tensor = dyn_cast<RankedTensorType>(mask.getType());
  auto pointers = dyn_cast<RankedTensorType>(pointer.getType());
  if (!elementTypeOrSelf(mask.getType()).isInteger(1) || bool(tensor) != bool(pointers) ||
      (tensor && tensor.getShape() != pointers.getShape()))
    return op->emitOpError("mask of type ")
           << mask.getType() << " does not fit pointers of type " << pointer.getType();
  return success();
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError("has a value for masked-off elements but no mask");
  if (failed(verifyMask(*this, getPtr(), getMask())))
    return failure();
  return verifyPointee(*this, getPtr(), getType());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyMask(*this, getPtr(), getMask())))
    return failure();
  return verifyPointee(*this, getPtr(), getValue().getType());
}

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyMask(*this, getPtr(), getMask())))
    return failure();
  return verifyPointee(*this, getPtr(), getVal().getType());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), SideEffects::DefaultResource::get());
}

void LoadOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, getPtr(), getMask()));
}

void StoreOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Write, getPtr(), getMask()));
}

void AtomicRMWOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, getPtr(), getMask()));
  effects.push_back(access(Kind::Write, getPtr(), getMask()));
}

void AtomicCASOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, getPtr()));
  effects.push_back(access(Kind::Write, getPtr()));
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

static LogicalResult verifyIndices(Operation *op, Type desc, size_t indices) {
  auto type = dyn_cast<TensorDescType>(desc);
  if (type && size_t(type.getBlockType().getRank()) != indices)
    return op->emitOpError("needs ")
           << type.getBlockType().getRank() << " indices for " << desc << "; got " << indices;
  return success();
}

/// A block and the register tile that holds it agree in elements; unit
/// dimensions may be dropped, and integers lose their sign.
static LogicalResult verifyBlock(Operation *op, Type desc, Type tile) {
  auto type = dyn_cast<TensorDescType>(desc);
  if (!type)
    return success();
  RankedTensorType block = type.getBlockType();
  auto tensor = cast<RankedTensorType>(tile);
  auto element = block.getElementType(), tileElement = tensor.getElementType();
  bool sameElement = element == tileElement ||
                     (element.isInteger() && tileElement.isInteger() &&
                      element.getIntOrFloatBitWidth() == tileElement.getIntOrFloatBitWidth());
  if (!sameElement || block.getNumElements() != tensor.getNumElements())
    return op->emitOpError("tile of type ") << tile << " does not fit " << desc;
  return success();
}

LogicalResult MakeTensorDescOp::verify() {
  size_t rank = getType().getBlockType().getRank();
  if (getShape().size() != rank || getStrides().size() != rank)
    return emitOpError("needs ") << rank << " sizes and strides for " << getType() << "; got "
                                 << getShape().size() << " and " << getStrides().size();
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  if (failed(verifyIndices(*this, getDesc().getType(), getIndices().size())))
    return failure();
  return verifyBlock(*this, getDesc().getType(), getType());
}

LogicalResult DescriptorStoreOp::verify() {
  if (failed(verifyIndices(*this, getDesc().getType(), getIndices().size())))
    return failure();
  return verifyBlock(*this, getDesc().getType(), getSrc().getType());
}

LogicalResult DescriptorReduceOp::verify() {
  if (failed(verifyIndices(*this, getDesc().getType(), getIndices().size())))
    return failure();
  return verifyBlock(*this, getDesc().getType(), getSrc().getType());
}

void MakeTensorDescOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getDescPtr())
    effects.emplace_back(MemoryEffects::Write::get(), &getDescPtrMutable()[0], GlobalMemory::get());
}

void MakeTensorDescOp::getSyncEffects(SyncEffects &effects) {
  if (!getDescPtr())
    return;
  SyncEffect write = access(Kind::Write, getDescPtr());
  write.threads = Threads::Elected;
  effects.push_back(write);
  // Its lowering ends with the fence that copies need.
  SyncEffect fence = write;
  fence.kind = Kind::TensormapFence;
  effects.push_back(fence);
}

// Register-level descriptor accesses are synchronous: their lowering waits.
void DescriptorLoadOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, getDesc()));
}

void DescriptorStoreOp::getSyncEffects(SyncEffects &effects) {
  if (getReduceKind() != DescriptorReduceKind::NONE)
    effects.push_back(access(Kind::Read, getDesc()));
  effects.push_back(access(Kind::Write, getDesc()));
}

void DescriptorReduceOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, getDesc()));
  effects.push_back(access(Kind::Write, getDesc()));
}

void DescriptorGatherOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, getDesc()));
}

void DescriptorScatterOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Write, getDesc()));
}

} // namespace tlx::tt
