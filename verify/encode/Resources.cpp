//===- Resources.cpp - what the kernel asks of the chip -------------------===//
//
// Tensor memory and shared memory that live at once, warps, registers of roles,
// hardware barriers. Sums are lower bounds: what the compiler adds (scratch,
// alignment) is not counted, so an excess found here is one.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "compiler/analysis/WarpPlan.h"

using namespace mlir;

namespace tlx::verify {

void Encoder::memory(bool tensor, int64_t limit) {
  if (!limit)
    return;
  const SmallVector<Storage> &all = aliases.storages();
  // Two storages of 64 lanes lie beside each other.
  auto halves = [&](const Storage &storage) {
    return storage.size * (tensor && storage.lanes == 64 ? 1 : 2);
  };
  auto isLive = [&](size_t storage, size_t at) {
    const StorageLife &life = allocation.lifeOf(storage);
    int64_t moment = allocation.lifeOf(at).begin;
    return (all[storage].kind == tlxd::StorageKind::Tmem) == tensor && life.begin <= moment &&
           moment <= life.end;
  };
  size_t worst = 0;
  int64_t most = 0;
  for (size_t at = 0; at < all.size(); ++at) {
    int64_t used = 0;
    for (size_t storage = 0; storage < all.size(); ++storage)
      if (isLive(storage, at))
        used += halves(all[storage]);
    if (used > most)
      most = used, worst = at;
  }
  if (most <= 2 * limit)
    return;
  const char *what = tensor ? " columns of tensor memory" : " bytes of shared memory";
  Excess excess;
  excess.message = "the kernel needs " + std::to_string(most / 2) + what + " at once; a CTA has " +
                   std::to_string(limit);
  excess.loc = locOf(all[worst].source);
  for (size_t storage = 0; storage < all.size(); ++storage)
    if (isLive(storage, worst))
      excess.parts.push_back({nameOf(all[storage].source->getResult(0), "buffer") + " has " +
                                  std::to_string(all[storage].size) +
                                  (tensor && all[storage].lanes == 64 ? " of 64 lanes" : ""),
                              locOf(all[storage].source)});
  p.excesses.push_back(std::move(excess));
}

void Encoder::resources() {
  memory(true, launch.limits.tensorColumns);
  memory(false, launch.limits.sharedBytes);
  auto kernel = dyn_cast<tt::FuncOp>(function);
  if (!kernel || StringRef(launch.target).starts_with("hip:"))
    return;
  auto refused = firstError([&] {
    FailureOr<WarpPlan> plan = planWarps(kernel, defaultWarps);
    if (failed(plan))
      return failure();
    totalWarps = plan->totalWarps;
    for (ttg::WarpSpecializeOp op : plan->specializations) {
      int own = kFirstPartitionBarrier + static_cast<int>(op.getPartitionNumWarps().size());
      p.ownNamedBarriers = std::max(p.ownNamedBarriers, own);
      if (failed(registersOf(op, *plan)))
        return failure();
    }
    return success();
  });
  if (refused)
    p.excesses.push_back(std::move(*refused));
}

} // namespace tlx::verify
