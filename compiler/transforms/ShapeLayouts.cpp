#include "compiler/transforms/ShapeLayouts.h"

#include "compiler/analysis/EncodingToLayout.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx {

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

static std::optional<LinearLayout> linear(RankedTensorType type, Attribute layout) {
  Result<LinearLayout> known =
      layoutOf(RankedTensorType::get(type.getShape(), type.getElementType(), layout));
  return known ? std::optional(*known) : std::nullopt;
}

static Attribute reshaped(RankedTensorType from, Attribute layout, RankedTensorType to) {
  std::optional<LinearLayout> known = linear(from, layout);
  if (!known)
    return {};
  std::vector<std::pair<std::string, int64_t>> lastFirst;
  for (unsigned dim = to.getRank(); dim-- > 0;)
    lastFirst.emplace_back(layout::dimName(dim), to.getDimSize(dim));
  LinearLayout renamed = known->rowMajorOuts("element").reshapeOuts(lastFirst);
  return encodingOf(from.getContext(), renamed.transposeOuts(layout::dimNames(to.getRank())));
}

static Attribute permuted(RankedTensorType from, Attribute layout,
                          const std::vector<unsigned> &order) {
  std::optional<LinearLayout> known = linear(from, layout);
  return known ? encodingOf(from.getContext(), known->permuteOuts(order)) : Attribute();
}

bool renamesElements(Operation *op) { return isa<tt::ReshapeOp, tt::TransOp>(op); }

Attribute layoutAfter(Operation *op, Attribute layout) {
  RankedTensorType from = tileType(op->getOperand(0)), to = tileType(op->getResult(0));
  auto trans = dyn_cast<tt::TransOp>(op);
  if (!trans)
    return reshaped(from, layout, to);
  std::vector<unsigned> order(from.getRank());
  for (auto [dim, source] : llvm::enumerate(trans.getOrder()))
    order[source] = dim;
  return permuted(from, layout, order);
}

Attribute layoutBefore(Operation *op, Attribute layout) {
  RankedTensorType from = tileType(op->getOperand(0)), to = tileType(op->getResult(0));
  auto trans = dyn_cast<tt::TransOp>(op);
  if (!trans)
    return reshaped(to, layout, from);
  return permuted(to, layout, {trans.getOrder().begin(), trans.getOrder().end()});
}

bool hasHalvesInThreads(RankedTensorType type, Attribute layout) {
  std::optional<LinearLayout> known = linear(type, layout);
  std::string last = layout::dimName(type.getRank() - 1);
  return known && known->sublayoutIsZero({std::string(layout::kLane), std::string(layout::kWarp),
                                          std::string(layout::kBlock)},
                                         {last});
}

} // namespace tlx
