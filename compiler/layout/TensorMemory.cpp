// Tensor memory: 128 lanes by 512 columns of 32 bits in each SM of Blackwell.
//
// Where an accumulator's rows go is fixed by tcgen05.mma (PTX ISA, "Data path
// layout organization", layouts A to G); scales go where "Scale Factor layouts
// in Tensor Memory" says.
#include "compiler/layout/Tiles.h"

#include <algorithm>

namespace tlx::layout {

namespace {

using L = LinearLayout;
constexpr const char *kM = "dim0";
constexpr const char *kN = "dim1";

Result<LinearLayout> ctas(const Bases &cga, const Shape &shape, const char *what) {
  if (shape.size() != 2)
    return bad(what,
               "needs the two dimensions of one buffer; got rank " + std::to_string(shape.size()));
  auto l = cgaLayout(cga, 2, what);
  if (!l)
    return l;
  for (unsigned d = 0; d < 2; ++d)
    if (l->outSize(dimName(d)) > shape[d])
      return bad(what, "CGALayout splits dimension " + std::to_string(d) + " of size " +
                           std::to_string(shape[d]) + " into " +
                           std::to_string(l->outSize(dimName(d))) + " parts");
  return l;
}

/// All inputs and outputs present, in their order.
LinearLayout finish(const LinearLayout &l, const LinearLayout &cga) {
  return ((l * L::identity1D(1, kRow, kM) * L::identity1D(1, kCol, kN)) * cga)
      .transposeIns({std::string(kRow), std::string(kCol), std::string(kBlock)})
      .transposeOuts({kM, kN});
}

} // namespace

Result<LinearLayout> convert(const TensorMemoryEncoding &e, const Shape &shape) {
  const char *what = "tensor_memory_encoding";
  if (e.blockM != 64 && e.blockM != 128)
    return bad(what, "blockM must be 64 or 128; got " + std::to_string(e.blockM));
  if (!isPowerOf2(e.blockN) || e.blockN > 512)
    return bad(what,
               "blockN must be a power of two of at most 512; got " + std::to_string(e.blockN));
  if (e.colStride != 1 && e.colStride != 2 && e.colStride != 4)
    return bad(what, "colStride must be 1, 2 or 4; got " + std::to_string(e.colStride));
  auto cga = ctas(e.cga, shape, what);
  if (!cga)
    return cga;
  const int64_t m = shape[0] / cga->outSize(kM);
  const int64_t n = shape[1] / cga->outSize(kN);
  if (m < e.blockM)
    return bad(what, "needs at least blockM = " + std::to_string(e.blockM) +
                         " rows for each CTA; got " + std::to_string(m));
  const int64_t block = std::min<int64_t>(e.blockN, n);

  L columns = L::zeros1D(e.colStride, kCol, kN);
  if (e.fp4Padded)
    columns *= L::zeros1D(2, kCol, kN);
  columns *= L::identity1D(block, kCol, kN);

  auto mode = e.ctaMode;
  if (mode == TensorMemoryCtaMode::Default && e.twoCtas && e.blockM == 64)
    mode = TensorMemoryCtaMode::TwoCtaRhs;
  L tile;
  if (e.blockM == 128) {
    tile = L::identity1D(128, kRow, kM) * columns;
  } else if (mode == TensorMemoryCtaMode::TwoCtaLhs) {
    tile = L::identity1D(64, kRow, kM) * columns * L::zeros1D(2, kRow, kM);
  } else if (mode == TensorMemoryCtaMode::TwoCtaRhs) {
    if (block < 2)
      return bad(what, "in mode twocta_rhs needs at least 2 columns");
    tile = L::identity1D(64, kRow, kM) * L::identity1D(block / 2, kCol, kN) *
           L::identity1D(2, kRow, kN);
  } else {
    // 16 of each group of 32 lanes hold a 64-row tile; the other 16 take the
    // next tile along M or N, if there is one.
    tile = L::identity1D(16, kRow, kM) * columns;
    L upper = L::identity1D(4, kRow, kM); // M 16 and 32
    if (m > 64) {
      L rows =
          L::fromBases({{std::string(kRow), {{1}, {2}, {4}, {8}, {64}, {16}, {32}}}}, {{kM, 128}});
      tile = rows * columns;
    } else if (n > block) {
      tile = tile * L::identity1D(2, kRow, kN) * upper;
    } else {
      tile = tile * L::zeros1D(2, kRow, kN) * upper;
    }
  }
  // More tiles go to higher columns, along M first.
  for (const char *dim : {kM, kN}) {
    const int64_t want = dim == kM ? m : n;
    if (tile.outSize(dim) < want)
      tile *= L::identity1D(want / tile.outSize(dim), kCol, dim);
  }
  return finish(tile, *cga);
}

Result<LinearLayout> convert(const TensorMemoryScalesEncoding &e, const Shape &shape) {
  const char *what = "tensor_memory_scales_encoding";
  auto cga = ctas(e.cga, shape, what);
  if (!cga)
    return cga;
  const int64_t m = shape[0] / cga->outSize(kM);
  const int64_t k = shape[1] / cga->outSize(kN);

  // 32 rows by 4 scales along K, repeated in all four groups of 32 lanes; up to
  // four row groups side by side make the 128 rows of one instruction.
  L tile = L::identity1D(32, kRow, kM) * L::zeros1D(4, kRow, kM) * L::identity1D(4, kCol, kN) *
           L::identity1D(2, kCol, kM);
  if (m >= 128)
    tile *= L::identity1D(2, kCol, kM);
  for (const char *dim : {e.kThenMn ? kN : kM, e.kThenMn ? kM : kN}) {
    const int64_t want = dim == kM ? m : k;
    if (tile.outSize(dim) < want)
      tile *= L::identity1D(want / tile.outSize(dim), kCol, dim);
    else
      tile = tile.resizeOut(dim, log2Exact(want));
  }
  return finish(tile, *cga);
}

} // namespace tlx::layout
