// Tensor memory: verifiers, memory effects, synchronisation effects.
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/dialect/ttng/TTNGVerify.h"

using namespace mlir;
using namespace tlx::sync;

namespace tlx::ttng {

/// A register tile and the tensor-memory buffer it is moved to or from.
static LogicalResult verifyMove(Operation *op, RankedTensorType tile, ttg::MemDescType buffer) {
  if (!isa<TensorMemorySpaceAttr>(buffer.getMemorySpace()))
    return op->emitOpError("buffer must be in tensor memory; got ") << buffer;
  if (tile.getShape() != buffer.getShape() || tile.getElementType() != buffer.getElementType())
    return op->emitOpError("tile of type ") << tile << " does not fit a buffer of type " << buffer;
  return success();
}

/// Size of one tile of `encoding` for each CTA that has its own.
static LogicalResult verifyAllocation(Operation *op, ttg::MemDescType type,
                                      TensorMemoryEncodingAttr encoding) {
  auto shape = type.getAllocShape();
  if (shape.size() != 2 && shape.size() != 3)
    return op->emitOpError("buffer must have rank 2 or 3; got ") << type;
  Type element = type.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  if (bits * encoding.getColStride() > 32)
    return op->emitOpError("element width times colStride must be at most 32; got ")
           << bits << " and " << encoding.getColStride();
  auto tile = shape.take_back(2);
  if (tile[0] < encoding.getBlockM() || tile[1] < encoding.getBlockN())
    return op->emitOpError("buffer must hold a tile of ")
           << encoding.getBlockM() << "x" << encoding.getBlockN() << "; got " << type;
  return success();
}

LogicalResult TMEMAllocOp::verify() {
  auto type = getResult().getType();
  if (!isa<TensorMemorySpaceAttr>(type.getMemorySpace()))
    return emitOpError("buffer must be in tensor memory; got ") << type;
  if (!type.isWhole())
    return emitOpError("result must be a whole buffer; got ") << type;
  if (isa<TensorMemoryScalesEncodingAttr>(type.getEncoding())) {
    if (!type.getElementType().isIntOrFloat() || type.getElementTypeBitWidth() != 8)
      return emitOpError("scales must have 8 bits; got ") << type;
  } else if (auto tmem = dyn_cast<TensorMemoryEncodingAttr>(type.getEncoding())) {
    if (failed(verifyAllocation(*this, type, tmem)))
      return failure();
  } else if (isa<ttg::TTGDialect>(type.getEncoding().getDialect())) {
    return emitOpError("buffer must have a tensor-memory encoding; got ") << type.getEncoding();
  }
  if (!getSrc())
    return type.getMutableMemory()
               ? success()
               : emitOpError("a buffer without a source must be mutable; got ") << type;
  return verifyMove(*this, getSrc().getType(), type);
}

void TMEMAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // A buffer that only its source is ever written to is as good as a value.
  if (getSrc() && !getResult().getType().getMutableMemory())
    return;
  OpResult buffer = getOperation()->getOpResult(0);
  effects.emplace_back(MemoryEffects::Allocate::get(), buffer, TensorMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), buffer, TensorMemory::get());
}

static SyncEffect access(Kind kind, Value buffer, Value predicate = {}) {
  SyncEffect effect;
  effect.kind = kind;
  effect.space = Space::Tensor;
  effect.target = buffer;
  effect.predicate = predicate;
  return effect;
}

void TMEMAllocOp::getSyncEffects(SyncEffects &effects) {
  if (getSrc())
    effects.push_back(access(Kind::Write, getResult()));
}

LogicalResult TMEMLoadOp::verify() {
  auto type = getSrc().getType();
  if (failed(verifyMove(*this, getResult().getType(), type)))
    return failure();
  if (isa<TensorMemoryScalesEncodingAttr>(type.getEncoding()) ||
      isa<ttg::TTGDialect>(type.getEncoding().getDialect()))
    return emitOpError("buffer must have a tensor_memory_encoding; got ") << type.getEncoding();
  bool modified = getAbs().value_or(false) || getNaN().value_or(false);
  if (!getRedOp())
    return getRed() || modified ? emitOpError("red, abs and NaN need a redOp") : success();
  if (!getRed())
    return emitOpError("with redOp needs a result for the reduction");
  if (modified && !type.getElementType().isF32())
    return emitOpError("abs and NaN need f32 elements; got ") << type.getElementType();
  return success();
}

// tcgen05.ld and its wait.
void TMEMLoadOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Read, getSrc()));
}

