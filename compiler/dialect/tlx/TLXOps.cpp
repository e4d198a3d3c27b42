// Verifiers and folders of dialect `tlx`.
#include "compiler/dialect/tlx/TLX.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/dialect/tlx/TLXOps.cpp.inc"

namespace tlx::tlxd {

void TLXDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/tlx/TLXOps.cpp.inc"
      >();
}

LogicalResult RequireLayoutOp::verify() {
  auto from = cast<ShapedType>(getSrc().getType()), to = cast<ShapedType>(getType());
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
    return emitOpError("changes the layout only; got ") << from << " and " << to;
  if (isa<ttg::MemDescType>(from) != isa<ttg::MemDescType>(to))
    return emitOpError("cannot turn a tile into a buffer or back; got ") << from << " and " << to;
  return success();
}

OpFoldResult RequireLayoutOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : Value();
}

LogicalResult ReleaseLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getType());
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
    return emitOpError("changes the layout only; got ") << from << " and " << to;
  if (!from.getEncoding())
    return emitOpError("needs a source with an encoding; got ") << from;
  return success();
}

LogicalResult LocalAliasOp::verify() {
  if (getSrc().getType().getMemorySpace() != getType().getMemorySpace())
    return emitOpError("keeps the memory space; got ")
           << getSrc().getType().getMemorySpace() << " and " << getType().getMemorySpace();
  return success();
}

LogicalResult StorageAliasSpecOp::verify() {
  if (getType().getStorage() != getStorage())
    return emitOpError("result type must repeat storage = ")
           << stringifyStorageKind(getStorage()) << "; got " << getType();
  std::optional<int64_t> size;
  if (getBufferSizeBytes())
    size = int64_t(*getBufferSizeBytes());
  if (size && *size <= 0)
    return emitOpError("size must be positive; got ") << *size;
  if (getType().getSize() != size)
    return emitOpError("result type must repeat the size; got ") << getType();
  return success();
}

LogicalResult StorageAliasLocalAllocOp::verify() {
  bool shared = isa<ttg::SharedMemorySpaceAttr>(getType().getMemorySpace());
  if (shared != (getStorageAlias().getType().getStorage() == StorageKind::Smem))
    return emitOpError("buffer ") << getType() << " cannot live in " << getStorageAlias().getType();
  return success();
}

LogicalResult ReuseGroupOp::verify() {
  if (getElements().empty())
    return emitOpError("needs at least one element");
  if (int64_t(getGroupSize()) < 1)
    return emitOpError("group_size must be at least 1; got ") << int64_t(getGroupSize());
  if (getType().getGroupKind() != getGroupKind())
    return emitOpError("result type must repeat group_kind = ")
           << stringifyReuseGroupKind(getGroupKind()) << "; got " << getType();
  return success();
}

/// Every buffer below `value`, once; false when one occurs twice or is not
/// allocated from `spec`.
static LogicalResult checkLeaves(SetBufferOverlapOp op, Value value,
                                 llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto group = value.getDefiningOp<ReuseGroupOp>()) {
    for (Value element : group.getElements())
      if (failed(checkLeaves(op, element, seen)))
        return failure();
    return success();
  }
  auto alloc = value.getDefiningOp<StorageAliasLocalAllocOp>();
  if (!alloc)
    return op.emitOpError("every buffer must come from a storage_alias_local_alloc");
  if (alloc.getStorageAlias() != op.getStorageAliasSpec())
    return op.emitOpError("buffer belongs to another storage_alias_spec").attachNote(alloc.getLoc())
           << "allocated here";
  if (!seen.insert(alloc).second)
    return op.emitOpError("names a buffer twice").attachNote(alloc.getLoc()) << "allocated here";
  return success();
}

LogicalResult SetBufferOverlapOp::verify() {
  if (!getOverlapDef().getDefiningOp<ReuseGroupOp>())
    return emitOpError("overlap must come from a reuse_group");
  llvm::SmallPtrSet<Operation *, 8> seen;
  return checkLeaves(*this, getOverlapDef(), seen);
}

} // namespace tlx::tlxd
