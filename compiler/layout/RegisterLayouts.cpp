// blocked, linear, slice and dot_op: encodings of register tensors that do not
// describe an instruction.
#include "compiler/layout/Fault.h"
#include "compiler/layout/Tiles.h"

#include <algorithm>

namespace tlx::layout {

Result<LinearLayout> convert(const BlockedEncoding &e, const Shape &shape) {
  const unsigned rank = unsigned(shape.size());
  TLX_LAYOUT_TRY(checkSizes("blocked", "sizePerThread", e.sizePerThread, rank, 4096));
  TLX_LAYOUT_TRY(checkSizes("blocked", "threadsPerWarp", e.threadsPerWarp, rank));
  TLX_LAYOUT_TRY(checkSizes("blocked", "warpsPerCTA", e.warpsPerCta, rank));
  TLX_LAYOUT_TRY(checkOrder("blocked", e.order, rank));
  auto cga = cgaLayout(e.cga, rank, "blocked");
  if (!cga)
    return cga;
  return combine(LinearLayout::identityND(kRegister, e.sizePerThread, e.order) *
                     LinearLayout::identityND(kLane, e.threadsPerWarp, e.order) *
                     LinearLayout::identityND(kWarp, e.warpsPerCta, e.order),
                 *cga, shape);
}

namespace {

/// Apart from copies, every hardware bit moves to one coordinate bit.
bool isPermutation(const LinearLayout &l) {
  std::vector<uint64_t> columns = l.matrix();
  std::erase(columns, 0);
  std::sort(columns.begin(), columns.end());
  return std::all_of(columns.begin(), columns.end(),
                     [](uint64_t c) { return isPowerOf2(int64_t(c)); }) &&
         std::adjacent_find(columns.begin(), columns.end()) == columns.end();
}

/// Explicit bases on a tensor of another size: a larger one is covered by more
/// registers, the dimension that the registers run along first; in a smaller
/// one lanes and warps hold copies, and the registers that would do so go.
LinearLayout fit(const LinearLayout &bases, const Bases &registers, const Shape &shape) {
  const unsigned rank = unsigned(shape.size());
  std::vector<unsigned> order;
  auto append = [&](unsigned d) {
    if (std::find(order.begin(), order.end(), d) == order.end())
      order.push_back(d);
  };
  for (const auto &basis : registers)
    for (unsigned d = 0; d < rank; ++d)
      if (basis[d])
        append(d);
  for (unsigned d : rowMajorOrder(rank))
    append(d);

  LinearLayout l = bases;
  for (unsigned d : order) {
    const std::string dim = dimName(d);
    const unsigned want = log2Exact(shape[d]);
    if (l.outBits(dim) < want)
      l *= LinearLayout::identity1D(int64_t(1) << (want - l.outBits(dim)), kRegister, dim);
    if (l.outBits(dim) > want) {
      std::vector<std::pair<std::string, Bases>> ins;
      for (const std::string &in : l.inNames()) {
        ins.emplace_back(in, Bases());
        for (auto &basis : l.bases(in)) {
          const bool over = basis[d] >= shape[d];
          if (!over || in != kRegister)
            ins.back().second.push_back(basis);
          if (over && in != kRegister)
            ins.back().second.back()[d] = 0;
        }
      }
      std::vector<std::pair<std::string, int64_t>> outs;
      for (const auto &o : l.outs())
        outs.emplace_back(o.name, o.name == dim ? shape[d] : o.size());
      l = LinearLayout::fromBases(ins, outs);
    }
  }
  return l;
}

} // namespace

Result<LinearLayout> convert(const LinearEncoding &e, const Shape &shape) {
  const char *what = e.generic ? "generic_linear" : "linear";
  // The bases describe a tensor of their own size: the smallest that holds
  // them all.
  const size_t rank = shape.size();
  std::vector<std::pair<std::string, int64_t>> outs;
  for (size_t d = 0; d < rank; ++d)
    outs.emplace_back(dimName(unsigned(d)), 1);
  for (const Bases *list : {&e.registers, &e.lane, &e.warp, &e.block})
    for (const auto &basis : *list) {
      if (basis.size() != rank)
        return bad(what, "bases must have the rank of the tensor, " + std::to_string(rank) +
                             "; got " + std::to_string(basis.size()));
      for (size_t d = 0; d < rank; ++d) {
        if (basis[d] < 0 || basis[d] >= 1 << 30)
          return bad(what, "basis value out of range: " + std::to_string(basis[d]));
        while (outs[d].second <= basis[d])
          outs[d].second *= 2;
      }
    }
  unsigned bits = 0;
  for (const auto &[dim, size] : outs)
    bits += log2Exact(size);
  const size_t inBits = e.registers.size() + e.lane.size() + e.warp.size() + e.block.size();
  if (bits > 28 || inBits > 34)
    return bad(what, "has too many bases");

  LinearLayout l = LinearLayout::fromBases({{std::string(kRegister), e.registers},
                                            {std::string(kLane), e.lane},
                                            {std::string(kWarp), e.warp},
                                            {std::string(kBlock), e.block}},
                                           outs);
  if (!l.isSurjective())
    return bad(what, "bases do not reach every element");
  if (!e.generic && !isPermutation(l))
    return bad(what, "bases must move every hardware bit to a coordinate bit "
                     "of its own; generic_linear may do otherwise");
  return fit(l, e.registers, shape);
}

Result<LinearLayout> convert(const SliceEncoding &e, const Shape &shape) {
  if (!e.parent || storage(*e.parent) != Storage::Registers)
    return bad("slice", "needs a register encoding as its parent");
  if (e.dim > shape.size())
    return bad("slice", "dim " + std::to_string(e.dim) + " is outside of the parent, of rank " +
                            std::to_string(shape.size() + 1));
  Shape parentShape = shape;
  parentShape.insert(parentShape.begin() + e.dim, 1);
  auto parent = toLinearLayout(*e.parent, parentShape);
  if (!parent)
    return parent;
  LinearLayout l = parent->dropOut(dimName(e.dim));
  for (unsigned d = e.dim; d < shape.size(); ++d)
    l = l.renameOut(dimName(d + 1), dimName(d));
  return l.removeZeroBases(kRegister);
}

Result<LinearLayout> convert(const DotOperandEncoding &e, const Shape &shape) {
  if (e.opIdx > 1)
    return bad("dot_op", "opIdx must be 0 or 1; got " + std::to_string(e.opIdx));
  if (shape.size() != 2 && shape.size() != 3)
    return bad("dot_op", "needs a tensor of rank 2, or 3 with a batch; got "
                         "rank " +
                             std::to_string(shape.size()));
  if (!e.parent)
    return bad("dot_op", "has no parent");
  if (const auto *parent = e.parent->as<BlockedEncoding>())
    return dotOperand(e, *parent, shape);
  if (!isPowerOf2(e.kWidth) || e.kWidth > 64)
    return bad("dot_op",
               "kWidth must be a power of two of at most 64; got " + std::to_string(e.kWidth));
  if (const auto *parent = e.parent->as<NvidiaMmaEncoding>())
    return dotOperand(e, *parent, shape);
  if (const auto *parent = e.parent->as<AmdMfmaEncoding>())
    return dotOperand(e, *parent, shape);
  if (const auto *parent = e.parent->as<AmdWmmaEncoding>())
    return dotOperand(e, *parent, shape);
  return bad("dot_op", "cannot have a parent '" + std::string(name(*e.parent)) + "'");
}

Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const BlockedEncoding &parent,
                                const Shape &shape) {
  const unsigned rank = unsigned(shape.size());
  if (e.kWidth != 0)
    return bad("dot_op", "of a blocked parent takes no kWidth");
  TLX_LAYOUT_TRY(checkSizes("blocked", "sizePerThread", parent.sizePerThread, rank, 4096));
  TLX_LAYOUT_TRY(checkSizes("blocked", "threadsPerWarp", parent.threadsPerWarp, rank));
  TLX_LAYOUT_TRY(checkSizes("blocked", "warpsPerCTA", parent.warpsPerCta, rank));
  TLX_LAYOUT_TRY(checkOrder("blocked", parent.order, rank));
  auto cga = cgaLayout(operandCga(parent.cga, rank, e.opIdx), rank, "dot_op");
  if (!cga)
    return cga;
  // Every thread multiplies whole rows with whole columns: all of K is its own.
  const unsigned kDim = e.opIdx == 0 ? rank - 1 : rank - 2;
  LinearLayout tile;
  for (unsigned d : parent.order)
    tile *= LinearLayout::identity1D(d == kDim ? shape[d] : int64_t(parent.sizePerThread[d]),
                                     kRegister, dimName(d));
  LinearLayout lanes =
      operandWarps(parent.threadsPerWarp, parent.order, kDim).renameIn(kWarp, kLane);
  return combine(tile * lanes * operandWarps(parent.warpsPerCta, parent.order, kDim), *cga, shape);
}

Bases operandCga(const Bases &cga, unsigned rank, unsigned opIdx) {
  Bases result = cga;
  const unsigned kDim = opIdx == 0 ? rank - 1 : rank - 2;
  for (auto &basis : result)
    if (basis.size() == rank)
      basis[kDim] = 0;
  return result;
}

LinearLayout operandWarps(const std::vector<unsigned> &warpsPerCta,
                          const std::vector<unsigned> &order, unsigned kDim) {
  LinearLayout l;
  for (unsigned d : order)
    l *= d == kDim ? LinearLayout::zeros1D(warpsPerCta[d], kWarp, dimName(d))
                   : LinearLayout::identity1D(warpsPerCta[d], kWarp, dimName(d));
  return l;
}

} // namespace tlx::layout
