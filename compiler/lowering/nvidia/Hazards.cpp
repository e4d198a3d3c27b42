#include "compiler/lowering/nvidia/Hazards.h"

#include "compiler/analysis/StorageAliases.h"
#include "compiler/analysis/StorageAllocation.h"
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/lowering/nvidia/Reduce.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <set>

using namespace mlir;
using tlx::sync::Kind;
using tlx::sync::Moment;
using tlx::sync::Proxy;
using tlx::sync::Space;

namespace tlx::nvidia {
namespace {

/// Bytes of shared memory.
struct Range {
  int64_t begin = 0, end = 0;
  bool operator<(const Range &other) const {
    return std::pair(begin, end) < std::pair(other.begin, other.end);
  }
  bool meets(const Range &other) const { return begin < other.end && other.begin < end; }
};

constexpr Range kEverything{0, std::numeric_limits<int64_t>::max()};

/// What threads of a task did since they last met.
struct Pending {
  std::set<Range> reads, writes;
  /// Ordinary writes that no proxy fence has followed.
  std::set<Range> unfenced;
  /// Something happened that an arrival must not overtake.
  bool dirty = true;

  void meet() {
    reads.clear();
    writes.clear();
    dirty = false;
  }
  void merge(const Pending &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    unfenced.insert(other.unfenced.begin(), other.unfenced.end());
    dirty |= other.dirty;
  }
  bool operator==(const Pending &other) const {
    auto same = [](const std::set<Range> &a, const std::set<Range> &b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](Range x, Range y) { return x.begin == y.begin && x.end == y.end; });
    };
    return same(reads, other.reads) && same(writes, other.writes) &&
           same(unfenced, other.unfenced) && dirty == other.dirty;
  }
};

bool anyMeets(const std::set<Range> &ranges, const Range &range) {
  return llvm::any_of(ranges, [&](const Range &other) { return other.meets(range); });
}

class HazardWalk {
public:
  HazardWalk(const StorageAliases &aliases, const StorageAllocation &allocation, SharedPlan &plan)
      : aliases(aliases), allocation(allocation), plan(plan) {}

  /// Where groups of asynchronous copies write.
  void findCopies(tt::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      SmallVector<SyncEffect> effects;
      collectSyncEffects(op, effects);
      for (const SyncEffect &effect : effects)
        if (isShared(effect) && effect.kind == Kind::Write && effect.group == sync::Group::CpAsync)
          for (const Range &range : rangesOf(effect.target))
            copied.insert(range);
    });
  }

  void region(Region &region, Pending &state) {
    if (region.hasOneBlock()) {
      block(region.front(), state);
      return;
    }
    // Branches between blocks: every block begins with what any may leave behind.
    Pending all = state;
    for (bool changed = true; changed;) {
      Pending next = all;
      for (Block &one : region) {
        Pending mine = all;
        block(one, mine);
        next.merge(mine);
      }
      changed = !(next == all);
      all = next;
    }
    state = all;
  }

