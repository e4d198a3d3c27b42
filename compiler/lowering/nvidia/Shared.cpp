// Buffers in shared memory: allocations, views, loads and stores.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/SharedAccess.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/dialect/tlx/TLX.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {

/// Byte offset, in its buffer's layout, of the element at some coordinates.
static int64_t offsetOf(const LinearLayout &shared, ArrayRef<int32_t> coordinates,
                        unsigned elementBits) {
  layout::Coords at;
  for (auto [dim, value] : llvm::enumerate(coordinates))
    at.emplace_back(layout::dimName(dim), value);
  int64_t offset = shared.pseudoInverse().apply(at, layout::kOffset);
  return offset * elementBits / 8;
}

static void access(Emitter &e, RankedTensorType tile, ttg::MemDescType buffer,
                   llvm::function_ref<void(SharedAccess)> f) {
  // A view has its allocation's layout.
  LinearLayout registers = e.layout(tile);
  const LinearLayout &shared = e.layout(buffer);
  for (const LinearLayout::Dim &dim : shared.outs())
    registers = registers.resizeOut(dim.name, dim.bits);
  f(SharedAccess(e, registers, shared, e.scalarType(tile)));
}

static LogicalResult lowerAlloc(ttg::LocalAllocOp op, Emitter &e) {
  Buffer buffer{e.sharedAddress(e.plan.offsets.lookup(op.getResult())), e.i32(0)};
  e.set(op.getResult(), buffer);
  if (op.getSrc())
    access(e, cast<RankedTensorType>(op.getSrc().getType()), op.getType(),
           [&](SharedAccess tile) { tile.store(buffer, e.get(op.getSrc())); });
  return success();
}

static LogicalResult lowerAlias(tlxd::LocalAliasOp op, Emitter &e) {
  e.set(op->getResult(0),
        Buffer{e.sharedAddress(e.plan.offsets.lookup(op->getResult(0))), e.i32(0)});
  return success();
}

static LogicalResult lowerDealloc(ttg::LocalDeallocOp, Emitter &) { return success(); }

static LogicalResult lowerLoad(ttg::LocalLoadOp op, Emitter &e) {
  Buffer buffer = e.buffer(op.getSrc());
  access(e, cast<RankedTensorType>(op.getType()), cast<ttg::MemDescType>(op.getSrc().getType()),
         [&](SharedAccess tile) { e.set(op.getResult(), tile.load(buffer)); });
  return success();
}

static LogicalResult lowerStore(ttg::LocalStoreOp op, Emitter &e) {
  Buffer buffer = e.buffer(op.getDst());
  access(e, cast<RankedTensorType>(op.getSrc().getType()),
         cast<ttg::MemDescType>(op.getDst().getType()),
         [&](SharedAccess tile) { tile.store(buffer, e.get(op.getSrc())); });
  return success();
}

static LogicalResult lowerIndex(ttg::MemDescIndexOp op, Emitter &e) {
  auto type = cast<ttg::MemDescType>(op.getSrc().getType());
  Result<layout::EncodingPtr> encoding = describeEncoding(type.getEncoding());
  // All buffers of the leading dimension have the size of one.
  int64_t count = 1;
  for (int64_t size : type.getAllocShape().drop_front())
    count *= size;
  unsigned rank = encodedRank(type), leading = type.getShape().size() - rank;
  int64_t stride = count;
  if (leading > 0) {
    Result<layout::BufferLayout> buffers = layout::bufferLayout(
        **encoding, {type.getAllocShape().begin(), type.getAllocShape().end()});
    if (!buffers)
      return op.emitError(buffers.error().message);
    stride = buffers->stride;
    for (unsigned dim = 1; dim < leading; ++dim)
      stride *= type.getAllocShape()[dim];
  }
  int64_t bytes = stride * Emitter::memoryBits(type.getElementType()) / 8;
  Buffer source = e.buffer(op.getSrc());
  Value moved = e.add(source.base, e.mul(e.scalar(op.getIndex()), e.i32(bytes)));
  e.set(op.getResult(), Buffer{moved, source.flip});
  return success();
}

static LogicalResult lowerSubslice(ttg::MemDescSubsliceOp op, Emitter &e) {
  auto from = cast<ttg::MemDescType>(op.getSrc().getType());
  auto to = cast<ttg::MemDescType>(op.getType());
  ArrayRef<int32_t> offsets = op.getOffsets();
  for (auto [offset, size] : llvm::zip(offsets, to.getShape()))
    if (offset % size != 0)
      return op.emitError("'ttg.memdesc_subslice' offset must be a multiple of the size; got ")
             << offset << " for " << size;
  int64_t bytes = offsetOf(e.layout(from), offsets, Emitter::memoryBits(from.getElementType()));
  Buffer source = e.buffer(op.getSrc());
  e.set(op.getResult(), Buffer{source.base, e.bxor(source.flip, e.i32(bytes))});
  return success();
}

/// Views that only change how the same bytes are seen.
template <typename Op> static LogicalResult lowerView(Op op, Emitter &e) {
  e.set(op.getResult(), e.buffer(op.getSrc()));
  return success();
}

void addShared(LoweringTable &table) {
  table.add<ttg::LocalAllocOp>(lowerAlloc);
  table.add<tlxd::LocalAliasOp>(lowerAlias);
  table.add<ttg::LocalDeallocOp>(lowerDealloc);
  table.add<ttg::LocalLoadOp>(lowerLoad);
  table.add<ttg::LocalStoreOp>(lowerStore);
  table.add<ttg::MemDescIndexOp>(lowerIndex);
  table.add<ttg::MemDescSubsliceOp>(lowerSubslice);
  table.add<ttg::MemDescTransOp>(lowerView<ttg::MemDescTransOp>);
  table.add<ttg::MemDescReshapeOp>(lowerView<ttg::MemDescReshapeOp>);
  table.add<ttg::MemDescReinterpretOp>(lowerView<ttg::MemDescReinterpretOp>);
}

} // namespace tlx::nvidia
