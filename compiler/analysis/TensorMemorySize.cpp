#include "compiler/analysis/TensorMemorySize.h"

#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {
namespace {

constexpr int64_t kColumnBits = 32;

/// One M x N tile, `bits` to an element.
std::optional<TensorMemorySize> sizeOfTile(ttng::TensorMemoryEncodingAttr encoding, int64_t m,
                                           int64_t n, int64_t bits) {
  int64_t blockM = encoding.getBlockM(), blockN = std::min<int64_t>(encoding.getBlockN(), n);
  if (blockM == 0 || blockN == 0 || m < blockM || m % blockM || n % blockN)
    return std::nullopt;
  int64_t repeats = n / blockN, lanes = 128, width = blockN;
  if (blockM == 128) {
    repeats *= m / 128;
  } else if (encoding.getCtaMode() == ttng::TensorMemoryCTAMode::TwoCTA_LHS) {
    repeats *= m / 64;
  } else if (encoding.getCtaMode() == ttng::TensorMemoryCTAMode::TwoCTA_RHS) {
    // The right half of the columns lies on the upper 64 lanes.
    width /= 2;
    repeats *= m / 64;
  } else if (m > 64) {
    repeats *= m / 128; // rows 64..127 beside rows 0..63, on the lanes between them
  } else if (repeats > 1) {
    repeats /= 2; // as above, with the next block of columns
  } else {
    lanes = 64;
  }
  int64_t elementColumns = width * encoding.getColStride() * (encoding.getFp4Padded() ? 2 : 1);
  return TensorMemorySize{lanes, int64_t(llvm::divideCeil(elementColumns * repeats * bits,
                                                          kColumnBits))};
}

std::optional<TensorMemorySize> sizeOf(ttg::MemDescType type, ArrayRef<int64_t> shape) {
  if (shape.size() < 2)
    return std::nullopt;
  int64_t count = 1;
  for (int64_t size : shape.drop_back(2))
    count *= size;
  int64_t m = shape[shape.size() - 2], n = shape.back();
  std::optional<TensorMemorySize> size;
  Attribute encoding = tlxd::unwrapLayout(type.getEncoding());
  if (auto tile = dyn_cast<ttng::TensorMemoryEncodingAttr>(encoding))
    size = sizeOfTile(tile, m, n, type.getElementTypeBitWidth());
  else if (isa<ttng::TensorMemoryScalesEncodingAttr, tlxd::DummyTMEMLayoutAttr>(encoding))
    // 32 rows of scales repeat on all four lane groups; 4 bytes fill a column.
    size = TensorMemorySize{128, int64_t(llvm::divideCeil(m, 32) * llvm::divideCeil(n, 4))};
  if (size)
    size->columns *= count;
  return size;
}

} // namespace

std::optional<TensorMemorySize> tensorMemorySize(ttg::MemDescType type) {
  return sizeOf(type, type.getShape());
}

std::optional<TensorMemorySize> tensorMemorySizeOfBuffer(ttg::MemDescType type) {
  return sizeOf(type, type.getShape().drop_front());
}

} // namespace tlx