private:
  void block(Block &block, Pending &state) {
    for (Operation &op : block)
      operation(&op, state);
  }

  void operation(Operation *op, Pending &state) {
    if (auto specialize = dyn_cast<ttg::WarpSpecializeOp>(op)) {
      // All warps of the CTA meet at both ends.
      state.meet();
      for (Region &partition : specialize.getPartitionRegions()) {
        Pending own = state;
        region(partition, own);
      }
      region(specialize.getDefaultRegion(), state);
      state.meet();
      return;
    }
    if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      Pending before = state;
      for (Region &branch : op->getRegions()) {
        Pending own = before;
        if (!branch.empty())
          region(branch, own);
        state.merge(own);
      }
      return;
    }
    if (isa<LoopLikeOpInterface>(op)) {
      // Until another round adds nothing.
      for (bool changed = true; changed;) {
        Pending once = state;
        for (Region &body : op->getRegions())
          region(body, once);
        Pending next = state;
        next.merge(once);
        changed = !(next == state);
        state = next;
      }
      return;
    }
    accesses(op, state);
    if (op == plan.clusterEntryAfter)
      state.meet();
    if (isa<scf::ExecuteRegionOp>(op))
      region(op->getRegion(0), state);
  }

  void meet(Operation *op, Pending &state, bool fence) {
    Meeting &meeting = plan.meetings[op];
    meeting.fence |= fence;
    state.meet();
    if (meeting.fence)
      state.unfenced.clear();
  }

  void accesses(Operation *op, Pending &state) {
    if (int64_t bytes = scratchBytes(op)) {
      int64_t begin = plan.scratch.lookup(op);
      Range scratch{begin, begin + bytes};
      if (anyMeets(state.reads, scratch) || anyMeets(state.writes, scratch))
        meet(op, state, false);
      state.meet();
      state.reads.insert(scratch);
      state.unfenced.insert(scratch);
    }
    if (isQuestion(op))
      state.meet();
    SmallVector<SyncEffect> effects;
    collectSyncEffects(op, effects);
    for (const SyncEffect &effect : effects)
      before(op, effect, state);
    for (const SyncEffect &effect : effects)
      after(effect, state);
    if (!effects.empty() && !joins(effects))
      state.dirty = true;
  }

  static bool joins(ArrayRef<SyncEffect> effects) {
    return llvm::any_of(effects, [](const SyncEffect &effect) { return effect.taskBarrierBefore; });
  }

  static bool isShared(const SyncEffect &effect) { return effect.space == Space::Shared; }

  /// Initialised by one thread; used by any.
  static bool writesBarrier(const SyncEffect &effect) {
    return effect.kind == Kind::BarrierInit || effect.kind == Kind::BarrierInval;
  }
  static bool usesBarrier(const SyncEffect &effect) {
    switch (effect.kind) {
    case Kind::BarrierExpect:
    case Kind::BarrierArrive:
    case Kind::BarrierComplete:
    case Kind::BarrierWait: return true;
    default: return false;
    }
  }

  void before(Operation *op, const SyncEffect &effect, Pending &state) {
    if (effect.taskBarrierBefore && state.dirty)
      meet(op, state, false);
    if (!isShared(effect))
      return;
    bool write = effect.kind == Kind::Write || writesBarrier(effect);
    bool read = effect.kind == Kind::Read || usesBarrier(effect);
    if (!write && !read)
      return;
    // Barriers that are initialised side by side are different ones.
    bool initAfterInit = writesBarrier(effect);
    for (const Range &range : rangesOf(effect.target)) {
      bool unfenced = read && effect.proxy == Proxy::Async && anyMeets(state.unfenced, range);
      bool conflict = anyMeets(state.writes, range) || (write && anyMeets(state.reads, range));
      if (initAfterInit)
        conflict = anyMeets(state.reads, range);
      if (unfenced || conflict)
        meet(op, state, unfenced);
    }
  }

  void after(const SyncEffect &effect, Pending &state) {
    switch (effect.kind) {
    case Kind::TaskBarrier: state.meet(); return;
    case Kind::ClusterWait: state.meet(); return;
    case Kind::ProxyFence: state.unfenced.clear(); return;
    case Kind::GroupWait:
      // Each thread waited for its own: of what others issued it knows nothing.
      if (effect.group == sync::Group::CpAsync) {
        state.writes.insert(kEverything);
        state.unfenced.insert(copied.begin(), copied.end());
      } else
        state.reads.insert(kEverything);
      return;
    default: break;
    }
    if (!isShared(effect))
      return;
    for (const Range &range : rangesOf(effect.target)) {
      if (effect.kind == Kind::Read || usesBarrier(effect)) {
        state.reads.insert(range);
      } else if (writesBarrier(effect)) {
        state.writes.insert(range);
      } else if (effect.kind == Kind::Write) {
        // What an mbarrier announces is ordered by waiting for it. So are copies of a
        // thread's groups: nobody may read before a wait, which counts as their write.
        if (effect.moment == Moment::Completion && effect.barrier)
          continue;
        if (effect.group == sync::Group::CpAsync)
          continue;
        state.writes.insert(range);
        if (effect.proxy == Proxy::Generic)
          state.unfenced.insert(range);
      }
    }
  }

  /// The storages that a buffer may lie on.
  SmallVector<Range> rangesOf(Value buffer) {
    SmallVector<Range> ranges;
    llvm::DenseSet<Value> seen;
    SmallVector<Value> pending = {buffer};
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!value || !seen.insert(value).second)
        continue;
      if (const BufferPlace *place = aliases.placeOf(value)) {
        int64_t begin = allocation.addressOf(place->storage).offset;
        ranges.push_back({begin, begin + aliases.storageOf(*place).size});
      } else if (!origins(value, pending)) {
        return {kEverything};
      }
    }
    return ranges;
  }

  /// What a view, a loop's value or a capture comes from.
  static bool origins(Value value, SmallVector<Value> &into) {
    if (Operation *op = value.getDefiningOp()) {
      bool found = false;
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        if (OpOperand *init = loop.getTiedLoopInit(cast<OpResult>(value))) {
          into.push_back(init->get());
          if (BlockArgument carried = loop.getTiedLoopRegionIterArg(init))
            into.push_back(carried);
          return true;
        }
      for (Value operand : op->getOperands())
        if (isa<ttg::MemDescType>(operand.getType())) {
          into.push_back(operand);
          found = true;
        }
      return found && op->getNumRegions() == 0;
    }
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(parent)) {
      into.push_back(partitions.getOperand(argument.getArgNumber()));
      return true;
    }
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      if (OpOperand *init = loop.getTiedLoopInit(argument)) {
        into.push_back(init->get());
        if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
          into.push_back(yielded->get());
        return true;
      }
    return false;
  }

  const StorageAliases &aliases;
  const StorageAllocation &allocation;
  SharedPlan &plan;
  std::set<Range> copied;
};

} // namespace

LogicalResult findHazards(tt::FuncOp kernel, const StorageAliases &aliases,
                          const StorageAllocation &allocation, SharedPlan &plan) {
  Pending start;
  HazardWalk walk(aliases, allocation, plan);
  walk.findCopies(kernel);
  walk.region(kernel.getBody(), start);
  return success();
}

} // namespace tlx::nvidia
