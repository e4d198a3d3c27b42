#include "compiler/layout/Convert.h"
#include "compiler/layout/Fault.h"
#include "compiler/layout/Tiles.h"

#include <algorithm>

namespace tlx::layout {

namespace {

// A layout has at most 63 input and 63 output bits. These limits, far above
// what a GPU has, keep every tile and its repeats below that: 28 for the tensor,
// 12 for a thread, 7 each for lanes and warps, 5 for CTAs.
constexpr unsigned kMaxElementsLog2 = 28;
constexpr unsigned kMaxCgaBases = 5;
constexpr unsigned kMaxRank = 16;
constexpr unsigned kMaxNesting = 16;

unsigned nesting(const Encoding &encoding) {
  const EncodingPtr *parent = nullptr;
  if (const auto *slice = encoding.as<SliceEncoding>())
    parent = &slice->parent;
  else if (const auto *dot = encoding.as<DotOperandEncoding>())
    parent = &dot->parent;
  else if (const auto *part = encoding.as<PartitionedSharedEncoding>())
    parent = &part->partitionLayout;
  return parent && *parent ? 1 + nesting(**parent) : 0;
}

} // namespace

std::string toString(const Shape &shape) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + std::to_string(shape[i]);
  return text;
}

Error bad(const char *encoding, const std::string &what) {
  return Error("'" + std::string(encoding) + "' " + what);
}

Result<void> checkSizes(const char *encoding, const char *field, const std::vector<unsigned> &list,
                        size_t rank, unsigned limit) {
  if (list.size() != rank)
    return bad(encoding, std::string(field) + " must have one value per dimension of the rank-" +
                             std::to_string(rank) + " tensor; got " + std::to_string(list.size()));
  uint64_t product = 1;
  for (unsigned value : list) {
    if (!isPowerOf2(value))
      return bad(encoding,
                 std::string(field) + " must be powers of two; got " + std::to_string(value));
    product = std::min<uint64_t>(product * value, uint64_t(1) << 32);
  }
  if (product > limit)
    return bad(encoding, "the product of " + std::string(field) + " must be at most " +
                             std::to_string(limit) + "; got " + std::to_string(product));
  return {};
}

Result<void> checkOrder(const char *encoding, const std::vector<unsigned> &order, size_t rank) {
  std::vector<unsigned> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool good = sorted.size() == rank;
  for (unsigned i = 0; good && i < rank; ++i)
    good = sorted[i] == i;
  if (!good)
    return bad(encoding,
               "order must be a permutation of the " + std::to_string(rank) + " dimensions");
  return {};
}

Result<void> checkBases(const char *encoding, const char *field, const Bases &bases,
                        const Shape &shape) {
  if (bases.size() > 30)
    return bad(encoding,
               std::string(field) + " has too many bases: " + std::to_string(bases.size()));
  for (const auto &basis : bases) {
    if (basis.size() != shape.size())
      return bad(encoding, std::string(field) + " bases must have rank " +
                               std::to_string(shape.size()) + "; got " +
                               std::to_string(basis.size()));
    for (size_t d = 0; d < shape.size(); ++d)
      if (basis[d] < 0 || basis[d] >= shape[d])
        return bad(encoding, std::string(field) + " basis value " + std::to_string(basis[d]) +
                                 " is outside of dimension " + std::to_string(d) +
                                 " of the shape " + toString(shape));
  }
  return {};
}

std::vector<unsigned> rowMajorOrder(unsigned rank) {
  std::vector<unsigned> order;
  for (unsigned d = rank; d-- > 0;)
    order.push_back(d);
  return order;
}

Result<LinearLayout> cgaLayout(const Bases &cga, unsigned rank, const char *encodingName) {
  if (cga.size() > kMaxCgaBases)
    return bad(encodingName, "CGALayout has too many bases: " + std::to_string(cga.size()));
  std::vector<std::pair<std::string, int64_t>> outs;
  for (unsigned d = 0; d < rank; ++d) {
    int64_t size = 1;
    for (const auto &basis : cga) {
      if (basis.size() != rank)
        return bad(encodingName, "CGALayout bases must have rank " + std::to_string(rank) +
                                     "; got " + std::to_string(basis.size()));
      if (basis[d] != 0 && !isPowerOf2(basis[d]))
        return bad(encodingName, "CGALayout bases must be powers of two or zero; got " +
                                     std::to_string(basis[d]));
      if (basis[d] >= 1 << kMaxCgaBases)
        return bad(encodingName,
                   "CGALayout basis " + std::to_string(basis[d]) + " exceeds the largest cluster");
      size = std::max<int64_t>(size, 2 * int64_t(basis[d]));
    }
    outs.emplace_back(dimName(d), size);
  }
  LinearLayout l = LinearLayout::fromBases({{std::string(kBlock), cga}}, outs);
  if (!l.isSurjective())
    return bad(encodingName, "CGALayout leaves out some CTA coordinates");
  return l;
}

