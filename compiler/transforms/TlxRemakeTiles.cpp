// A conversion of a tile that is cheap to compute is no conversion: the tile is
// computed a second time, in the other layout.
//
//   %r = tt.make_range          %r' = tt.make_range : the other layout
//   %a = addi %r, splat %x  ->  %a' = addi %r', splat' %x
//   convert_layout %a           %a'
#include "compiler/transforms/LayoutProblem.h"
#include "compiler/transforms/Passes.h"

#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXREMAKETILES
#include "compiler/transforms/Passes.h.inc"

namespace {

class Remaker {
public:
  /// Whether `value` can be made in `layout` from scalars and tiles that have the
  /// layout that is needed of them.
  bool isCheap(Value value, Attribute layout) {
    Operation *op = value.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getEncoding() == layout || isFreeSource(op))
      return true;
    if (!op)
      return false;
    auto [it, isNew] = cheap.try_emplace({value, layout}, false);
    if (!isNew)
      return it->second;
    std::optional<Attribute> taken = layoutTaken(op, layout);
    bool result = taken && llvm::all_of(op->getOperands(),
                                        [&](Value operand) { return isCheap(operand, *taken); });
    return cheap[{value, layout}] = result;
  }

  Value remade(Value value, Attribute layout) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getEncoding() == layout)
      return value;
    if (Value known = made.lookup({value, layout}))
      return known;
    Operation *op = value.getDefiningOp();
    if (auto conversion = dyn_cast<ttg::ConvertLayoutOp>(op))
      return remade(conversion.getSrc(), layout);
    IRMapping operands;
    if (!isFreeSource(op))
      for (Value operand : op->getOperands())
        operands.map(operand, remade(operand, *layoutTaken(op, layout)));
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    Operation *copy = b.clone(*op, operands);
    auto other = RankedTensorType::get(type.getShape(), type.getElementType(), layout);
    copy->getResult(0).setType(other);
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(other));
    return made[{value, layout}] = copy->getResult(0);
  }

private:
  /// The layout in which `op` takes its operands to give a result in `layout`;
  /// nothing: it is not computed twice.
  static std::optional<Attribute> layoutTaken(Operation *op, Attribute layout) {
    if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
      return ttg::SliceEncodingAttr::get(op->getContext(), expand.getAxis(), layout);
    if (isa<tt::BroadcastOp, ttg::ConvertLayoutOp>(op) ||
        (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         isMemoryEffectFree(op)))
      return layout;
    return std::nullopt;
  }

  DenseMap<std::pair<Value, Attribute>, bool> cheap;
  DenseMap<std::pair<Value, Attribute>, Value> made;
};

struct TlxRemakeTiles : public impl::TlxRemakeTilesBase<TlxRemakeTiles> {
  void runOnOperation() override {
    Remaker remaker;
    SmallVector<ttg::ConvertLayoutOp> conversions;
    getOperation().walk([&](ttg::ConvertLayoutOp op) { conversions.push_back(op); });
    for (ttg::ConvertLayoutOp op : conversions) {
      Attribute layout = cast<RankedTensorType>(op.getType()).getEncoding();
      if (remaker.isCheap(op.getSrc(), layout))
        op.replaceAllUsesWith(remaker.remade(op.getSrc(), layout));
    }
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }
};

} // namespace
} // namespace tlx
