// Shared-memory buffers: verifiers and synchronisation effects.
#include "compiler/dialect/ttg/TTG.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttg {

static SyncEffect sharedAccess(Kind kind, Value target) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = Space::Shared;
  effect.target = target;
  return effect;
}

static LogicalResult verifyTile(Operation *op, MemDescType buffer, Type tile) {
  auto tensor = cast<RankedTensorType>(tile);
  if (buffer.getShape() != tensor.getShape() || buffer.getElementType() != tensor.getElementType())
    return op->emitOpError("tile of type ") << tile << " does not fit a buffer of type " << buffer;
  return success();
}

static LogicalResult verifyMutable(Operation *op, MemDescType buffer) {
  if (!buffer.getMutableMemory())
    return op->emitOpError("writes a buffer that is not mutable: ") << buffer;
  return success();
}

//===----------------------------------------------------------------------===//
// Allocation, load, store
//===----------------------------------------------------------------------===//

void LocalAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // An immutable buffer filled once is a value like any other.
  if (!getType().getMutableMemory() && getSrc())
    return;
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0),
                       SharedMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0),
                         SharedMemory::get());
}

LogicalResult LocalAllocOp::verify() {
  MemDescType type = getType();
  if (!type.isWhole())
    return emitOpError("allocates a view: ") << type;
  if (!isa<SharedMemorySpaceAttr>(type.getMemorySpace()))
    return emitOpError("allocates shared memory only; got ") << type.getMemorySpace();
  unsigned bits = tt::elementTypeOrSelf(type.getElementType()).isIntOrFloat()
                      ? type.getElementType().getIntOrFloatBitWidth()
                      : 64;
  if (bits % 8)
    return emitOpError("needs elements of whole bytes; got ") << type.getElementType();
  if (!getSrc())
    return type.getMutableMemory() ? success()
                                   : emitOpError("without a source must be mutable: ") << type;
  return verifyTile(*this, type, getSrc().getType());
}

void LocalAllocOp::getSyncEffects(SyncEffects &effects) {
  if (getSrc())
    effects.push_back(sharedAccess(Kind::Write, getResult()));
}

LogicalResult LocalLoadOp::verify() { return verifyTile(*this, getSrc().getType(), getType()); }

void LocalLoadOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(sharedAccess(Kind::Read, getSrc()));
  // It relies on a wait before it: no barrier is put between it and copies (AMD).
  auto synced = (*this)->getAttrOfType<BoolAttr>("ttg.amdg.syncedViaAsyncWait");
  effects.back().relaxed = synced && synced.getValue();
}

LogicalResult LocalStoreOp::verify() {
  if (failed(verifyMutable(*this, getDst().getType())))
    return failure();
  return verifyTile(*this, getDst().getType(), getSrc().getType());
}

void LocalStoreOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(sharedAccess(Kind::Write, getDst()));
}

static LogicalResult verifyAxis(Operation *op, MemDescType buffer, Type indices, Type tile,
                                int64_t axis) {
  auto index = cast<RankedTensorType>(indices), value = cast<RankedTensorType>(tile);
  int64_t rank = buffer.getShape().size();
  if (axis < 0 || axis >= rank)
    return op->emitOpError("axis must be in [0, ") << rank << "); got " << axis;
  if (index.getRank() != rank)
    return op->emitOpError("indices must have the buffer's rank ")
           << rank << "; got " << index.getRank();
  if (index.getShape() != value.getShape())
    return op->emitOpError("indices and values must have one shape");
  if (value.getElementType() != buffer.getElementType())
    return op->emitOpError("elements of ") << value << " are not those of " << buffer;
  return success();
}

LogicalResult LocalGatherOp::verify() {
  return verifyAxis(*this, getSrc().getType(), getIndices().getType(), getType(), getAxis());
}

void LocalGatherOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(sharedAccess(Kind::Read, getSrc()));
}

LogicalResult LocalScatterOp::verify() {
  if (failed(verifyMutable(*this, getDst().getType())))
    return failure();
  return verifyAxis(*this, getDst().getType(), getIndices().getType(), getValues().getType(),
                    getAxis());
}

void LocalScatterOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(sharedAccess(Kind::Write, getDst()));
}

void LocalAtomicScatterRMWOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(sharedAccess(Kind::Read, getDst()));
  effects.push_back(sharedAccess(Kind::Write, getDst()));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static LogicalResult verifySameElement(Operation *op, MemDescType from, MemDescType to) {
  if (from.getElementType() != to.getElementType())
    return op->emitOpError("keeps the element type; got ")
           << from.getElementType() << " and " << to.getElementType();
  return success();
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  bool drops = to.getShape() == from.getShape().drop_front();
  bool scalar = from.getShape().size() == 1 && to.getShape() == ArrayRef<int64_t>{1};
  if (!drops && !scalar)
    return emitOpError("result must be the source without its first dimension; got ")
           << from << " -> " << to;
  return success();
}

LogicalResult MemDescSubsliceOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  ArrayRef<int32_t> offsets = getOffsets();
  if (offsets.size() != from.getShape().size() || to.getShape().size() != from.getShape().size())
    return emitOpError("needs one offset for each of ") << from.getShape().size() << " dimensions";
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    int64_t size = to.getShape()[dim], whole = from.getShape()[dim];
    if (offset < 0 || offset + size > whole)
      return emitOpError("dimension ") << dim << ": offset " << offset << " and size " << size
                                       << " leave the buffer of size " << whole;
    if (size == whole ? offset != 0 : (offset & (size - 1)) != 0)
      return emitOpError("dimension ")
             << dim << ": offset " << offset << " is not a multiple of the size " << size;
  }
  return success();
}

LogicalResult MemDescDynamicSubsliceOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  if (getOffsets().size() != from.getShape().size() ||
      to.getShape().size() != from.getShape().size())
    return emitOpError("needs one offset for each of ") << from.getShape().size() << " dimensions";
  for (auto [size, whole] : llvm::zip(to.getShape(), from.getShape()))
    if (size > whole)
      return emitOpError("slice of size ") << size << " exceeds the buffer of size " << whole;
  return success();
}

LogicalResult MemDescTransOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  ArrayRef<int32_t> order = getOrder();
  size_t rank = from.getShape().size();
  if (order.size() != rank || to.getShape().size() != rank)
    return emitOpError("order must be a permutation of 0..") << int(rank) - 1;
  SmallVector<bool> seen(rank);
  for (auto [dim, source] : llvm::enumerate(order)) {
    if (source < 0 || size_t(source) >= rank || seen[source])
      return emitOpError("order must be a permutation of 0..") << int(rank) - 1;
    seen[source] = true;
    if (to.getShape()[dim] != from.getShape()[source])
      return emitOpError("dimension ")
             << dim << " of the result must be dimension " << source << " of the source";
  }
  return success();
}

LogicalResult MemDescReshapeOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  if (!from.isWhole())
    return emitOpError("cannot reshape a part of a buffer: ") << from;
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("must keep the number of elements; got ")
           << from.getNumElements() << " and " << to.getNumElements();
  return success();
}

LogicalResult MemDescReinterpretOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (from.getMemorySpace() != to.getMemorySpace())
    return emitOpError("keeps the memory space; got ")
           << from.getMemorySpace() << " and " << to.getMemorySpace();
  if (isa<SharedMemorySpaceAttr>(from.getMemorySpace()) && bytesOf(to) > bytesOf(from))
    return emitOpError("result of ")
           << bytesOf(to) << " bytes exceeds the source of " << bytesOf(from) << " bytes";
  return success();
}

} // namespace tlx::ttg
