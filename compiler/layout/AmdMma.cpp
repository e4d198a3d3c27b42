// The registers of AMD's matrix instructions: MFMA (64 lanes) and WMMA (32).
//
// Layouts of single instructions are in the CDNA3 and RDNA3 ISA documents,
// "Matrix Arithmetic Instructions" and "Wave Matrix Multiply Accumulate", and in
// AMD's matrix instruction calculator.
#include "compiler/layout/Tiles.h"

#include <algorithm>

namespace tlx::layout {

namespace {

using L = LinearLayout;

std::vector<std::string> names(const std::vector<unsigned> &order) {
  std::vector<std::string> result;
  for (unsigned d : order)
    result.push_back(dimName(d));
  return result;
}

/// The size of one CTA's share along `dim`.
int64_t share(const Shape &shape, const LinearLayout &cga, unsigned dim) {
  return std::max<int64_t>(1, shape[dim] / cga.outSize(dimName(dim)));
}

Result<void> checkRank(const char *what, size_t rank) {
  if (rank != 2 && rank != 3)
    return bad(what,
               "needs a tensor of rank 2, or 3 with a batch; got rank " + std::to_string(rank));
  return {};
}

//===----------------------------------------------------------------------===//
// MFMA
//===----------------------------------------------------------------------===//

Result<std::vector<unsigned>> tilesPerWarp(const AmdMfmaEncoding &e, size_t rank) {
  if (e.tilesPerWarp.empty())
    return std::vector<unsigned>(rank, 1);
  TLX_LAYOUT_TRY(checkSizes("amd_mfma", "tilesPerWarp", e.tilesPerWarp, rank));
  return e.tilesPerWarp;
}

Result<void> check(const AmdMfmaEncoding &e, const Shape &shape) {
  const char *what = "amd_mfma";
  TLX_LAYOUT_TRY(checkRank(what, shape.size()));
  if (e.version < 1 || e.version > 4)
    return bad(what, "version must be 1 to 4; got " + std::to_string(e.version));
  TLX_LAYOUT_TRY(checkSizes(what, "warpsPerCTA", e.warpsPerCta, shape.size()));
  const auto &s = e.instrShape;
  const bool known = s.size() == 3 && isPowerOf2(s[2]) && s[2] <= 1024 &&
                     ((s[0] == 32 && s[1] == 32) || (s[0] == 16 && s[1] == 16) ||
                      (s[0] == 64 && s[1] == 4) || (s[0] == 4 && s[1] == 64));
  if (!known)
    return bad(what, "needs instrShape [M, N, K] with M x N of 32x32, 16x16, "
                     "64x4 or 4x64");
  if (s[0] == 64 && !e.isTransposed)
    return bad(what, "of 64x4 must be transposed");
  if (e.elementBitWidth != 32 && e.elementBitWidth != 64)
    return bad(what, "elementBitWidth must be 32 or 64; got " + std::to_string(e.elementBitWidth));
  return {};
}

} // namespace

Result<LinearLayout> convert(const AmdMfmaEncoding &e, const Shape &shape) {
  TLX_LAYOUT_TRY(check(e, shape));
  const unsigned rank = unsigned(shape.size());
  auto tiles = tilesPerWarp(e, rank);
  if (!tiles)
    return std::move(tiles).error();
  auto cga = cgaLayout(e.cga, rank, "amd_mfma");
  if (!cga)
    return cga;

  const unsigned m = rank - 2, n = rank - 1;
  // A lane holds `height` consecutive elements of one column (of one row when
  // transposed); lanes go along the other dimension first.
  const unsigned height = e.elementBitWidth == 64 ? 1 : 4;
  const std::string held = dimName(e.isTransposed ? n : m);
  const std::string other = dimName(e.isTransposed ? m : n);
  const unsigned heldSize = e.instrShape[e.isTransposed ? 1 : 0];
  const unsigned otherSize = e.instrShape[e.isTransposed ? 0 : 1];
  const unsigned lanesHeld = 64 / otherSize;
  LinearLayout tile = L::identity1D(std::min(height, heldSize), kRegister, held) *
                      L::identity1D(otherSize, kLane, other) *
                      L::identity1D(lanesHeld, kLane, held) *
                      L::identity1D(std::max(1u, heldSize / (height * lanesHeld)), kRegister, held);
  tile = tile.transposeOuts({dimName(n), dimName(m)});
  tile *= L::identity1D((*tiles)[n], kRegister, dimName(n));
  tile *= L::identity1D(e.warpsPerCta[n], kWarp, dimName(n));
  const int64_t columns = share(shape, *cga, n);
  if (columns > tile.outSize(dimName(n)))
    tile *= L::identity1D(columns / tile.outSize(dimName(n)), kRegister, dimName(n));
  tile *= L::identity1D((*tiles)[m], kRegister, dimName(m));
  tile *= L::identity1D(e.warpsPerCta[m], kWarp, dimName(m));
  if (rank == 3)
    tile *= L::identity1D((*tiles)[0], kRegister, dimName(0)) *
            L::identity1D(e.warpsPerCta[0], kWarp, dimName(0));
  return combine(tile, *cga, shape);
}

Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const AmdMfmaEncoding &parent,
                                const Shape &shape) {
  TLX_LAYOUT_TRY(check(parent, shape));
  const unsigned rank = unsigned(shape.size());
  auto tiles = tilesPerWarp(parent, rank);
  if (!tiles)
    return std::move(tiles).error();
  auto cga = cgaLayout(operandCga(parent.cga, rank, e.opIdx), rank, "dot_op");
  if (!cga)
    return cga;

  const unsigned kDim = e.opIdx == 0 ? rank - 1 : rank - 2;
  const unsigned outer = e.opIdx == 0 ? rank - 2 : rank - 1;
  const unsigned lanes = parent.instrShape[e.opIdx];
  LinearLayout tile = L::identity1D(e.kWidth, kRegister, dimName(kDim)) *
                      L::identity1D(lanes, kLane, dimName(outer)) *
                      L::identity1D(64 / lanes, kLane, dimName(kDim));
  const int64_t depth = tile.outSize(dimName(kDim));
  if (shape[kDim] > depth)
    tile *= L::identity1D(shape[kDim] / depth, kRegister, dimName(kDim));
  tile *= L::identity1D((*tiles)[outer], kRegister, dimName(outer));
  if (rank == 3)
    tile *= L::identity1D((*tiles)[0], kRegister, dimName(0));
  return combine(tile * operandWarps(parent.warpsPerCta, rowMajorOrder(rank), kDim), *cga, shape);
}

