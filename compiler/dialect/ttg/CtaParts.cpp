#include "compiler/dialect/ttg/CtaParts.h"

using namespace mlir;

namespace tlx::ttg {

int64_t ctaParts(MemDescType type) {
  ArrayAttr bases;
  if (auto swizzled = dyn_cast<SwizzledSharedEncodingAttr>(type.getEncoding()))
    bases = swizzled.getCga();
  else if (auto nvmma = dyn_cast<NVMMASharedEncodingAttr>(type.getEncoding()))
    bases = nvmma.getCga();
  int64_t parts = 1;
  for (Attribute basis : bases ? bases.getValue() : ArrayRef<Attribute>())
    if (llvm::any_of(cast<DenseI32ArrayAttr>(basis).asArrayRef(), [](int32_t x) { return x != 0; }))
      parts *= 2;
  return parts;
}

} // namespace tlx::ttg
