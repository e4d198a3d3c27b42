// Invariant ops leave their loops. Beyond MLIR's rule (speculatable and without
// memory effects) a `tt.load` leaves a loop that writes no memory: outside, it
// reads only when the loop would have run, which its mask then says.
//
//   scf.for %i = %lo to %hi { %x = tt.load %p }
//     becomes  %runs = arith.cmpi slt, %lo, %hi ; %x = tt.load %p, splat(%runs)
#include "compiler/transforms/Passes.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXLICM
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Nothing inside `op` writes, frees or has effects that are not declared.
bool onlyReads(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
           return isa<MemoryEffects::Read>(effect.getEffect());
         });
}

/// `mask` and `condition`, as a mask for accesses through `pointer`.
Value narrowMask(OpBuilder &builder, Location loc, Value pointer, Value mask, Value condition) {
  Type type = tt::i1SameShape(pointer.getType());
  if (isa<RankedTensorType>(type))
    condition = tt::SplatOp::create(builder, loc, type, condition);
  return mask ? arith::AndIOp::create(builder, loc, mask, condition) : condition;
}

bool wantsNoMotion(LoopLikeOpInterface loop) {
  auto annotation = loop->getAttr("llvm.loop_annotation");
  if (!annotation)
    return false;
  std::string text;
  llvm::raw_string_ostream(text) << annotation;
  return StringRef(text).contains("licm = <disable = true");
}

/// A remainder by zero is as undefined as a quotient; MLIR 22 says so of the
/// quotient only.
bool mayTrap(Operation *op) {
  if (!isa<arith::RemSIOp, arith::RemUIOp>(op))
    return false;
  APInt divisor;
  return !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) || divisor.isZero();
}

void hoistFrom(LoopLikeOpInterface loop) {
  if (wantsNoMotion(loop))
    return;
  std::optional<bool> readOnly;
  auto isOutside = [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); };
  auto mayMove = [&](Operation *op, Region *) {
    if (isSpeculatable(op) && isMemoryEffectFree(op))
      return !mayTrap(op);
    auto load = dyn_cast<tt::LoadOp>(op);
    if (!load || load.getIsVolatile() || !isa<scf::ForOp>(loop.getOperation()))
      return false;
    if (!readOnly)
      readOnly = onlyReads(loop);
    return *readOnly;
  };
  auto move = [&](Operation *op, Region *) {
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      auto count = cast<scf::ForOp>(loop.getOperation());
      OpBuilder builder(loop);
      auto predicate =
          count.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
      Value runs = arith::CmpIOp::create(builder, count.getLoc(), predicate, count.getLowerBound(),
                                         count.getUpperBound());
      load.getMaskMutable().assign(
          narrowMask(builder, count.getLoc(), load.getPtr(), load.getMask(), runs));
    }
    loop.moveOutOfLoop(op);
  };
  moveLoopInvariantCode(loop.getLoopRegions(), isOutside, mayMove, move);
}

struct TlxLicm : public impl::TlxLicmBase<TlxLicm> {
  void runOnOperation() override {
    // Inner loops first, so that what leaves them can leave the outer ones too.
    getOperation()->walk([](LoopLikeOpInterface loop) { hoistFrom(loop); });
  }
};

} // namespace
} // namespace tlx
