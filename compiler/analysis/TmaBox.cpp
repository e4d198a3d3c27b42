#include "compiler/analysis/TmaBox.h"

#include "compiler/analysis/EncodingToLayout.h"

#include <algorithm>

using namespace mlir;

namespace tlx {

Result<TmaBox> tmaBox(ArrayRef<int64_t> tile, Type element, Attribute encoding) {
  Result<layout::EncodingPtr> described = describeEncoding(encoding);
  if (!described)
    return described.error();
  const auto *swizzled = (*described)->as<layout::NvmmaSharedEncoding>();
  const auto *plain = (*described)->as<layout::SwizzledSharedEncoding>();
  // A plain row: what one-dimensional tiles have.
  if (!swizzled && (!plain || plain->maxPhase != 1))
    return Error(std::string("TMA cannot write the encoding ") + layout::name(**described));
  if (swizzled && swizzled->transposed)
    return Error("TMA cannot write a transposed buffer");
  TmaBox box;
  box.share.assign(tile.begin(), tile.end());
  for (const auto &basis : swizzled ? swizzled->cga : plain->cga)
    for (size_t dim = 0; dim < basis.size(); ++dim)
      if (basis[dim] != 0)
        box.share[dim] = std::max<int64_t>(1, box.share[dim] / 2);
  for (int64_t size : box.share)
    box.shape.push_back(std::min<int64_t>(size, 256));
  if (!swizzled)
    return box;
  box.swizzleBytes = swizzled->swizzlingByteWidth;
  int64_t bits = element.getIntOrFloatBitWidth();
  if (box.swizzleBytes)
    box.shape.back() = std::min(box.shape.back(), box.swizzleBytes * 8 / bits);
  return box;
}

} // namespace tlx
