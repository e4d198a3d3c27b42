// Storage that buffers share becomes one allocation of bytes, and the buffers views
// of it; where a buffer lies in its reuse group goes into the indices.
//
//   %s = tlx.storage_alias_spec           %s = ttg.local_alloc : <32768xi8>
//   %p = tlx.storage_alias_local_alloc    %p = ttg.memdesc_reinterpret %s : <4x64x64xf16>
//   memdesc_index %p[%i]                  memdesc_index %p[2 * %i + 1]
#include "compiler/transforms/Passes.h"

#include "compiler/analysis/StorageAliases.h"
#include "compiler/dialect/tlx/TLX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <array>

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXSTORAGEALIASES
#include "compiler/transforms/Passes.h.inc"

namespace {

/// The view reaches as far as the last buffer lies.
ttg::MemDescType viewType(ttg::MemDescType type, const BufferPlace &place) {
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = place.slotOf(place.count - 1) + 1;
  return ttg::MemDescType::get(type.getContext(), shape, type.getElementType(), type.getEncoding(),
                               type.getMemorySpace(), type.getMutableMemory(), shape);
}

void moveIndex(ttg::MemDescIndexOp op, const BufferPlace &place) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  Value index = op.getIndex();
  Value moved = arith::MulIOp::create(b, loc, index, constant(place.scale));
  moved = arith::AddIOp::create(b, loc, moved, constant(place.slot));
  if (place.group > 1)
    moved = arith::AddIOp::create(b, loc, moved,
                                  arith::RemSIOp::create(b, loc, index, constant(place.group)));
  op.getIndexMutable().assign(moved);
}

/// Indices of `buffer`, and of what it becomes in partitions.
LogicalResult moveIndices(Value buffer, const BufferPlace &place) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (auto index = dyn_cast<ttg::MemDescIndexOp>(user)) {
      moveIndex(index, place);
    } else if (auto holder = dyn_cast<ttg::WarpSpecializePartitionsOp>(user)) {
      for (Region &partition : holder.getPartitionRegions()) {
        Value inside = partition.getArgument(use.getOperandNumber());
        inside.setType(buffer.getType());
        if (failed(moveIndices(inside, place)))
          return failure();
      }
    } else {
      return user->emitError("'") << user->getName()
                                  << "' of a buffer that shares storage has no lowering";
    }
  }
  return success();
}

struct TlxStorageAliases : public impl::TlxStorageAliasesBase<TlxStorageAliases> {
  void runOnOperation() override {
    FailureOr<StorageAliases> aliases = StorageAliases::compute(getOperation());
    if (failed(aliases))
      return signalPassFailure();
    SmallVector<Operation *> dead;
    DenseMap<Operation *, Value> bytes;
    WalkResult walk = getOperation().walk([&](Operation *op) {
      if (isa<tlxd::SetBufferOverlapOp, tlxd::ReuseGroupOp, tlxd::StorageAliasSpecOp>(op))
        dead.push_back(op);
      auto buffer = dyn_cast<tlxd::StorageAliasLocalAllocOp>(op);
      if (!buffer)
        return WalkResult::advance();
      const BufferPlace &place = *aliases->placeOf(buffer.getResult());
      const Storage &storage = aliases->storageOf(place);
      if (storage.kind != tlxd::StorageKind::Smem)
        return WalkResult(op->emitError("storage in tensor memory has no lowering for sm_90a"));
      Value &base = bytes[storage.source];
      if (!base)
        base = allocate(storage);
      OpBuilder b(op);
      Value view = ttg::MemDescReinterpretOp::create(b, op->getLoc(),
                                                     viewType(buffer.getType(), place), base);
      buffer.getResult().replaceUsesWithIf(
          view, [](OpOperand &use) { return !isa<tlxd::ReuseGroupOp>(use.getOwner()); });
      dead.push_back(op);
      return WalkResult(place.isDirect() ? success() : moveIndices(view, place));
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    // Overlaps use groups, groups use buffers, buffers use storage.
    auto rank = [](Operation *op) {
      return isa<tlxd::SetBufferOverlapOp>(op)         ? 0
             : isa<tlxd::ReuseGroupOp>(op)             ? 1
             : isa<tlxd::StorageAliasLocalAllocOp>(op) ? 2
                                                       : 3;
    };
    std::array<SmallVector<Operation *>, 4> ranked;
    for (Operation *op : llvm::reverse(dead))
      ranked[rank(op)].push_back(op);
    for (Operation *op : llvm::concat<Operation *>(ranked[0], ranked[1], ranked[2], ranked[3]))
      op->erase();
  }

private:
  static Value allocate(const Storage &storage) {
    OpBuilder b(storage.source);
    MLIRContext *context = b.getContext();
    auto encoding = ttg::SwizzledSharedEncodingAttr::get(context, 1, 1, 1, ArrayRef<unsigned>{0u},
                                                         ArrayAttr::get(context, {}));
    auto type =
        ttg::MemDescType::get(context, {storage.size}, b.getI8Type(), encoding,
                              ttg::SharedMemorySpaceAttr::get(context), true, {storage.size});
    return ttg::LocalAllocOp::create(b, storage.source->getLoc(), type, Value(),
                                     b.getI32IntegerAttr(storage.alignment));
  }
};

} // namespace
} // namespace tlx
