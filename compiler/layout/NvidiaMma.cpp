// The registers of mma.sync (version 2) and wgmma (version 3).
//
// Both use the same atom: a quad of lanes holds one row, two 32-bit registers'
// worth of elements apart by 8 rows and then by 4 * width columns (PTX ISA,
// "Matrix Fragments for mma.m16n8k16", "Register Fragments and Shared Memory
// Matrix Layouts" of wgmma).
#include "compiler/layout/Tiles.h"

namespace tlx::layout {

namespace {

/// The atom over `rows` x `columns` elements of dimensions `outer` x `inner`,
/// `width` consecutive elements along inner in each thread.
LinearLayout atom(const std::string &inner, unsigned columns, const std::string &outer,
                  unsigned rows, unsigned width) {
  using L = LinearLayout;
  return L::identity1D(width, kRegister, inner) * L::identity1D(4, kLane, inner) *
         L::identity1D(8, kLane, outer) * L::identity1D(rows / 8, kRegister, outer) *
         L::identity1D(columns / (4 * width), kRegister, inner);
}

/// Of warps: wgmma's go down the rows first, mma.sync's along the columns.
std::vector<unsigned> warpOrder(const NvidiaMmaEncoding &e) {
  const unsigned rank = unsigned(e.warpsPerCta.size());
  std::vector<unsigned> order = rowMajorOrder(rank);
  if (e.versionMajor == 3)
    order = {0, 1};
  return order;
}

Result<void> check(const NvidiaMmaEncoding &e, const Shape &shape) {
  const char *what = "nvidia_mma";
  const size_t rank = shape.size();
  if (e.versionMajor != 2 && e.versionMajor != 3)
    return bad(what, "versionMajor must be 2 or 3; got " + std::to_string(e.versionMajor));
  TLX_LAYOUT_TRY(checkSizes(what, "warpsPerCTA", e.warpsPerCta, rank));
  if (e.versionMajor == 3) {
    if (rank != 2)
      return bad(what, "of version 3 needs a tensor of rank 2; got rank " + std::to_string(rank));
    if (e.instrShape.size() != 3 || e.instrShape[0] != 16)
      return bad(what, "of version 3 needs instrShape [16, n, k]");
    if (e.instrShape[1] % 8 || e.instrShape[1] < 8 || e.instrShape[1] > 256)
      return bad(what, "n of instrShape must be a multiple of 8 of at most "
                       "256; got " +
                           std::to_string(e.instrShape[1]));
    if (!isPowerOf2(e.instrShape[1]))
      return bad(what, "has no linear layout for an n that is not a power of "
                       "two; got " +
                           std::to_string(e.instrShape[1]));
    return {};
  }
  if (rank != 2 && rank != 3)
    return bad(what,
               "needs a tensor of rank 2, or 3 with a batch; got rank " + std::to_string(rank));
  const size_t n = e.instrShape.size();
  if (n != rank || e.instrShape[n - 2] != 16 || e.instrShape[n - 1] != 8 ||
      (n == 3 && e.instrShape[0] != 1))
    return bad(what, "of version 2 needs instrShape [16, 8], after a 1 for a "
                     "batch");
  return {};
}

/// Adds the batch dimension of a rank-3 dot and sorts outputs by `order`.
LinearLayout withBatch(const LinearLayout &tile, unsigned rank,
                       const std::vector<unsigned> &order) {
  LinearLayout l = tile;
  if (rank == 3)
    l *= LinearLayout::identity1D(1, kRegister, dimName(0));
  std::vector<std::string> names;
  for (unsigned d : order)
    names.push_back(dimName(d));
  return l.transposeOuts(names);
}

} // namespace

Result<LinearLayout> convert(const NvidiaMmaEncoding &e, const Shape &shape) {
  TLX_LAYOUT_TRY(check(e, shape));
  const unsigned rank = unsigned(shape.size());
  auto cga = cgaLayout(e.cga, rank, "nvidia_mma");
  if (!cga)
    return cga;
  const unsigned n = e.versionMajor == 3 ? e.instrShape[1] : 8;
  LinearLayout tile =
      withBatch(atom(dimName(rank - 1), n, dimName(rank - 2), 16, 2), rank, rowMajorOrder(rank));
  return combine(tile * LinearLayout::identityND(kWarp, e.warpsPerCta, warpOrder(e)), *cga, shape);
}

Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const NvidiaMmaEncoding &parent,
                                const Shape &shape) {
  TLX_LAYOUT_TRY(check(parent, shape));
  if (parent.versionMajor == 3 && e.opIdx == 1)
    return bad("dot_op", "operand 1 of nvidia_mma version 3 must be in shared "
                         "memory");
  const unsigned rank = unsigned(shape.size());
  auto cga = cgaLayout(operandCga(parent.cga, rank, e.opIdx), rank, "dot_op");
  if (!cga)
    return cga;
  // K is the atom's inner dimension for both operands.
  const unsigned kDim = e.opIdx == 0 ? rank - 1 : rank - 2;
  const unsigned outer = e.opIdx == 0 ? rank - 2 : rank - 1;
  std::vector<unsigned> order = {kDim, outer};
  if (rank == 3)
    order.push_back(0);
  LinearLayout tile =
      withBatch(atom(dimName(kDim), 8 * e.kWidth, dimName(outer), e.opIdx == 0 ? 16 : 8, e.kWidth),
                rank, order);
  return combine(tile * operandWarps(parent.warpsPerCta, warpOrder(parent), kDim), *cga, shape);
}

} // namespace tlx::layout