//===----------------------------------------------------------------------===//
// WMMA
//===----------------------------------------------------------------------===//

namespace {

/// (register, warp) -> tile coordinates; `drop` becomes 0.
LinearLayout ctaLayout(const AmdWmmaEncoding &e, unsigned rank, int drop) {
  Bases registers = e.ctaRegisters, warps = e.ctaWarps;
  std::vector<std::pair<std::string, int64_t>> outs;
  for (unsigned d = 0; d < rank; ++d)
    outs.emplace_back(dimName(d), 1);
  for (Bases *list : {&registers, &warps})
    for (auto &basis : *list)
      for (unsigned d = 0; d < rank; ++d) {
        if (int(d) == drop)
          basis[d] = 0;
        while (outs[d].second <= basis[d])
          outs[d].second *= 2;
      }
  // A register that only repeats the dropped dimension is no register of the
  // operand.
  if (drop >= 0)
    std::erase_if(registers, [](const std::vector<int32_t> &basis) {
      return std::all_of(basis.begin(), basis.end(), [](int32_t v) { return v == 0; });
    });
  return LinearLayout::fromBases({{std::string(kRegister), registers}, {std::string(kWarp), warps}},
                                 outs);
}

Result<void> check(const AmdWmmaEncoding &e, const Shape &shape) {
  const char *what = "amd_wmma";
  TLX_LAYOUT_TRY(checkRank(what, shape.size()));
  if (e.version < 1 || e.version > 3)
    return bad(what, "version must be 1 to 3; got " + std::to_string(e.version));
  const auto &s = e.instrShape;
  const bool wide = s.size() == 3 && s[0] == 32 && e.version == 3;
  if (s.size() != 3 || (s[0] != 16 && !wide) || s[1] != 16 || !isPowerOf2(s[2]) || s[2] > 1024)
    return bad(what, "needs instrShape [16, 16, K], or [32, 16, K] in "
                     "version 3");
  if (e.version == 3 && s[2] != 4 && s[2] != 32 && s[2] != 64 && s[2] != 128)
    return bad(what, "of version 3 has K of 4, 32, 64 or 128; got " + std::to_string(s[2]));
  for (const Bases *list : {&e.ctaRegisters, &e.ctaWarps}) {
    if (list->size() > 7)
      return bad(what, "ctaLayout has too many bases");
    for (const auto &basis : *list) {
      if (basis.size() != shape.size())
        return bad(what, "ctaLayout bases must have rank " + std::to_string(shape.size()) +
                             "; got " + std::to_string(basis.size()));
      for (int32_t value : basis)
        if (value < 0 || value >= 1 << 8)
          return bad(what, "ctaLayout basis value out of range: " + std::to_string(value));
    }
  }
  if (!ctaLayout(e, unsigned(shape.size()), -1).isSurjective())
    return bad(what, "ctaLayout leaves out some tiles");
  return {};
}

} // namespace

