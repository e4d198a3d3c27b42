#include "compiler/analysis/WarpPlan.h"

#include "compiler/analysis/HopperLimits.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {

/// Partitions of whole warp groups first, so that they begin at one.
static LogicalResult place(ttg::WarpSpecializeOp op, WarpPlan &plan) {
  ArrayRef<int32_t> sizes = op.getPartitionNumWarps();
  SmallVector<int64_t> first(sizes.size());
  int64_t end = plan.defaultWarps;
  if (std::optional<ArrayRef<int32_t>> given = op.getWarpGroupStartIds()) {
    for (auto [index, start] : llvm::enumerate(*given)) {
      first[index] = start;
      end = std::max<int64_t>(end, start + sizes[index]);
      if (start < plan.defaultWarps)
        return op.emitError("'ttg.warp_specialize' partition ")
               << index << " starts at warp " << start << ", which is one of the "
               << plan.defaultWarps << " default warps";
      for (size_t other = 0; other < index; ++other)
        if (start < first[other] + sizes[other] && first[other] < start + sizes[index])
          return op.emitError("'ttg.warp_specialize' partitions ")
                 << other << " and " << index << " both have warp "
                 << std::max<int64_t>(start, first[other]);
    }
  } else {
    SmallVector<size_t> order = llvm::to_vector(llvm::seq(sizes.size()));
    llvm::sort(order, [&](size_t a, size_t b) {
      return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
    });
    for (size_t index : order) {
      if (sizes[index] % 4 == 0)
        end = llvm::alignTo(end, 4);
      first[index] = end;
      end += sizes[index];
    }
  }
  plan.firstWarps[op] = first;
  plan.totalWarps = std::max<int64_t>(plan.totalWarps, llvm::alignTo(end, 4));
  if (plan.totalWarps > hopper::kCtaWarps)
    return op.emitError("'ttg.warp_specialize' needs ")
           << plan.totalWarps << " warps; a CTA has at most " << hopper::kCtaWarps;
  if (kFirstPartitionBarrier + sizes.size() > kHardwareBarriers)
    return op.emitError("'ttg.warp_specialize' has ")
           << sizes.size() << " partitions; a CTA has hardware barriers for "
           << kHardwareBarriers - kFirstPartitionBarrier;
  return success();
}

FailureOr<WarpPlan> planWarps(tt::FuncOp kernel, int64_t defaultWarps) {
  WarpPlan plan;
  plan.defaultWarps = plan.totalWarps = defaultWarps;
  kernel.walk([&](ttg::WarpSpecializeOp op) { plan.specializations.push_back(op); });
  bool asks = false;
  for (ttg::WarpSpecializeOp op : plan.specializations) {
    if (failed(place(op, plan)))
      return failure();
    asks |= op.getRequestedRegisters().has_value();
  }
  plan.single = plan.specializations.size() == 1 && kernel.getBody().hasOneBlock() &&
                plan.specializations.front()->getParentOp() == kernel;
  if (asks)
    plan.entryRegisters =
        std::min(hopper::kRegisters / (plan.totalWarps * hopper::kWarpSize) / 8 * 8,
                 hopper::kMostRegistersSet);
  return plan;
}

FailureOr<SmallVector<int64_t>> registersOf(ttg::WarpSpecializeOp op, const WarpPlan &plan) {
  SmallVector<int64_t> groups(plan.totalWarps / 4 + 1, 0);
  std::optional<ArrayRef<int32_t>> asked = op.getRequestedRegisters();
  if (!asked)
    return groups;
  int64_t left = plan.entryRegisters * plan.totalWarps;
  for (auto [index, count] : llvm::enumerate(*asked)) {
    if (count == -1)
      continue; // asks for nothing: keeps what it starts with
    if (count < hopper::kFewestRegistersSet || count > hopper::kMostRegistersSet)
      return op.emitError("'ttg.warp_specialize' partition ")
             << index << " asks for " << count << " registers; there are from "
             << hopper::kFewestRegistersSet << " to " << hopper::kMostRegistersSet;
    int64_t first = plan.firstWarps.lookup(op)[index];
    int64_t end = first + op.getPartitionNumWarps()[index];
    for (int64_t warp = first; warp < end; ++warp)
      groups[warp / 4] = std::max<int64_t>(groups[warp / 4], count / 8 * 8);
  }
  for (int64_t group = llvm::divideCeil(plan.defaultWarps, 4); group < plan.totalWarps / 4; ++group)
    left -= 4 * (groups[group] ? groups[group] : plan.entryRegisters);
  int64_t mine = std::min(left / plan.defaultWarps / 8 * 8, hopper::kMostRegistersSet);
  if (std::optional<uint32_t> wanted = op.getDefaultRequestedRegisters())
    mine = std::min<int64_t>(mine, int64_t(*wanted) / 8 * 8);
  if (mine < hopper::kFewestRegistersSet)
    return op.emitError("'ttg.warp_specialize' asks for more registers than there are: of ")
           << plan.entryRegisters * plan.totalWarps * hopper::kWarpSize
           << ", each of the default threads is left " << std::max<int64_t>(mine, 0)
           << " and needs " << hopper::kFewestRegistersSet;
  for (int64_t group = 0; group * 4 < plan.defaultWarps; ++group)
    groups[group] = mine;
  return groups;
}

} // namespace tlx
