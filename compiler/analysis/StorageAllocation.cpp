#include "compiler/analysis/StorageAllocation.h"

#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tlx::tlxd::StorageKind;

namespace tlx {
namespace {

bool isBuffer(Value value) { return isa<ttg::MemDescType>(value.getType()); }

/// Follows every view of the buffers that lie on a storage.
class LifeFinder {
public:
  explicit LifeFinder(Operation *root) {
    root->walk<WalkOrder::PostOrder>([&](Operation *op) { numbers[op] = numbers.size(); });
  }

  /// From the first of `buffers` to the last use of any of them.
  StorageLife lifeOf(const SmallVector<Value> &buffers) {
    StorageLife life;
    life.begin = life.end = numbers.lookup(buffers.front().getDefiningOp());
    for (Value buffer : buffers) {
      int64_t at = numbers.lookup(buffer.getDefiningOp());
      life.begin = std::min(life.begin, at);
      life.end = std::max(life.end, at);
    }
    home = buffers.front().getDefiningOp()->getBlock();
    findTask(buffers.front().getDefiningOp(), life);
    seen.clear();
    for (Value buffer : buffers)
      follow(buffer);
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      for (OpOperand &use : value.getUses()) {
        if (Operation *ancestor = home->findAncestorOpInBlock(*use.getOwner()))
          life.end = std::max<int64_t>(life.end, numbers.lookup(ancestor));
        if (livesThroughout(use.getOwner()))
          life = {0, int64_t(numbers.size()), life.specialize, life.task};
        followUse(use);
      }
    }
    return life;
  }

private:
  /// The region of a warp_specialize around `op`.
  static void findTask(Operation *op, StorageLife &life) {
    for (Region *region = op->getParentRegion(); region; region = region->getParentRegion()) {
      Operation *parent = region->getParentOp();
      bool partition = isa<ttg::WarpSpecializePartitionsOp>(parent);
      if (!partition && !isa<ttg::WarpSpecializeOp>(parent))
        continue;
      life.task = region;
      life.specialize = partition ? parent->getParentOp() : parent;
      return;
    }
  }

  /// `user` makes its buffer an mbarrier, or lets other CTAs write it.
  static bool livesThroughout(Operation *user) {
    return isa<ttng::InitBarrierOp, ttng::MapToRemoteBufferOp, ttg::RemoteShmemStoreOp,
               ttg::AsyncRemoteShmemStoreOp, ttg::AsyncRemoteShmemCopyOp>(user);
  }

  void follow(Value value) {
    if (isBuffer(value) && seen.insert(value).second)
      pending.push_back(value);
  }

  void followUse(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto holder = dyn_cast<ttg::WarpSpecializePartitionsOp>(op)) {
      for (Region &region : holder.getPartitionRegions())
        follow(region.getArgument(use.getOperandNumber()));
      return;
    }
    // Views, selects, and loops and branches that hand the buffer on.
    for (Value result : op->getResults())
      follow(result);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      for (BlockArgument argument : loop.getRegionIterArgs())
        follow(argument);
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      Operation *parent = op->getParentOp();
      for (Value result : parent->getResults())
        follow(result);
      for (Region &region : parent->getRegions())
        for (BlockArgument argument : region.getArguments())
          follow(argument);
      for (Block *successor : op->getSuccessors())
        for (BlockArgument argument : successor->getArguments())
          follow(argument);
    }
  }

  llvm::DenseMap<Operation *, int64_t> numbers;
  Block *home = nullptr;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> pending;
};

/// A piece of memory: `size` units from `offset`. Tensor memory has two halves,
/// the lower 16 and the upper 16 of each 32 lanes; shared memory counts as one.
struct Piece {
  int64_t storage, offset, size;
  int half, halves;
  bool meets(const Piece &other) const {
    return offset < other.offset + other.size && other.offset < offset + size &&
           half < other.half + other.halves && other.half < half + halves;
  }
};

/// The lowest place that no piece of `taken` meets.
Piece firstFit(Piece piece, int64_t alignment, ArrayRef<Piece> taken) {
  SmallVector<int64_t> candidates{0};
  for (const Piece &other : taken)
    candidates.push_back(llvm::alignTo(other.offset + other.size, alignment));
  llvm::sort(candidates);
  for (int64_t offset : candidates)
    for (int half = 0; half + piece.halves <= 2; ++half) {
      piece.offset = offset;
      piece.half = half;
      if (llvm::none_of(taken, [&](const Piece &other) { return piece.meets(other); }))
        return piece;
    }
  llvm_unreachable("the end of the last piece is free");
}

} // namespace

StorageAllocation StorageAllocation::compute(Operation *root, const StorageAliases &aliases) {
  StorageAllocation result;
  size_t count = aliases.storages().size();
  SmallVector<SmallVector<Value>> buffers(count);
  root->walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (const BufferPlace *place = aliases.placeOf(value))
        buffers[place->storage].push_back(value);
  });
  LifeFinder finder(root);
  result.lives.resize(count);
  result.addresses.resize(count);
  SmallVector<Piece> placed[2];
  SmallVector<int64_t> order;
  for (size_t index = 0; index < count; ++index)
    if (!buffers[index].empty()) {
      result.lives[index] = finder.lifeOf(buffers[index]);
      order.push_back(index);
    }
  // Large ones first, as in fbtriton: small ones fit into what is left.
  llvm::sort(order, [&](int64_t a, int64_t b) {
    int64_t sizeA = aliases.storages()[a].size, sizeB = aliases.storages()[b].size;
    return sizeA != sizeB ? sizeA > sizeB : a < b;
  });
  for (int64_t index : order) {
    const Storage &storage = aliases.storages()[index];
    bool tensor = storage.kind == StorageKind::Tmem;
    SmallVector<Piece> taken;
    for (const Piece &other : placed[tensor])
      if (result.lives[index].overlaps(result.lives[other.storage]))
        taken.push_back(other);
    Piece piece{index, 0, storage.size, 0, tensor && storage.lanes == 64 ? 1 : 2};
    piece = firstFit(piece, tensor ? 1 : storage.alignment, taken);
    placed[tensor].push_back(piece);
    result.addresses[index] = {piece.offset, piece.half * 16};
    int64_t &total = tensor ? result.columns : result.bytes;
    total = std::max(total, piece.offset + piece.size);
  }
  return result;
}

} // namespace tlx
