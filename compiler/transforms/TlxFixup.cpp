// The front end's module, made a legal one. It knows neither the target nor the
// number of warps, and its helper functions were written before the layouts of
// their callers' tiles were pinned. In order:
//
//   1. what TLX asks of a module is checked;
//   2. modules that use TLX get the launch parameters as attributes (plain
//      Triton modules get them later, with their layouts);
//   3. calls and arithmetic agree on layout pins (LayoutPins.h).
#include "compiler/transforms/Passes.h"

#include "compiler/transforms/LayoutPins.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttg/TTG.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXFIXUP
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Ops that place data in local memory by hand.
const llvm::StringSet<> &localMemoryOps() {
  static const llvm::StringSet<> names = {
      "ttg.local_load",
      "ttg.local_store",
      "ttng.async_tma_copy_global_to_local",
      "ttng.async_tma_copy_local_to_global",
      "ttng.tmem_alloc",
      "ttng.tmem_load",
      "ttng.tmem_store",
      "ttng.tc_gen5_mma",
  };
  return names;
}

bool isMma(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "ttng.tc_gen5_mma" || name == "ttng.tc_gen5_mma_scaled";
}

/// What a module uses, as far as its attributes depend on it.
struct Usage {
  bool tlxOps = false, localMemory = false, warpSpecialization = false, pairedMma = false;
  Operation *unpairedMma = nullptr, *remoteView = nullptr;
  SmallVector<ttg::WarpSpecializeOp> specializations;

  bool isTlx() const { return tlxOps || localMemory || warpSpecialization || pairedMma; }
};

Usage usageOf(ModuleOp module) {
  Usage usage;
  module.walk([&](Operation *op) {
    usage.tlxOps |= isa<tlxd::TLXDialect>(op->getDialect());
    usage.localMemory |= localMemoryOps().contains(op->getName().getStringRef());
    if (auto specialize = dyn_cast<ttg::WarpSpecializeOp>(op)) {
      usage.warpSpecialization = true;
      usage.specializations.push_back(specialize);
    }
    if (isMma(op)) {
      if (op->hasAttr("two_ctas"))
        usage.pairedMma = true;
      else if (!usage.unpairedMma)
        usage.unpairedMma = op;
    }
    if (op->getName().getStringRef() == "ttng.map_to_remote_buffer" && !usage.remoteView)
      usage.remoteView = op;
  });
  return usage;
}

LogicalResult checkCaptures(ttg::WarpSpecializeOp op) {
  for (auto [index, capture] : llvm::enumerate(op.getCaptures()))
    if (isa<RankedTensorType>(capture.getType())) {
      InFlightDiagnostic error = op.emitOpError("captures a tile, ")
                                 << capture.getType() << "; partitions share memory, not registers";
      error.attachNote(capture.getLoc()) << "the tile is made here";
      return error;
    }
  return success();
}

class Fixup {
public:
  Fixup(ModuleOp module, StringRef target, int numWarps, int numCtas, int threadsPerWarp,
        ArrayRef<int64_t> cluster)
      : module(module), target(target), numWarps(numWarps), numCtas(numCtas),
        threadsPerWarp(threadsPerWarp), cluster(cluster), usage(usageOf(module)) {}

  LogicalResult run() {
    if (failed(check()) || failed(checkAgreement()))
      return failure();
    if (usage.isTlx() && failed(annotate()))
      return failure();
    return agreeOnLayoutPins(module);
  }

private:
  LogicalResult check() {
    for (ttg::WarpSpecializeOp op : usage.specializations)
      if (failed(checkCaptures(op)))
        return failure();
    if (numWarps < 0 || (numWarps && !llvm::isPowerOf2_32(numWarps)))
      return module.emitError("needs a number of warps that is a power of two; got ") << numWarps;
    if (usage.pairedMma) {
      if (numCtas != 1)
        return module.emitError("MMAs over two CTAs need num_ctas = 1 with a cluster shape; got ")
               << numCtas;
      if (usage.unpairedMma)
        return usage.unpairedMma->emitOpError(
            "uses one CTA in a module whose other MMAs use two; all must agree");
      return success();
    }
    if (usage.remoteView && !cluster.empty() && numCtas == 1 &&
        llvm::all_of(cluster, [](int64_t size) { return size == 1; }))
      return usage.remoteView->emitOpError(
          "views another CTA's memory, but the launch has no cluster");
    return success();
  }

