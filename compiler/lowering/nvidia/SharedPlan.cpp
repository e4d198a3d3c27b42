#include "compiler/lowering/nvidia/SharedPlan.h"

#include "compiler/analysis/ClusterSync.h"
#include "compiler/analysis/HopperLimits.h"
#include "compiler/analysis/StorageAliases.h"
#include "compiler/analysis/StorageAllocation.h"
#include "compiler/lowering/nvidia/Hazards.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx::nvidia {

/// All banks once.
constexpr int64_t kScratchAlignment = 128;

Region *taskOf(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (isa<tt::FuncOp, ttg::WarpSpecializePartitionsOp>(parent))
      return region;
  }
  return nullptr;
}

/// Bytes in which operations of a task have scratch each for itself: one need not wait until
/// everybody has read what the one before left.
constexpr int64_t kOwnScratch = 4 * 1024;

/// Places scratch on buffers that have been given back. Nothing is in flight there any more,
/// and the walk for hazards sees who still reads.
class FreedMemory {
public:
  FreedMemory(tt::FuncOp kernel, const StorageAliases &aliases, const StorageAllocation &allocation)
      : entry(&kernel.getBody().front()), bytes(allocation.sharedBytes()) {
    SmallVector<unsigned> buffers(aliases.storages().size());
    SmallVector<ttg::LocalDeallocOp> deallocs(aliases.storages().size());
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (const BufferPlace *place = aliases.placeOf(result))
          ++buffers[place->storage];
    });
    for (auto dealloc : entry->getOps<ttg::LocalDeallocOp>())
      if (const BufferPlace *place = aliases.placeOf(dealloc.getSrc()))
        if (buffers[place->storage] == 1)
          deallocs[place->storage] = dealloc;
    for (auto [index, storage] : llvm::enumerate(aliases.storages()))
      if (storage.kind == tlxd::StorageKind::Smem && buffers[index] > 0)
        storages.push_back({allocation.addressOf(index).offset, storage.size, deallocs[index]});
  }

  /// Where `size` bytes are free at `op`.
  std::optional<int64_t> find(Operation *op, int64_t size) const {
    if (op->getParentOfType<ttg::WarpSpecializeOp>())
      return std::nullopt;
    Operation *at = entry->findAncestorOpInBlock(*op);
    auto isFree = [&](int64_t offset) {
      return offset + size <= bytes && llvm::all_of(storages, [&](const Storage &one) {
               return offset + size <= one.offset || one.offset + one.size <= offset ||
                      isFreed(one, at);
             });
    };
    SmallVector<int64_t> candidates = {0};
    for (const Storage &one : storages)
      candidates.push_back(llvm::alignTo(one.offset + one.size, kScratchAlignment));
    auto found = llvm::find_if(candidates, isFree);
    return found == candidates.end() ? std::nullopt : std::optional(*found);
  }

private:
  struct Storage {
    int64_t offset, size;
    ttg::LocalDeallocOp dealloc; ///< null: none that comes for certain
  };

  static bool isFreed(const Storage &storage, Operation *at) {
    return storage.dealloc && at && storage.dealloc->isBeforeInBlock(at);
  }

  Block *entry;
  int64_t bytes;
  SmallVector<Storage> storages;
};

/// Default regions run on the warps that reached them: they share the scratch of
/// the code around them. Partitions have their own.
static void placeScratch(tt::FuncOp kernel, const FreedMemory &freed, int64_t own,
                         SharedPlan &plan) {
  llvm::MapVector<Region *, SmallVector<std::pair<Operation *, int64_t>>> tasks;
  kernel.walk([&](Operation *op) {
    int64_t bytes = scratchBytes(op);
    if (bytes == 0)
      return;
    if (std::optional<int64_t> offset = freed.find(op, bytes))
      plan.scratch[op] = *offset;
    else
      tasks[taskOf(op)].push_back({op, bytes});
  });
  for (auto &[region, ops] : tasks) {
    int64_t begin = llvm::alignTo(plan.bytes, kScratchAlignment), next = begin, shared = 0;
    SmallVector<Operation *> sharing;
    for (auto [op, bytes] : ops) {
      if (next + bytes - begin > own) {
        sharing.push_back(op);
        shared = std::max(shared, bytes);
        continue;
      }
      plan.scratch[op] = next;
      next = llvm::alignTo(next + bytes, kScratchAlignment);
    }
    for (Operation *op : sharing)
      plan.scratch[op] = next;
    plan.bytes = next + shared;
  }
}

