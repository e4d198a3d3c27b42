#include "compiler/analysis/SharedAllocation.h"

#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tlx {

namespace {

/// When a storage is alive, in op numbers of a pre-order walk, and the partition
/// it was made in.
struct Life {
  int64_t storage = 0;
  int64_t begin = INT64_MAX, end = -1;
  Region *partition = nullptr; ///< null: outside of any warp_specialize
  Operation *specialize = nullptr;
};

class Lives {
public:
  Lives(tt::FuncOp function, const StorageAliases &aliases) : function(function) {
    number(function);
    lives.resize(aliases.storages().size());
    for (auto [index, life] : llvm::enumerate(lives))
      life.storage = index;
    function.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (const BufferPlace *place = aliases.placeOf(result))
          extend(lives[place->storage], result, op);
    });
  }

  llvm::SmallVector<Life> lives;

private:
  /// First and last number of an op: its regions lie between.
  void number(Operation *root) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) { first[op] = next++; });
    root->walk<WalkOrder::PostOrder>([&](Operation *op) {
      int64_t end = first[op];
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Operation &inner : block)
            end = std::max(end, last[&inner]);
      last[op] = end;
    });
  }

  /// Everything that is the buffer, a part of it, or a token of work on it.
  void collect(Value value, llvm::SetVector<Value> &values) {
    if (!values.insert(value))
      return;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      for (Value result : user->getResults())
        if (isa<ttg::MemDescType, ttg::AsyncTokenType>(result.getType()))
          collect(result, values);
      if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(user))
        for (Region &region : partitions.getPartitionRegions())
          collect(region.getArgument(use.getOperandNumber()), values);
      else if (auto loop = dyn_cast<scf::ForOp>(user)) {
        if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
          collect(argument, values);
      } else if (auto loop = dyn_cast<scf::WhileOp>(user)) {
        collect(loop.getBeforeArguments()[use.getOperandNumber()], values);
      } else if (user->hasTrait<OpTrait::IsTerminator>() && isa<scf::SCFDialect>(user->getDialect())) {
        Operation *parent = user->getParentOp();
        for (Value result : parent->getResults())
          if (result.getType() == value.getType())
            collect(result, values);
        if (auto loop = dyn_cast<scf::WhileOp>(parent))
          for (Value argument : loop.getAfterArguments())
            if (argument.getType() == value.getType())
              collect(argument, values);
      }
    }
  }

  void extend(Life &life, Value buffer, Operation *definition) {
    life.begin = std::min(life.begin, first[definition]);
    life.end = std::max(life.end, last[definition]);
    if (auto partitions = definition->getParentOfType<ttg::WarpSpecializePartitionsOp>()) {
      life.specialize = partitions->getParentOp();
      Region *region = definition->getParentRegion();
      while (region->getParentOp() != partitions)
        region = region->getParentOp()->getParentRegion();
      life.partition = region;
    } else if (auto specialize = definition->getParentOfType<ttg::WarpSpecializeOp>()) {
      life.specialize = specialize;
      life.partition = &specialize.getDefaultRegion();
    }
    llvm::SetVector<Value> values;
    collect(buffer, values);
    Block *home = definition->getBlock();
    for (Value value : values)
      for (Operation *user : value.getUsers()) {
        if (livesThroughout(user)) {
          life.begin = 0;
          life.end = next;
          continue;
        }
        Operation *around = home->findAncestorOpInBlock(*user);
        life.end = std::max(life.end, last[around ? around : user]);
      }
  }

  /// An mbarrier, or memory that other CTAs write.
  static bool livesThroughout(Operation *user) {
    return isa<ttng::InitBarrierOp, ttg::RemoteShmemStoreOp, ttg::AsyncRemoteShmemStoreOp,
               ttg::AsyncRemoteShmemCopyOp, ttng::MapToRemoteBufferOp>(user);
  }

  tt::FuncOp function;
  llvm::DenseMap<Operation *, int64_t> first, last;
  int64_t next = 0;
};

bool interfere(const Life &a, const Life &b) {
  // Regions of one warp_specialize run at the same time.
  if (a.specialize && a.specialize == b.specialize && a.partition != b.partition)
    return true;
  return a.begin <= b.end && b.begin <= a.end;
}

} // namespace

SharedAllocation allocateShared(tt::FuncOp function, const StorageAliases &aliases) {
  SharedAllocation result;
  result.offsets.assign(aliases.storages().size(), -1);
  llvm::SmallVector<Life> lives;
  for (const Life &life : Lives(function, aliases).lives)
    if (life.end >= 0 && aliases.storages()[life.storage].kind == tlxd::StorageKind::Smem)
      lives.push_back(life);
  auto sizeOf = [&](const Life &life) { return aliases.storages()[life.storage].size; };
  // Large buffers first; each goes to the lowest place that is free for it.
  llvm::stable_sort(lives, [&](const Life &a, const Life &b) { return sizeOf(a) > sizeOf(b); });
  llvm::SmallVector<Life> placed;
  for (const Life &life : lives) {
    const Storage &storage = aliases.storages()[life.storage];
    int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Life &other : placed) {
        int64_t at = result.offsets[other.storage], end = at + sizeOf(other);
        if (!interfere(life, other) || offset >= end || offset + storage.size <= at)
          continue;
        offset = llvm::alignTo(end, std::max<int64_t>(1, storage.alignment));
        moved = true;
      }
    }
    result.offsets[life.storage] = offset;
    result.size = std::max(result.size, offset + storage.size);
    placed.push_back(life);
  }
  return result;
}

} // namespace tlx
