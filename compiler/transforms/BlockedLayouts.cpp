#include "compiler/transforms/BlockedLayouts.h"

#include "compiler/analysis/AxisInfo.h"

using namespace mlir;

namespace tlx {

ttg::BlockedEncodingAttr blockedLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                                       ArrayRef<unsigned> order, int64_t vector, int warps) {
  unsigned rank = shape.size();
  SmallVector<unsigned> size(rank, 1), lanes(rank, 1), warpsOf(rank, 1);
  int64_t elements = 1;
  for (int64_t dim : shape)
    elements *= dim;
  int64_t share = std::max<int64_t>(1, elements / (32 * warps));
  size[order[0]] = std::min({vector, shape[order[0]], share});
  int64_t freeLanes = 32, freeWarps = warps;
  for (unsigned dim : order) {
    bool last = dim == order.back();
    int64_t left = std::max<int64_t>(1, shape[dim] / size[dim]);
    lanes[dim] = last ? freeLanes : std::min(freeLanes, left);
    left = std::max<int64_t>(1, left / lanes[dim]);
    warpsOf[dim] = last ? freeWarps : std::min(freeWarps, left);
    freeLanes /= lanes[dim];
    freeWarps /= warpsOf[dim];
  }
  return ttg::BlockedEncodingAttr::get(context, size, lanes, warpsOf, order,
                                       ArrayAttr::get(context, {}));
}

static SmallVector<unsigned> lastFirst(unsigned rank) {
  SmallVector<unsigned> order;
  while (rank-- > 0)
    order.push_back(rank);
  return order;
}

ttg::BlockedEncodingAttr rowMajorLayout(RankedTensorType type, int64_t vector, int warps) {
  return blockedLayout(type.getContext(), type.getShape(), lastFirst(type.getRank()), vector,
                       warps);
}

ttg::BlockedEncodingAttr accessLayout(RankedTensorType pointers, const AxisInfo &info, int warps) {
  auto pointee = cast<tt::PointerType>(pointers.getElementType()).getPointeeType();
  int64_t bytes =
      isa<tt::PointerType>(pointee) ? 8 : std::max<int64_t>(1, pointee.getIntOrFloatBitWidth() / 8);
  SmallVector<unsigned> order = lastFirst(pointers.getRank());
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(info.contiguity[a], a) > std::pair(info.contiguity[b], b);
  });
  unsigned fastest = order[0];
  int64_t vector =
      std::min({info.contiguity[fastest], info.divisibility[fastest] / bytes, 16 / bytes});
  return blockedLayout(pointers.getContext(), pointers.getShape(), order,
                       std::max<int64_t>(1, vector), warps);
}

} // namespace tlx
