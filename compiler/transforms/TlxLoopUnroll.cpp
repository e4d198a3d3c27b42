// `tl.range(..., loop_unroll_factor = n)` leaves `tt.loop_unroll_factor = n` on
// the loop. Factors above 1 unroll it here and lose the attribute; the rest of
// the iterations, where their number is not known to be a multiple, run in a
// second loop that is not to be pipelined.
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXLOOPUNROLL
#include "compiler/transforms/Passes.h.inc"

namespace {

constexpr StringLiteral kFactor = "tt.loop_unroll_factor";
constexpr StringLiteral kStages = "tt.num_stages";

struct TlxLoopUnroll : public impl::TlxLoopUnrollBase<TlxLoopUnroll> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      auto factor = loop->getAttrOfType<IntegerAttr>(kFactor);
      if (factor && factor.getInt() > 1)
        loops.push_back(loop);
    });
    // Inner loops come first: the copies of an outer body hold them unrolled.
    for (scf::ForOp loop : loops) {
      uint64_t factor = loop->getAttrOfType<IntegerAttr>(kFactor).getInt();
      loop->removeAttr(kFactor);
      FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, factor);
      if (succeeded(unrolled) && unrolled->epilogueLoopOp)
        (*unrolled->epilogueLoopOp)
            ->setAttr(kStages, IntegerAttr::get(IntegerType::get(&getContext(), 32), 1));
    }
  }
};

} // namespace
} // namespace tlx
