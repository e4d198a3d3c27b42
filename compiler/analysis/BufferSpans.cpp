#include "compiler/analysis/BufferSpans.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/analysis/TensorMemorySize.h"
#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/ttg/CtaParts.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tlx {
namespace {

bool isTensor(ttg::MemDescType type) {
  return isa<ttng::TensorMemorySpaceAttr>(type.getMemorySpace());
}

int64_t bytesOfElement(ttg::MemDescType type) {
  if (isa<tt::PointerType>(type.getElementType()))
    return 8;
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Elements of storage from one buffer of `elements` to the next.
int64_t withPadding(ttg::MemDescType type, int64_t elements) {
  Attribute encoding = tlxd::unwrapLayout(type.getEncoding());
  int64_t total = elements;
  if (auto nvmma = dyn_cast<ttg::NVMMASharedEncodingAttr>(encoding); nvmma && nvmma.getFp4Padded())
    total *= 2;
  if (auto padded = dyn_cast<ttg::PaddedSharedEncodingAttr>(encoding))
    for (auto [interval, padding] : llvm::zip(padded.getIntervals(), padded.getPaddings()))
      total += elements / interval * padding;
  return total;
}

/// Adds a piece behind the others; joins it to the last where they touch.
void append(SmallVectorImpl<BufferSpan> &spans, int64_t begin, int64_t end) {
  if (!spans.empty() && begin <= spans.back().end)
    spans.back().end = std::max(spans.back().end, end);
  else
    spans.push_back({begin, end});
}

/// Whether a part has the element at `input` of its buffer's layout.
bool has(const BufferPart &part, const layout::LinearLayout &layout, uint64_t input) {
  uint64_t word = layout.applyPacked(input);
  for (auto [dim, out] : llvm::enumerate(layout.outs())) {
    int64_t at = word >> out.first & (out.size() - 1);
    if (at < part.offsets[dim] || at >= part.offsets[dim] + part.shape[dim])
      return false;
  }
  return true;
}

std::optional<SmallVector<BufferSpan>> spansOfColumns(const layout::LinearLayout &layout,
                                                      const BufferPart &part, int64_t bits) {
  SmallVector<BufferSpan> spans;
  int64_t rows = layout.inSize(layout::kRow), columns = layout.inSize(layout::kCol);
  for (int64_t column = 0; column < columns; ++column) {
    int64_t hit = 0;
    for (int64_t row = 0; row < rows; ++row)
      hit += has(part, layout, row | column << layout.inBits(layout::kRow));
    if (hit == 0)
      continue;
    if (hit != rows)
      return std::nullopt;
    append(spans, column * bits / 32, llvm::divideCeil((column + 1) * bits, 32));
  }
  return spans;
}

} // namespace

std::optional<int64_t> sizeInMemory(ttg::MemDescType type, ArrayRef<int64_t> shape) {
  if (isTensor(type)) {
    std::optional<TensorMemorySize> size = tensorMemorySize(type, shape);
    return size ? std::optional(size->columns) : std::nullopt;
  }
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  return withPadding(type, elements) * bytesOfElement(type) / ttg::ctaParts(type);
}

std::optional<SmallVector<BufferSpan>> spansOf(ttg::MemDescType type, const BufferPart &part) {
  Result<layout::EncodingPtr> encoding = describeEncoding(type.getEncoding());
  if (!encoding)
    return std::nullopt;
  size_t rank = part.whole.size(), described = layout::encodedRank(**encoding);
  if (described != 0 && described != rank)
    return std::nullopt;
  Result<layout::LinearLayout> layout =
      layout::toLinearLayout(**encoding, {part.whole.begin(), part.whole.end()});
  if (!layout || layout->outs().size() != rank || layout->inBits(layout::kBlock) > 0)
    return std::nullopt;
  if (isTensor(type))
    return spansOfColumns(*layout, part, type.getElementTypeBitWidth());
  if (!layout->hasIn(layout::kOffset) || layout->hasIn(layout::kPartition))
    return std::nullopt;
  const auto *padded = (*encoding)->as<layout::PaddedSharedEncoding>();
  int64_t bytes = bytesOfElement(type);
  SmallVector<BufferSpan> spans;
  for (int64_t offset = 0, end = layout->inSize(layout::kOffset); offset < end; ++offset)
    if (has(part, *layout, offset)) {
      int64_t at = (padded ? layout::paddedOffset(*padded, offset) : offset) * bytes;
      append(spans, at, at + bytes);
    }
  return spans;
}

} // namespace tlx