LogicalResult TMEMStoreOp::verify() {
  auto type = getDst().getType();
  if (!type.getMutableMemory())
    return emitOpError("writes a buffer that is not mutable: ") << type;
  if (isa<ttg::TTGDialect>(type.getEncoding().getDialect()))
    return emitOpError("buffer must have a tensor-memory encoding; got ") << type.getEncoding();
  return verifyMove(*this, getSrc().getType(), type);
}

// tcgen05.st and its wait.
void TMEMStoreOp::getSyncEffects(SyncEffects &effects) {
  effects.push_back(access(Kind::Write, getDst(), getPred()));
}

LogicalResult TMEMSubSliceOp::verify() {
  auto src = getSrc().getType(), dst = getType();
  if (src.getElementType() != dst.getElementType())
    return emitOpError("source and result must have the same element type; got ")
           << src.getElementType() << " and " << dst.getElementType();
  if (src.getMemorySpace() != dst.getMemorySpace())
    return emitOpError("source and result must be in the same memory space");
  if (src.getShape().size() != dst.getShape().size() ||
      src.getShape().drop_back() != dst.getShape().drop_back())
    return emitOpError("slices the innermost dimension only; got ") << src << " and " << dst;
  int64_t offset = int32_t(getN()), size = dst.getShape().back();
  if (offset < 0 || offset + size > src.getShape().back())
    return emitOpError("columns ")
           << offset << " to " << offset + size << " exceed the source's " << src.getShape().back();
  if (offset & (size - 1))
    return emitOpError("first column must be a multiple of the result's ")
           << size << "; got " << offset;
  auto from = dyn_cast<TensorMemoryEncodingAttr>(src.getEncoding());
  auto to = dyn_cast<TensorMemoryEncodingAttr>(dst.getEncoding());
  if (from && to &&
      (from.getBlockM() != to.getBlockM() || from.getColStride() != to.getColStride() ||
       from.getCga() != to.getCga()))
    return emitOpError("source and result must agree in blockM, colStride and CGALayout; got ")
           << from << " and " << to;
  return success();
}

LogicalResult TMEMCopyOp::verify() {
  auto src = getSrc().getType(), dst = getDst().getType();
  if (!isa<ttg::SharedMemorySpaceAttr>(src.getMemorySpace()))
    return emitOpError("source must be in shared memory; got ") << src;
  if (!isa<TensorMemorySpaceAttr>(dst.getMemorySpace()))
    return emitOpError("destination must be in tensor memory; got ") << dst;
  if (!dst.getMutableMemory())
    return emitOpError("writes a buffer that is not mutable: ") << dst;
  auto layout = dyn_cast<ttg::NVMMASharedEncodingAttr>(src.getEncoding());
  if (isa<TensorMemoryScalesEncodingAttr>(dst.getEncoding())) {
    if (layout && (layout.getTransposed() || layout.getSwizzlingByteWidth()))
      return emitOpError("scales must come from a buffer that is neither swizzled nor transposed; "
                         "got ")
             << layout;
  } else if (auto tmem = dyn_cast<TensorMemoryEncodingAttr>(dst.getEncoding())) {
    if (src.getShape() != dst.getShape())
      return emitOpError("source and destination must have the same shape; got ")
             << src << " and " << dst;
    if (tmem.getBlockM() != 128)
      return emitOpError("blockM of the destination must be 128; got ") << tmem.getBlockM();
    if (layout && (layout.getTransposed() || !layout.getSwizzlingByteWidth()))
      return emitOpError("source must be swizzled and not transposed; got ") << layout;
    if (!src.getElementType().isIntOrFloat() || src.getElementTypeBitWidth() != 32)
      return emitOpError("elements must have 32 bits; got ") << src.getElementType();
  }
  return getBarrier() ? verifyBarrier(*this, getBarrier()) : success();
}

// tcgen05.cp: in order with the products that the same thread issues. Of a pair of
// CTAs, the even one's thread copies in both.
void TMEMCopyOp::getSyncEffects(SyncEffects &effects) {
  SyncEffect read = access(Kind::Read, getSrc());
  read.space = spaceOf(getSrc());
  read.proxy = Proxy::Async;
  read.moment = Moment::Completion;
  read.threads = Threads::Elected;
  read.group = Group::Tcgen05;
  read.barrier = getBarrier();
  read.pairLeader = pairsCtas(*this);
  SyncEffect write = read;
  write.kind = Kind::Write;
  write.space = Space::Tensor;
  write.target = getDst();
  effects.push_back(read);
  effects.push_back(write);
  if (!getBarrier())
    return;
  SyncEffect arrive = read;
  arrive.kind = Kind::BarrierArrive;
  arrive.proxy = Proxy::Generic;
  arrive.space = spaceOf(getBarrier());
  arrive.target = getBarrier();
  arrive.barrier = {};
  arrive.amount = 1;
  effects.push_back(arrive);
}

} // namespace tlx::ttng