Result<LinearLayout> convert(const AmdWmmaEncoding &e, const Shape &shape) {
  TLX_LAYOUT_TRY(check(e, shape));
  const unsigned rank = unsigned(shape.size());
  auto cga = cgaLayout(e.cga, rank, "amd_wmma");
  if (!cga)
    return cga;

  // The accumulator of a lane is part of one column (row when transposed).
  const std::string held = dimName(e.isTransposed ? rank - 1 : rank - 2);
  const std::string other = dimName(e.isTransposed ? rank - 2 : rank - 1);
  LinearLayout tile;
  if (e.version == 1)
    tile = L::zeros1D(1, kRegister, held) * L::identity1D(16, kLane, other) *
           L::identity1D(2, kLane, held) * L::identity1D(8, kRegister, held);
  else
    tile = L::identity1D(8, kRegister, held) * L::identity1D(16, kLane, other) *
           L::identity1D(2, kLane, held);
  if (e.instrShape[0] == 32)
    tile *= L::identity1D(2, kRegister, dimName(rank - 2));
  if (rank == 3)
    tile *= L::identity1D(1, kRegister, dimName(0));
  tile = tile.transposeOuts(names(rowMajorOrder(rank)));
  return combine(tile * ctaLayout(e, rank, -1), *cga, shape);
}

Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const AmdWmmaEncoding &parent,
                                const Shape &shape) {
  TLX_LAYOUT_TRY(check(parent, shape));
  const unsigned rank = unsigned(shape.size());
  auto cga = cgaLayout(operandCga(parent.cga, rank, e.opIdx), rank, "dot_op");
  if (!cga)
    return cga;

  const unsigned kDim = e.opIdx == 0 ? rank - 1 : rank - 2;
  const unsigned outer = e.opIdx == 0 ? rank - 2 : rank - 1;
  LinearLayout tile =
      L::identity1D(e.kWidth, kRegister, dimName(kDim)) * L::identity1D(16, kLane, dimName(outer));
  // The first version keeps two copies of the operand in the halves of a wave.
  tile *= parent.version == 1 ? L::zeros1D(2, kLane, dimName(kDim))
                              : L::identity1D(2, kLane, dimName(kDim));
  // The rest of K before the other repeats, two halves at a time also where
  // they are copies.
  const int64_t depth = 2 * int64_t(e.kWidth);
  if (shape[kDim] > depth)
    tile *= L::identity1D(shape[kDim] / depth, kRegister, dimName(kDim));
  if (e.opIdx == 0 && parent.instrShape[0] == 32)
    tile *= L::identity1D(2, kRegister, dimName(outer));
  if (rank == 3)
    tile *= L::identity1D(1, kRegister, dimName(0));
  std::vector<unsigned> order = {kDim, outer};
  if (rank == 3)
    order.push_back(0);
  tile = tile.transposeOuts(names(order));
  return combine(tile * ctaLayout(parent, rank, int(kDim)), *cga, shape);
}

} // namespace tlx::layout
