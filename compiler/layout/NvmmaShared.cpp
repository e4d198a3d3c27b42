// nvmma_shared: the arrangement that TMA writes and matrix instructions read.
//
// TMA moves boxes of at most 256 elements along each dimension, and with
// swizzling of exactly the swizzle width along the contiguous one. A box is
// stored row by row, 16-byte chunks permuted by xor with the row's number within
// the pattern of 8 rows (PTX ISA, "Tensor: Swizzling modes"); boxes follow each
// other.
#include "compiler/layout/Tiles.h"

#include <algorithm>

namespace tlx::layout {

namespace {

constexpr const char *kName = "nvmma_shared";
constexpr int64_t kMaxBox = 256; ///< elements along one dimension of a box

Result<void> check(const NvmmaSharedEncoding &e, const Shape &shape) {
  const unsigned sw = e.swizzlingByteWidth;
  if (sw != 0 && sw != 32 && sw != 64 && sw != 128)
    return bad(kName, "swizzlingByteWidth must be 0, 32, 64 or 128; got " + std::to_string(sw));
  const unsigned bits = e.elementBitWidth;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return bad(kName, "elementBitWidth must be 8, 16, 32 or 64; got " + std::to_string(bits));
  if (e.fp4Padded && bits != 8)
    return bad(kName, "fp4Padded needs elementBitWidth 8; got " + std::to_string(bits));
  if (sw != 0 && shape.size() < 2)
    return bad(kName, "with swizzling needs a tensor of rank 2 or more");
  return {};
}

/// The box of one TMA instruction, in elements of the tensor.
Result<Shape> box(const NvmmaSharedEncoding &e, const Shape &share, unsigned contiguous) {
  Shape result = share;
  for (int64_t &size : result)
    size = std::min(size, kMaxBox);
  const int64_t perElement = e.fp4Padded ? 2 : 1;
  result[contiguous] = std::min(result[contiguous], kMaxBox / perElement);
  if (e.swizzlingByteWidth != 0) {
    const int64_t width = 8 * int64_t(e.swizzlingByteWidth) / e.elementBitWidth / perElement;
    if (share[contiguous] < width)
      return bad(kName, "needs at least " + std::to_string(width) +
                            " elements along the contiguous dimension " +
                            std::to_string(contiguous) + " of one CTA to swizzle by " +
                            std::to_string(e.swizzlingByteWidth) + " bytes; got " +
                            std::to_string(share[contiguous]));
    result[contiguous] = width;
  }
  return result;
}

/// Within the core of 8 rows of `width` storage elements: bases of (row,
/// column), columns counted in elements of the tensor.
Bases coreBases(const NvmmaSharedEncoding &e) {
  const unsigned sw = e.swizzlingByteWidth;
  const unsigned width = 8 * sw / e.elementBitWidth;
  const unsigned vec = 128 / e.elementBitWidth;
  const unsigned perPhase = 128 / sw, maxPhase = sw / 16;
  // Under fp4 padding, storage bit 3 selects the padding and holds nothing.
  auto column = [&](unsigned c) { return int32_t(e.fp4Padded ? (c & 7) | (c >> 4 << 3) : c); };
  Bases bases;
  for (unsigned c = 1; c < width; c *= 2)
    bases.push_back({0, e.fp4Padded && c == 8 ? 0 : column(c)});
  for (unsigned r = 1; r < 8; r *= 2)
    bases.push_back({int32_t(r), column(vec * (r / perPhase % maxPhase))});
  return bases;
}

} // namespace

Result<LinearLayout> convert(const NvmmaSharedEncoding &e, const Shape &shape) {
  using L = LinearLayout;
  TLX_LAYOUT_TRY(check(e, shape));
  const unsigned rank = unsigned(shape.size());
  // An encoding of lower rank leaves leading buffers outside; its CTAs too.
  auto cga = cgaLayout(e.cga, rank, kName);
  if (!cga)
    return cga;
  Shape share = shape;
  for (unsigned d = 0; d < rank; ++d)
    share[d] = std::max<int64_t>(1, share[d] / cga->outSize(dimName(d)));

  const bool swizzles = e.swizzlingByteWidth != 0;
  const unsigned contiguous = e.transposed ? 0 : rank - 1;
  auto boxShape = box(e, share, contiguous);
  if (!boxShape)
    return std::move(boxShape).error();

  if (!swizzles) {
    // Row by row even when transposed: fbtriton 3.7.4 does the same.
    L tile;
    for (unsigned d = rank; d-- > 0;)
      tile *= L::identity1D((*boxShape)[d], kOffset, dimName(d));
    return combine(tile, *cga, shape);
  }

  // The box seen as rows of `contiguous`, the other dimensions collapsed.
  // Transposed, the dimension order is the other way round.
  std::vector<unsigned> rowDims;
  int64_t rows = 1;
  for (unsigned i = 1; i < rank; ++i) {
    rowDims.push_back(e.transposed ? i : rank - 1 - i);
    rows *= (*boxShape)[rowDims.back()];
  }
  const int64_t outer = e.transposed ? (*boxShape)[rank - 1] : rows;
  if (outer < 8)
    return bad(kName,
               "needs at least 8 rows for each CTA to swizzle; got " + std::to_string(outer));
  L tile = L::fromBases({{std::string(kOffset), coreBases(e)}},
                        {{"rows", 8}, {"columns", (*boxShape)[contiguous]}});
  tile *= L::identity1D(rows / 8, kOffset, "rows");

  std::vector<std::pair<std::string, int64_t>> outs;
  for (unsigned d : rowDims)
    outs.emplace_back(dimName(d), (*boxShape)[d]);
  outs.emplace_back(dimName(contiguous), (*boxShape)[contiguous]);
  tile = tile.reshapeOuts(outs).transposeOuts(dimNames(rank));
  return combine(tile, *cga, shape);
}

} // namespace tlx::layout
