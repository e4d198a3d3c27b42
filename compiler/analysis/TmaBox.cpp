#include "compiler/analysis/TmaBox.h"

#include "compiler/analysis/EncodingToLayout.h"

using namespace mlir;

namespace tlx {

Result<TmaBox> tmaBox(ArrayRef<int64_t> tile, Type element, Attribute encoding) {
  Result<layout::EncodingPtr> described = describeEncoding(encoding);
  if (!described)
    return described.error();
  TmaBox box;
  for (int64_t size : tile)
    box.shape.push_back(std::min<int64_t>(size, 256));
  const auto *swizzled = (*described)->as<layout::NvmmaSharedEncoding>();
  if (!swizzled) {
    // A plain row: what one-dimensional tiles have.
    const auto *plain = (*described)->as<layout::SwizzledSharedEncoding>();
    if (!plain || plain->maxPhase != 1)
      return Error(std::string("TMA cannot write the encoding ") + layout::name(**described));
    return box;
  }
  if (swizzled->transposed)
    return Error("TMA cannot write a transposed buffer");
  box.swizzleBytes = swizzled->swizzlingByteWidth;
  int64_t bits = element.getIntOrFloatBitWidth();
  if (box.swizzleBytes)
    box.shape.back() = std::min(box.shape.back(), box.swizzleBytes * 8 / bits);
  return box;
}

} // namespace tlx