  /// A module that already says something must not be told otherwise.
  LogicalResult checkAgreement() {
    auto agrees = [&](StringRef key, int64_t given, StringRef what) -> LogicalResult {
      auto present = module->getAttrOfType<IntegerAttr>(key);
      if (!present || !given || present.getInt() == given)
        return success();
      return module.emitError("the module says ")
             << key << " = " << present.getInt() << ", the launch has " << given << " " << what;
    };
    if (failed(agrees("ttg.num-warps", numWarps, "warps")) ||
        failed(agrees("ttg.num-ctas", numCtas, "CTAs to a program")))
      return failure();
    auto present = module->getAttrOfType<StringAttr>("ttg.target");
    if (present && !target.empty() && present.getValue() != target)
      return module.emitError("the module is for target ")
             << present.getValue() << ", the launch for " << target;
    return success();
  }

  void set(StringRef key, int64_t value) {
    if (!module->hasAttr(key))
      module->setAttr(key, IntegerAttr::get(IntegerType::get(module.getContext(), 32), value));
  }
  void flag(StringRef key, bool value) {
    if (value)
      module->setAttr(key, BoolAttr::get(module.getContext(), true));
  }

  LogicalResult annotate() {
    set("ttg.num-ctas", numCtas);
    if (numWarps)
      set("ttg.num-warps", numWarps);
    if (!target.empty() && !module->hasAttr("ttg.target"))
      module->setAttr("ttg.target", StringAttr::get(module.getContext(), target));
    if (int threads = threadsPerWarp ? threadsPerWarp : defaultThreads())
      set("ttg.threads-per-warp", threads);
    flag("tlx.has_tlx_ops", usage.tlxOps);
    flag("tlx.has_explicit_local_mem_access", usage.localMemory);
    flag("tlx.has_warp_spec_ops", usage.warpSpecialization);
    flag("tlx.enable_paired_cta_mma", usage.pairedMma);
    return annotateSpecializations();
  }

  /// AMD modules say 64 at this level whatever the chip's wave size.
  int defaultThreads() const {
    return target.starts_with("cuda:") ? 32 : target.starts_with("hip:") ? 64 : 0;
  }

  LogicalResult annotateSpecializations() {
    std::optional<int64_t> suspend;
    for (ttg::WarpSpecializeOp op : usage.specializations) {
      if (op->hasAttr("tlx.exclusive")) {
        if (usage.specializations.size() != 1) {
          InFlightDiagnostic error =
              op.emitOpError("is exclusive, but the module has others besides it");
          for (ttg::WarpSpecializeOp other : usage.specializations)
            if (other != op)
              error.attachNote(other.getLoc()) << "here is one";
          return error;
        }
        flag("ttg.single-warp-specialize", true);
      }
      flag("tlx.user_post_ws_sync", op->hasAttr("tlx.no_ending_cluster_sync"));
      if (auto time = op->getAttrOfType<IntegerAttr>("tlx.mbarrier_try_wait_suspend_ns"))
        suspend = suspend ? std::min(*suspend, time.getInt()) : time.getInt();
    }
    if (suspend)
      set("tlx.mbarrier_try_wait_suspend_ns", *suspend);
    return success();
  }

  ModuleOp module;
  StringRef target;
  int numWarps, numCtas, threadsPerWarp;
  ArrayRef<int64_t> cluster;
  Usage usage;
};

struct TlxFixup : public impl::TlxFixupBase<TlxFixup> {
  using TlxFixupBase::TlxFixupBase;

  void runOnOperation() override {
    SmallVector<int64_t> shape(cluster.begin(), cluster.end());
    Fixup fixup(getOperation(), target, numWarps, numCtas, threadsPerWarp, shape);
    if (failed(fixup.run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tlx
