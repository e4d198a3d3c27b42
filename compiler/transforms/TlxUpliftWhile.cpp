// A `while` that counts up to a bound known before it is a `for`: provers and
// schedulers then know its trip count. MLIR has the pattern; a loop it does not
// recognise (the step is computed inside, say) stays a `while`.
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXUPLIFTWHILE
#include "compiler/transforms/Passes.h.inc"

namespace {

struct TlxUpliftWhile : public impl::TlxUpliftWhileBase<TlxUpliftWhile> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    scf::populateUpliftWhileToForPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