LinearLayout combine(const LinearLayout &tile, const LinearLayout &cga, const Shape &shape) {
  require(tile.outs().size() == shape.size() && cga.outs().size() == shape.size(),
          "combine: ranks differ");
  require(!tile.ins().empty(), "combine: a tile without inputs");
  const std::string first = tile.ins().front().name;

  LinearLayout share = tile;
  LinearLayout blocks = cga;
  for (const std::string &dim : tile.outNames()) {
    const unsigned d = unsigned(std::stoul(dim.substr(3)));
    const unsigned shapeBits = log2Exact(shape[d]);
    const unsigned blockBits = std::min(cga.outBits(dim), shapeBits);
    blocks = blocks.resizeOut(dim, blockBits);
    const unsigned want = shapeBits - blockBits;
    const unsigned have = share.outBits(dim);
    if (have < want)
      share *= LinearLayout::identity1D(int64_t(1) << (want - have), first, dim);
    else if (have > want)
      share = share.resizeOut(dim, want);
  }
  return (share.transposeOuts(blocks.outNames()) * blocks)
      .transposeOuts(dimNames(unsigned(shape.size())));
}

Result<LinearLayout> toLinearLayout(const Encoding &encoding, const Shape &shape) {
  const char *what = name(encoding);
  if (nesting(encoding) > kMaxNesting)
    return bad(what, "is nested too deeply");
  if (shape.empty() || shape.size() > kMaxRank)
    return bad(what, "needs a tensor of rank 1 to 16; got rank " + std::to_string(shape.size()));
  unsigned bits = 0;
  for (int64_t size : shape) {
    if (!isPowerOf2(size))
      return bad(what, "needs dimensions that are powers of two; got shape " + toString(shape));
    bits += log2Exact(size);
  }
  if (bits > kMaxElementsLog2)
    return bad(what, "needs a tensor of at most 2^28 elements; got shape " + toString(shape));
  return std::visit([&](const auto &kind) { return convert(kind, shape); }, encoding.kind);
}

const char *name(const Encoding &encoding) {
  struct Visitor {
    const char *operator()(const BlockedEncoding &) { return "blocked"; }
    const char *operator()(const LinearEncoding &e) {
      return e.generic ? "generic_linear" : "linear";
    }
    const char *operator()(const SliceEncoding &) { return "slice"; }
    const char *operator()(const DotOperandEncoding &) { return "dot_op"; }
    const char *operator()(const NvidiaMmaEncoding &) { return "nvidia_mma"; }
    const char *operator()(const AmdMfmaEncoding &) { return "amd_mfma"; }
    const char *operator()(const AmdWmmaEncoding &) { return "amd_wmma"; }
    const char *operator()(const SwizzledSharedEncoding &) { return "swizzled_shared"; }
    const char *operator()(const AmdRotatingSharedEncoding &) { return "amd_rotating_shared"; }
    const char *operator()(const NvmmaSharedEncoding &) { return "nvmma_shared"; }
    const char *operator()(const PaddedSharedEncoding &) { return "padded_shared"; }
    const char *operator()(const SharedLinearEncoding &) { return "shared_linear"; }
    const char *operator()(const PartitionedSharedEncoding &) { return "partitioned_shared"; }
    const char *operator()(const TensorMemoryEncoding &) { return "tensor_memory_encoding"; }
    const char *operator()(const TensorMemoryScalesEncoding &) {
      return "tensor_memory_scales_encoding";
    }
  };
  return std::visit(Visitor{}, encoding.kind);
}

Storage storage(const Encoding &encoding) {
  const size_t index = encoding.kind.index();
  const size_t firstShared = Encoding(SwizzledSharedEncoding{}).kind.index();
  const size_t firstTensor = Encoding(TensorMemoryEncoding{}).kind.index();
  return index < firstShared   ? Storage::Registers
         : index < firstTensor ? Storage::Shared
                               : Storage::TensorMemory;
}

} // namespace tlx::layout
