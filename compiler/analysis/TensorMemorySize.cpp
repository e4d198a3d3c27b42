#include "compiler/analysis/TensorMemorySize.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/dialect/tlx/TLX.h"

using namespace mlir;

namespace tlx {

std::optional<TensorMemorySize> tensorMemorySize(ttg::MemDescType type, ArrayRef<int64_t> shape) {
  layout::EncodingPtr encoding;
  if (isa<tlxd::DummyTMEMLayoutAttr>(tlxd::unwrapLayout(type.getEncoding()))) {
    encoding = layout::makeEncoding(layout::TensorMemoryScalesEncoding{});
  } else {
    Result<layout::EncodingPtr> described = describeEncoding(type.getEncoding());
    if (!described)
      return std::nullopt;
    encoding = *described;
  }
  Result<layout::TensorMemorySize> size = layout::tensorMemorySize(
      *encoding, layout::Shape(shape.begin(), shape.end()), type.getElementTypeBitWidth());
  if (!size)
    return std::nullopt;
  return TensorMemorySize{size->rows, size->columns};
}

} // namespace tlx
