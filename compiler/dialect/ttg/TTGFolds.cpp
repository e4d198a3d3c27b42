// Canonical forms of dialect `ttg`.
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tlx::ttg {

// A tile written to memory as it was read needs no second buffer.
OpFoldResult LocalAllocOp::fold(FoldAdaptor) {
  if (getType().getMutableMemory() || !getSrc())
    return {};
  auto load = getSrc().getDefiningOp<LocalLoadOp>();
  if (!load || load.getSrc().getType() != getType())
    return {};
  return load.getSrc();
}

OpFoldResult MemDescTransOp::fold(FoldAdaptor) {
  bool identity = llvm::all_of(llvm::enumerate(getOrder()),
                               [](auto entry) { return int64_t(entry.index()) == entry.value(); });
  if (identity && getSrc().getType() == getType())
    return getSrc();
  auto inner = getSrc().getDefiningOp<MemDescTransOp>();
  if (!inner)
    return {};
  SmallVector<int32_t> order;
  for (int32_t dim : getOrder())
    order.push_back(inner.getOrder()[dim]);
  setOrder(order);
  setOperand(inner.getSrc());
  return getResult();
}

OpFoldResult MemDescReinterpretOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : Value();
}

LogicalResult MemDescSubsliceOp::canonicalize(MemDescSubsliceOp op, PatternRewriter &rewriter) {
  auto inner = op.getSrc().getDefiningOp<MemDescSubsliceOp>();
  if (!inner)
    return failure();
  SmallVector<int32_t> offsets(op.getOffsets());
  for (auto [offset, before] : llvm::zip(offsets, inner.getOffsets()))
    offset += before;
  rewriter.replaceOpWithNewOp<MemDescSubsliceOp>(op, op.getType(), inner.getSrc(), offsets);
  return success();
}

/// The positions in `used` that are false.
static llvm::BitVector unusedOf(ArrayRef<bool> used) {
  llvm::BitVector unused(used.size());
  for (auto [index, isUsed] : llvm::enumerate(used))
    if (!isUsed)
      unused.set(index);
  return unused;
}

// Values that no partition reads are not captured, nor is one twice; results that
// nobody reads are not yielded.
LogicalResult WarpSpecializeOp::canonicalize(WarpSpecializeOp op, PatternRewriter &rewriter) {
  WarpSpecializePartitionsOp holder = op.getPartitionsOp();
  bool changed = false;
  if (holder) {
    llvm::DenseMap<Value, unsigned> first;
    for (auto [index, capture] : llvm::enumerate(holder.getExplicitCaptures()))
      if (auto [at, isNew] = first.try_emplace(capture, index); !isNew)
        for (Region &region : holder.getPartitionRegions())
          rewriter.replaceAllUsesWith(region.getArgument(index), region.getArgument(at->second));
    SmallVector<bool> used(holder.getExplicitCaptures().size());
    for (Region &region : holder.getPartitionRegions())
      for (BlockArgument argument : region.getArguments())
        used[argument.getArgNumber()] |= !argument.use_empty();
    llvm::BitVector unused = unusedOf(used);
    if (unused.any()) {
      changed = true;
      for (Region &region : holder.getPartitionRegions())
        region.front().eraseArguments(unused);
      rewriter.modifyOpInPlace(holder, [&] { holder->eraseOperands(unused); });
    }
  }

  SmallVector<bool> read;
  for (OpResult result : op.getResults())
    read.push_back(!result.use_empty());
  llvm::BitVector unread = unusedOf(read);
  if (!unread.any())
    return success(changed);
  for (Block &block : op.getDefaultRegion())
    if (auto yield = dyn_cast<WarpYieldOp>(block.getTerminator()))
      rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(unread); });
  // The op cannot shed results in place: its regions move to one that has fewer.
  SmallVector<Type> types;
  SmallVector<Value> kept;
  for (OpResult result : op.getResults())
    if (!result.use_empty()) {
      types.push_back(result.getType());
      kept.push_back(result);
    }
  OperationState state(op.getLoc(), op->getName(), op->getOperands(), types, op->getAttrs());
  state.addRegion();
  state.addRegion();
  auto smaller = cast<WarpSpecializeOp>(rewriter.create(state));
  smaller.getDefaultRegion().takeBody(op.getDefaultRegion());
  smaller.getPartitionOpHolder().takeBody(op.getPartitionOpHolder());
  for (auto [from, to] : llvm::zip(kept, smaller.getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
  return success();
}

} // namespace tlx::ttg
