// Tensor copies by the TMA unit. A tile is moved box by box (analysis/TmaBox.h),
// all by one thread.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/analysis/TmaBox.h"
#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {
namespace {

/// Calls `f` for each box of a tile: its first coordinates within the tile.
void eachBox(ArrayRef<int64_t> tile, ArrayRef<int64_t> box,
             llvm::function_ref<void(ArrayRef<int64_t>)> f) {
  SmallVector<int64_t> at(tile.size(), 0);
  for (bool more = true; more;) {
    f(at);
    more = false;
    for (size_t dim = tile.size(); dim-- > 0 && !more;) {
      at[dim] += box[dim];
      more = at[dim] < tile[dim];
      if (!more)
        at[dim] = 0;
    }
  }
}

Value policyOf(Emitter &e, tt::EvictionPolicy evict) {
  if (evict == tt::EvictionPolicy::NORMAL)
    return Value();
  return ptx::cachePolicy(e, tt::stringifyEvictionPolicy(evict));
}

/// Where this CTA's part of a tile begins in the tensor.
SmallVector<Value> partOfCta(ValueRange coordinates, const LinearLayout &layout, Emitter &e) {
  SmallVector<Value> result;
  size_t leading = coordinates.size() - layout.outs().size();
  for (auto [dim, coordinate] : llvm::enumerate(coordinates)) {
    SmallVector<int64_t> bases;
    for (unsigned bit = 0; dim >= leading && bit < layout.inBits(layout::kBlock); ++bit)
      bases.push_back(layout.basis(layout::kBlock, bit, layout::dimName(dim - leading)));
    bool same = llvm::all_of(bases, [](int64_t basis) { return basis == 0; });
    Value own = e.scalar(coordinate);
    result.push_back(same ? own : e.add(own, e.flipped(e.ctaRank(), bases)));
  }
  return result;
}

/// Whether this CTA is the first of those that hold the same part of a tile; null where each part
/// is one CTA's.
Value isFirstHolder(const LinearLayout &layout, Emitter &e) {
  int64_t copies = 0;
  for (auto [bit, basis] : llvm::enumerate(layout.bases(layout::kBlock)))
    if (llvm::all_of(basis, [](int32_t value) { return value == 0; }))
      copies |= int64_t(1) << bit;
  return copies ? e.equal(e.band(e.ctaRank(), e.i32(copies)), e.i32(0)) : Value();
}

/// Runs `issue` for each box, with shared address and coordinates filled in.
LogicalResult eachCopy(Operation *op, Emitter &e, Value descriptor, ValueRange coordinates,
                       Value buffer, ptx::TensorCopy copy,
                       llvm::function_ref<void(const ptx::TensorCopy &)> issue) {
  auto type = cast<ttg::MemDescType>(buffer.getType());
  Result<TmaBox> box = tmaBox(type.getShape(), type.getElementType(), type.getEncoding());
  if (!box)
    return op->emitError("'") << op->getName() << "': " << box.error().message;
  // Leading coordinates of a descriptor of more dimensions: of size 1 in the tile.
  if (coordinates.size() < type.getShape().size())
    return op->emitError("'") << op->getName() << "' has " << coordinates.size()
                              << " coordinates for a buffer of rank " << type.getShape().size();
  LinearLayout layout = e.layout(type), toOffset = layout.pseudoInverse();
  int64_t bytes = Emitter::memoryBits(type.getElementType()) / 8;
  Buffer place = e.buffer(buffer);
  copy.descriptor = e.scalar(descriptor);
  SmallVector<Value> first = partOfCta(coordinates, layout, e);
  eachBox(box->share, box->shape, [&](ArrayRef<int64_t> at) {
    layout::Coords within;
    for (auto [dim, value] : llvm::enumerate(at))
      within.emplace_back(layout::dimName(dim), value);
    int64_t offset = toOffset.apply(within, layout::kOffset) * bytes;
    copy.shared =
        e.add(place.base,
              e.constantOf(place.flip) == 0 ? e.i32(offset) : e.bxor(place.flip, e.i32(offset)));
    copy.coordinates.clear();
    size_t leading = coordinates.size() - at.size();
    for (size_t dim = coordinates.size(); dim-- > 0;)
      copy.coordinates.push_back(e.add(first[dim], e.i32(dim < leading ? 0 : at[dim - leading])));
    issue(copy);
  });
  return success();
}

LogicalResult lowerLoad(ttng::AsyncTMACopyGlobalToLocalOp op, Emitter &e) {
  if (op.getTwoCta())
    return op.emitError("'ttng.async_tma_copy_global_to_local' with two_cta needs sm_100a");
  if (op.getTensorMode() != ttng::TensorMode::TILED)
    return op.emitError("'ttng.async_tma_copy_global_to_local' in im2col mode has no lowering");
  ptx::TensorCopy copy;
  copy.predicate = e.band(e.isElected(), e.scalar(op.getPred()));
  copy.barrier = e.buffer(op.getBarrier()).base;
  copy.policy = policyOf(e, op.getEvict());
  if (op.getMulticastTargets())
    copy.multicast = e.resize(e.scalar(op.getMulticastTargets()), e.b.getI16Type());
  return eachCopy(op, e, op.getDesc(), op.getCoord(), op.getResult(), copy,
                  [&](const ptx::TensorCopy &one) { ptx::tensorLoad(e, one); });
}

template <typename Op> LogicalResult storeAll(Op op, Emitter &e, StringRef reduction) {
  ptx::TensorCopy copy;
  copy.predicate = e.isElected();
  if (Value first = isFirstHolder(e.layout(cast<ttg::MemDescType>(op.getSrc().getType())), e))
    copy.predicate = e.band(copy.predicate, first);
  copy.policy = policyOf(e, op.getEvict());
  if (failed(eachCopy(op, e, op.getDesc(), op.getCoord(), op.getSrc(), copy,
                      [&](const ptx::TensorCopy &one) { ptx::tensorStore(e, one, reduction); })))
    return failure();
  NVVM::CpAsyncBulkCommitGroupOp::create(e.b, e.loc);
  if (op.getToken())
    e.set(op.getToken(), Registers());
  return success();
}

LogicalResult lowerStore(ttng::AsyncTMACopyLocalToGlobalOp op, Emitter &e) {
  return storeAll(op, e, "");
}

LogicalResult lowerReduce(ttng::AsyncTMAReduceOp op, Emitter &e) {
  return storeAll(op, e, tt::stringifyDescriptorReduceKind(op.getKind()));
}

/// The source buffers may be written again: their reads are over.
LogicalResult lowerStoreWait(ttng::TMAStoreWaitOp op, Emitter &e) {
  ptx::bulkWaitGroup(e, op.getPendings(), /*readOnly=*/true);
  return success();
}

LogicalResult lowerTokenWait(ttng::TMAStoreTokenWaitOp op, Emitter &e) {
  ptx::bulkWaitGroup(e, 0, /*readOnly=*/true);
  if (op.getBarriers().empty())
    return success();
  e.taskBarrier();
  for (auto [index, barrier] : llvm::enumerate(op.getBarriers())) {
    Value predicate = e.isFirstThread();
    if (index < op.getBarrierPreds().size())
      predicate = e.band(predicate, e.scalar(op.getBarrierPreds()[index]));
    ptx::mbarrierArrive(e, predicate, e.buffer(barrier).base, 1, false);
  }
  return success();
}

LogicalResult lowerPrefetch(ttng::AsyncTMAPrefetchOp op, Emitter &e) {
  auto block = dyn_cast<tt::TensorDescType>(op.getDesc().getType());
  if (!block)
    return op.emitError("'ttng.async_tma_prefetch' in im2col mode has no lowering");
  RankedTensorType tile = block.getBlockType();
  Result<TmaBox> box = tmaBox(tile.getShape(), tile.getElementType(), tile.getEncoding());
  if (!box)
    return op.emitError("'ttng.async_tma_prefetch': ") << box.error().message;
  ptx::TensorCopy copy;
  copy.predicate = e.band(e.isElected(), e.scalar(op.getPred()));
  copy.descriptor = e.scalar(op.getDesc());
  copy.policy = policyOf(e, op.getEvict());
  eachBox(tile.getShape(), box->shape, [&](ArrayRef<int64_t> at) {
    copy.coordinates.clear();
    for (size_t dim = at.size(); dim-- > 0;)
      copy.coordinates.push_back(e.add(e.scalar(op.getCoord()[dim]), e.i32(at[dim])));
    ptx::tensorPrefetch(e, copy);
  });
  return success();
}

LogicalResult lowerPrefetchMap(ttng::PrefetchTensormapOp op, Emitter &e) {
  ptx::prefetchTensormap(e, e.isElected(), e.scalar(op.getDesc()));
  return success();
}

} // namespace

void addTma(LoweringTable &table) {
  table.add<ttng::AsyncTMACopyGlobalToLocalOp>(lowerLoad);
  table.add<ttng::AsyncTMACopyLocalToGlobalOp>(lowerStore);
  table.add<ttng::AsyncTMAReduceOp>(lowerReduce);
  table.add<ttng::TMAStoreWaitOp>(lowerStoreWait);
  table.add<ttng::TMAStoreTokenWaitOp>(lowerTokenWait);
  table.add<ttng::AsyncTMAPrefetchOp>(lowerPrefetch);
  table.add<ttng::PrefetchTensormapOp>(lowerPrefetchMap);
}

} // namespace tlx::nvidia
