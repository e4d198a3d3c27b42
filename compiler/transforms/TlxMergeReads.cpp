// Two equal reads with no write of that memory between them are one. MLIR 22's
// CSE stops at a write to any memory; fbtriton's asks which:
//
//   %a = tt.load %p
//   ttg.local_store %t, %buffer        // shared memory: %p is global
//   %b = tt.load %p                    // -> %a
//
// An mbarrier operation writes shared memory and nothing else here, so that a
// global read moves up across a wait. That is what fbtriton compiles, whatever
// the author meant by it.
#include "compiler/transforms/Passes.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMapInfo.h"

using namespace mlir;
using tlx::sync::Kind;

namespace tlx {
#define GEN_PASS_DEF_TLXMERGEREADS
#include "compiler/transforms/Passes.h.inc"

namespace {

using Resources = SmallVector<SideEffects::Resource *, 2>;

/// The memory that `op` reads when reading is all it does; empty otherwise.
Resources readOnlyResources(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || op->getNumRegions() || op->getNumResults() == 0 ||
      op->hasTrait<OpTrait::IsTerminator>())
    return {};
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  Resources resources;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Read>(effect.getEffect()))
      return {};
    resources.push_back(effect.getResource());
  }
  return resources;
}

bool isMbarrierKind(Kind kind) {
  switch (kind) {
  case Kind::BarrierInit:
  case Kind::BarrierInval:
  case Kind::BarrierExpect:
  case Kind::BarrierArrive:
  case Kind::BarrierComplete:
  case Kind::BarrierWait: return true;
  default: return false;
  }
}

/// What a block's ops have written so far: every resource's latest writer, as a
/// running number.
class Writes {
public:
  /// Takes `op` into account.
  void add(Operation *op) {
    ++now;
    if (isMemoryEffectFree(op))
      return;
    if (auto effects = getEffectsRecursively(op)) {
      for (const MemoryEffects::EffectInstance &effect : *effects)
        if (!isa<MemoryEffects::Read>(effect.getEffect()))
          write(op, effect.getResource());
      return;
    }
    if (touchesBarriersOnly(op))
      write(op, ttg::SharedMemory::get());
    else
      everything = now;
  }

  bool since(unsigned moment, const Resources &resources) const {
    return everything > moment || llvm::any_of(resources, [&](SideEffects::Resource *resource) {
             auto at = latest.find(resource);
             return at != latest.end() && at->second > moment;
           });
  }

  unsigned moment() const { return now; }

private:
  void write(Operation *op, SideEffects::Resource *resource) {
    // The order of ops is a fact about all memory where the op says no more.
    bool orders = resource == ttg::SyncState::get() && !isa<SyncEffectsOpInterface>(op);
    if (resource == SideEffects::DefaultResource::get() || orders || isBarrierOverThreads(op))
      everything = now;
    latest[resource] = now;
  }

  static SmallVector<SyncEffect> syncEffects(Operation *op) {
    SmallVector<SyncEffect> effects;
    if (auto interface = dyn_cast<SyncEffectsOpInterface>(op))
      interface.getSyncEffects(effects);
    return effects;
  }

  static bool touchesBarriersOnly(Operation *op) {
    SmallVector<SyncEffect> effects = syncEffects(op);
    return !effects.empty() && llvm::all_of(effects, [](const SyncEffect &effect) {
      return isMbarrierKind(effect.kind);
    });
  }

  static bool isBarrierOverThreads(Operation *op) {
    return llvm::any_of(syncEffects(op), [](const SyncEffect &effect) {
      return effect.kind == Kind::TaskBarrier || effect.kind == Kind::NamedBarrierSync ||
             effect.kind == Kind::ClusterWait || effect.kind == Kind::MemoryFence;
    });
  }

  unsigned now = 0, everything = 0;
  llvm::DenseMap<SideEffects::Resource *, unsigned> latest;
};

/// Ops equal but for their location.
struct SameOp : public llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a),
                                                const_cast<Operation *>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};

void mergeIn(Block &block) {
  Writes writes;
  llvm::DenseMap<Operation *, unsigned, SameOp> reads;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    Resources resources = readOnlyResources(&op);
    if (resources.empty()) {
      writes.add(&op);
      continue;
    }
    auto at = reads.find(&op);
    if (at != reads.end() && !writes.since(at->second, resources)) {
      op.replaceAllUsesWith(at->first->getResults());
      op.erase();
      continue;
    }
    if (at != reads.end())
      reads.erase(at);
    reads[&op] = writes.moment();
  }
}

struct TlxMergeReads : public impl::TlxMergeReadsBase<TlxMergeReads> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      mergeIn(*block);
  }
};

} // namespace
} // namespace tlx
