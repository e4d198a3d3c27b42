// A product that takes more registers than a thread has would live in memory. A kernel whose
// warps all do the same is given twice the warps then, as often as it needs:
//
//   num-warps = 4, 128 x 256 in #mma<warpsPerCTA = [4, 1]>   256 registers a thread
//   num-warps = 8, 128 x 256 in #mma<warpsPerCTA = [8, 1]>   128
//
// Nothing in such a kernel may count threads: the operations that may occur are listed here. A
// GEMM of 4096 cubed takes a fifth of the time then on an H200.
#include "compiler/transforms/Passes.h"

#include "compiler/analysis/HopperLimits.h"
#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/ttg/TTG.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"

#include <algorithm>

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXMOREWARPS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Registers that a thread needs beside a product's.
constexpr int64_t kOthers = 32;

/// Rows of a warp's part of a product and columns that it has at most (PTX ISA,
/// "wgmma.mma_async").
constexpr int64_t kWarpRows = 16, kMostColumns = 256;
constexpr int64_t kMostWarps = 16;

/// Whether an operation does the same for any number of warps.
bool anyNumberOfWarps(Operation *op) {
  if (auto arrive = dyn_cast<ttng::ArriveBarrierOp>(op))
    return !arrive.getPerThread();
  if (isa<ModuleOp, ttng::WarpGroupDotOp, ttng::WarpGroupDotWaitOp, ttng::FenceAsyncSharedOp,
          ttng::InitBarrierOp, ttng::InvalBarrierOp, ttng::BarrierExpectOp, ttng::WaitBarrierOp,
          ttng::AsyncTMACopyGlobalToLocalOp, ttng::AsyncTMACopyLocalToGlobalOp,
          ttng::TMAStoreWaitOp, tlxd::RequireLayoutOp, tlxd::ReleaseLayoutOp>(op))
    return true;
  if (isa<ttg::WarpSpecializeOp, ttg::WarpSpecializePartitionsOp, ttg::WarpIdOp,
          tt::ElementwiseInlineAsmOp, tt::CatOp>(op))
    return false;
  return isa<arith::ArithDialect, math::MathDialect, scf::SCFDialect, cf::ControlFlowDialect,
             tt::TTDialect, ttg::TTGDialect>(op->getDialect());
}

/// A product's layout over twice as many warps; null: another layout.
Attribute spread(ttg::NvidiaMmaEncodingAttr layout) {
  SmallVector<unsigned> warps(layout.getWarpsPerCTA());
  warps[0] *= 2;
  return ttg::NvidiaMmaEncodingAttr::get(layout.getContext(), layout.getVersionMajor(),
                                         layout.getVersionMinor(), warps, layout.getCga(),
                                         layout.getInstrShape());
}

struct TlxMoreWarps : public impl::TlxMoreWarpsBase<TlxMoreWarps> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto warps = module->getAttrOfType<IntegerAttr>("ttg.num-warps");
    auto ctas = module->getAttrOfType<IntegerAttr>("ttg.num-ctas");
    if (!warps || (ctas && ctas.getInt() != 1) || !mayChange(module))
      return;
    for (int64_t number = warps.getInt(); number < kMostWarps && tooFew(module, number);) {
      AttrTypeReplacer replacer;
      replacer.addReplacement([](ttg::NvidiaMmaEncodingAttr layout) { return spread(layout); });
      replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
      number *= 2;
      module->setAttr("ttg.num-warps", IntegerAttr::get(warps.getType(), number));
    }
  }

private:
  /// Whether all operations allow it, and all layouts of registers are products'.
  static bool mayChange(ModuleOp module) {
    auto pinned = [](Type type) {
      auto tile = dyn_cast<RankedTensorType>(type);
      return tile && tile.getEncoding() && !isa<ttg::NvidiaMmaEncodingAttr>(tile.getEncoding());
    };
    return !module
                .walk([&](Operation *op) {
                  bool other = !anyNumberOfWarps(op) ||
                               llvm::any_of(op->getResultTypes(), pinned) ||
                               llvm::any_of(op->getOperandTypes(), pinned);
                  return other ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// Whether a product does not fit in its threads' registers, has rows for more of them, and
  /// each of twice as many threads has registers for one instruction of every product.
  static bool tooFew(ModuleOp module, int64_t warps) {
    bool found = false, fits = true;
    module.walk([&](Operation *op) {
      if (!isa<ttng::WarpGroupDotOp, tt::DotOp>(op))
        return;
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      auto registersOf = [&](int64_t elements) {
        return elements * type.getElementTypeBitWidth() / 32 / hopper::kWarpSize;
      };
      int64_t columns = std::min(type.getShape().back(), kMostColumns);
      fits &= (registersOf(kWarpRows * columns) + kOthers) * hopper::kWarpSize * 2 * warps <=
              hopper::kRegisters;
      found |= registersOf(type.getNumElements()) / warps > hopper::kThreadRegisters &&
               type.getDimSize(0) >= kWarpRows * 2 * warps;
    });
    return found && fits;
  }
};

} // namespace
} // namespace tlx
