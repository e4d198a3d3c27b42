// Shared-memory encodings other than nvmma_shared.
#include "compiler/layout/Fault.h"
#include "compiler/layout/Tiles.h"

#include <algorithm>

namespace tlx::layout {

namespace {

/// The share of one CTA.
Shape sharePerCta(const Shape &shape, const LinearLayout &cga) {
  Shape share = shape;
  for (unsigned d = 0; d < shape.size(); ++d)
    share[d] = std::max<int64_t>(1, share[d] / cga.outSize(dimName(d)));
  return share;
}

/// Columns first, then rows whose columns are permuted by xor with
/// vec * phase(row), then the remaining dimensions.
template <typename Phase>
Result<LinearLayout> swizzled(const char *what, unsigned vec, const std::vector<unsigned> &order,
                              const Bases &cgaBases, const Shape &shape, Phase phase) {
  const unsigned rank = unsigned(shape.size());
  TLX_LAYOUT_TRY(checkOrder(what, order, rank));
  auto cga = cgaLayout(cgaBases, rank, what);
  if (!cga)
    return cga;
  const Shape share = sharePerCta(shape, *cga);

  const std::string column = dimName(order[0]);
  LinearLayout tile = LinearLayout::identity1D(share[order[0]], kOffset, column);
  if (rank > 1) {
    const int64_t columns = share[order[0]], rows = share[order[1]];
    Bases bases;
    for (int64_t row = 1; row < rows; row *= 2)
      bases.push_back({int32_t(row), int32_t(int64_t(vec) * phase(row) % columns)});
    // Not a product: the row bases touch the columns.
    Bases all;
    for (int64_t c = 1; c < columns; c *= 2)
      all.push_back({0, int32_t(c)});
    all.insert(all.end(), bases.begin(), bases.end());
    tile = LinearLayout::fromBases({{std::string(kOffset), all}},
                                   {{dimName(order[1]), rows}, {column, columns}});
  }
  for (unsigned i = 2; i < rank; ++i)
    tile *= LinearLayout::identity1D(share[order[i]], kOffset, dimName(order[i]));
  return combine(tile, *cga, shape);
}

Result<void> checkSwizzle(const char *what, unsigned vec, unsigned perPhase, unsigned maxPhase) {
  for (unsigned value : {vec, perPhase, maxPhase})
    if (!isPowerOf2(value) || value > 1u << 16)
      return bad(what,
                 "vec, perPhase and maxPhase must be powers of two; got " + std::to_string(value));
  return {};
}

Result<LinearLayout> explicitBases(const char *what, const Bases &offset, const Bases &block,
                                   const Shape &shape) {
  TLX_LAYOUT_TRY(checkBases(what, "offset", offset, shape));
  TLX_LAYOUT_TRY(checkBases(what, "block", block, shape));
  if (block.size() > 5)
    return bad(what, "block has too many bases: " + std::to_string(block.size()));
  std::vector<std::pair<std::string, int64_t>> outs;
  for (unsigned d = 0; d < shape.size(); ++d)
    outs.emplace_back(dimName(d), shape[d]);
  LinearLayout l =
      LinearLayout::fromBases({{std::string(kOffset), offset}, {std::string(kBlock), block}}, outs);
  if (!l.isSurjective())
    return bad(what, "bases do not reach every element of the shape " + toString(shape));
  return l;
}

} // namespace

Result<LinearLayout> convert(const SwizzledSharedEncoding &e, const Shape &shape) {
  const char *what = "swizzled_shared";
  TLX_LAYOUT_TRY(checkSwizzle(what, e.vec, e.perPhase, e.maxPhase));
  return swizzled(what, e.vec, e.order, e.cga, shape,
                  [&](int64_t row) { return row / e.perPhase % e.maxPhase; });
}

Result<LinearLayout> convert(const AmdRotatingSharedEncoding &e, const Shape &shape) {
  const char *what = "amd_rotating_shared";
  TLX_LAYOUT_TRY(checkSwizzle(what, e.vec, e.perPhase, e.maxPhase));
  return swizzled(what, e.vec, e.order, e.cga, shape, [&](int64_t row) {
    const int64_t phase = row / e.perPhase % e.maxPhase;
    const int64_t block = row / e.perPhase / e.maxPhase % e.maxPhase;
    return phase ^ block;
  });
}

Result<LinearLayout> convert(const PaddedSharedEncoding &e, const Shape &shape) {
  for (const auto &[interval, padding] : e.padding)
    if (!isPowerOf2(interval) || padding == 0)
      return bad("padded_shared", "intervals must be powers of two and paddings positive; got " +
                                      std::to_string(interval) + ":+" + std::to_string(padding));
  return explicitBases("padded_shared", e.offset, e.block, shape);
}

Result<LinearLayout> convert(const SharedLinearEncoding &e, const Shape &shape) {
  return explicitBases("shared_linear", e.offset, e.block, shape);
}

Result<LinearLayout> convert(const PartitionedSharedEncoding &e, const Shape &shape) {
  const char *what = "partitioned_shared";
  const unsigned rank = unsigned(shape.size());
  if (!isPowerOf2(e.numPartitions) || e.numPartitions < 2 || !isPowerOf2(e.numGroups))
    return bad(what, "numPartitions (2 or more) and numGroups must be powers "
                     "of two; got " +
                         std::to_string(e.numPartitions) + " and " + std::to_string(e.numGroups));
  if (e.partitionDim >= rank)
    return bad(what, "partitionDim " + std::to_string(e.partitionDim) + " is outside of the rank-" +
                         std::to_string(rank) + " tensor");
  if (!e.partitionLayout || storage(*e.partitionLayout) != Storage::Shared ||
      e.partitionLayout->as<PartitionedSharedEncoding>())
    return bad(what, "needs another shared encoding as partitionLayout");
  const int64_t pieces = int64_t(e.numPartitions) * e.numGroups;
  if (shape[e.partitionDim] < pieces)
    return bad(what, "cuts dimension " + std::to_string(e.partitionDim) + " of size " +
                         std::to_string(shape[e.partitionDim]) + " into " + std::to_string(pieces) +
                         " pieces");
  // Consecutive pieces go to consecutive partitions; a partition's pieces, one
  // of each group, lie one after the other.
  Shape piece = shape;
  piece[e.partitionDim] /= pieces;
  auto l = toLinearLayout(*e.partitionLayout, piece);
  if (!l)
    return l;
  const std::string dim = dimName(e.partitionDim);
  return *l * LinearLayout::identity1D(e.numPartitions, kPartition, dim) *
         LinearLayout::identity1D(e.numGroups, kOffset, dim);
}

PaddedSharedEncoding
PaddedSharedEncoding::identity(std::vector<std::pair<unsigned, unsigned>> padding,
                               const std::vector<unsigned> &order,
                               const std::vector<unsigned> &shape) {
  PaddedSharedEncoding e;
  e.padding = std::move(padding);
  for (unsigned dim : order)
    for (unsigned bit = 1; dim < shape.size() && bit < shape[dim]; bit *= 2) {
      std::vector<int32_t> basis(shape.size(), 0);
      basis[dim] = int32_t(bit);
      e.offset.push_back(std::move(basis));
    }
  return e;
}

int64_t paddedOffset(const PaddedSharedEncoding &encoding, int64_t o) {
  int64_t physical = o;
  for (const auto &[interval, padding] : encoding.padding) {
    require(interval > 0, "paddedOffset: interval 0");
    physical += o / interval * padding;
  }
  return physical;
}

unsigned sharedAlignment(const Encoding &encoding) {
  if (const auto *e = encoding.as<NvmmaSharedEncoding>())
    return 128 * std::max(1u, e->swizzlingByteWidth / 16);
  if (const auto *e = encoding.as<SharedLinearEncoding>())
    return e->alignment;
  if (const auto *e = encoding.as<PartitionedSharedEncoding>())
    return e->partitionLayout ? sharedAlignment(*e->partitionLayout) : 16;
  return 16;
}

} // namespace tlx::layout