bool isRecomputed(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<tt::FuncOp>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  Operation *op = value.getDefiningOp();
  auto alloc = dyn_cast<ttg::LocalAllocOp>(op);
  bool plain = alloc ? !alloc.getSrc()
                     : (isPure(op) && op->getNumRegions() == 0 &&
                        llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>));
  return plain && llvm::all_of(op->getOperands(), isRecomputed);
}

static void placeCaptures(tt::FuncOp kernel, SharedPlan &plan) {
  plan.bytes = llvm::alignTo(plan.bytes, 8);
  plan.state = plan.bytes;
  int64_t words = 1;
  kernel.walk([&](ttg::WarpSpecializeOp op) {
    for (Value capture : op.getCaptures())
      if (!isRecomputed(capture) &&
          plan.captures.try_emplace(capture, plan.bytes + 8 * words).second)
        words += isa<ttg::MemDescType>(capture.getType()) ? 2 : 1;
  });
  bool specialised =
      !kernel.getBody().empty() &&
      kernel.walk([](ttg::WarpSpecializeOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (specialised)
    plan.bytes += 8 * words;
}

static void placeGlobalScratch(tt::FuncOp kernel, SharedPlan &plan) {
  kernel.walk([&](ttg::GlobalScratchAllocOp op) {
    int64_t alignment = op.getAlignment();
    plan.globalBytes = llvm::alignTo(plan.globalBytes, alignment);
    plan.globalOffsets[op] = plan.globalBytes;
    plan.globalBytes += op.getNbytes();
    plan.globalAlignment = std::max(plan.globalAlignment, alignment);
  });
  plan.globalBytes = llvm::alignTo(plan.globalBytes, plan.globalAlignment);
}

static bool isCluster(tt::FuncOp kernel) {
  int64_t ctas = 1;
  auto module = kernel->getParentOfType<ModuleOp>();
  for (const char *name :
       {"ttg.cluster-dim-x", "ttg.cluster-dim-y", "ttg.cluster-dim-z", "ttg.num-ctas"})
    if (auto size = module->getAttrOfType<IntegerAttr>(name))
      ctas *= size.getInt();
  return ctas > 1;
}

/// Whether ordinary accesses leave the CTA, or others' reach in. What TMA and wgmma
/// do is complete when it has been waited for.
static bool touchesOtherCtas(tt::FuncOp kernel) {
  auto leaves = [](const SyncEffect &effect) {
    bool access = effect.kind == sync::Kind::Write || effect.kind == sync::Kind::Read;
    bool outside = effect.space == sync::Space::SharedCluster ||
                   (effect.space == sync::Space::Global && effect.kind == sync::Kind::Write);
    return access && outside && effect.proxy == sync::Proxy::Generic;
  };
  return kernel
      .walk([&](Operation *op) {
        SmallVector<SyncEffect> effects;
        collectSyncEffects(op, effects);
        return llvm::any_of(effects, leaves) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<SharedPlan> planShared(tt::FuncOp kernel) {
  SharedPlan plan;
  if (isCluster(kernel)) {
    plan.clusterEntryAfter = lowerClusterSync(kernel).entryAfter;
    plan.releasesToCluster = touchesOtherCtas(kernel);
  }
  FailureOr<StorageAliases> aliases = StorageAliases::compute(kernel);
  if (failed(aliases))
    return failure();
  StorageAllocation allocation = StorageAllocation::compute(kernel, *aliases);
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (const BufferPlace *place = aliases->placeOf(result))
        plan.offsets[result] = allocation.addressOf(place->storage).offset;
  });
  FreedMemory freed(kernel, *aliases, allocation);
  for (int64_t own : {kOwnScratch, int64_t(0)}) {
    plan.bytes = allocation.sharedBytes();
    plan.scratch.clear();
    plan.captures.clear();
    placeScratch(kernel, freed, own, plan);
    placeCaptures(kernel, plan);
    if (plan.bytes <= hopper::kCtaSharedBytes)
      break;
  }
  if (plan.bytes > hopper::kCtaSharedBytes)
    return kernel.emitError("'") << kernel.getName() << "' needs " << plan.bytes
                                 << " bytes of shared memory; a CTA has "
                                 << hopper::kCtaSharedBytes;
  placeGlobalScratch(kernel, plan);
  if (failed(findHazards(kernel, *aliases, allocation, plan)))
    return failure();
  return plan;
}

} // namespace tlx::nvidia
