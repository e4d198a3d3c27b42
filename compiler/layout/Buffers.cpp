// Arrays of buffers: which dimensions the encoding describes, and which count.
#include "compiler/layout/Tiles.h"

namespace tlx::layout {

namespace {

unsigned rankOf(const Bases &bases, unsigned otherwise) {
  return bases.empty() ? otherwise : unsigned(bases.front().size());
}

/// No swizzle, and dimension 0 outermost: any number of rows can follow.
bool rowsAreSlices(const Encoding &encoding, size_t rank) {
  if (const auto *e = encoding.as<SwizzledSharedEncoding>())
    return e->maxPhase == 1 && e->cga.empty() && !e->order.empty() && e->order.back() == 0;
  if (const auto *e = encoding.as<NvmmaSharedEncoding>())
    return e->swizzlingByteWidth == 0 && e->cga.empty() && rank == 1;
  return false;
}

} // namespace

unsigned encodedRank(const Encoding &encoding) {
  if (const auto *e = encoding.as<SwizzledSharedEncoding>())
    return unsigned(e->order.size());
  if (const auto *e = encoding.as<AmdRotatingSharedEncoding>())
    return unsigned(e->order.size());
  if (const auto *e = encoding.as<NvmmaSharedEncoding>())
    return rankOf(e->cga, e->rank);
  if (const auto *e = encoding.as<PaddedSharedEncoding>())
    return rankOf(e->offset, rankOf(e->block, 0));
  if (const auto *e = encoding.as<SharedLinearEncoding>())
    return rankOf(e->offset, rankOf(e->block, 0));
  if (const auto *e = encoding.as<PartitionedSharedEncoding>())
    return e->partitionLayout ? encodedRank(*e->partitionLayout) : 0;
  return storage(encoding) == Storage::TensorMemory ? 2 : 0;
}

Result<BufferLayout> bufferLayout(const Encoding &encoding, const Shape &allocShape) {
  const char *what = name(encoding);
  if (storage(encoding) == Storage::Registers)
    return bad(what, "is not an encoding of memory");
  unsigned rank = encodedRank(encoding);
  if (rank == 0)
    rank = unsigned(allocShape.size());
  if (rank > allocShape.size())
    return bad(what, "describes " + std::to_string(rank) + " dimensions; got shape " +
                         toString(allocShape));

  BufferLayout buffers{1, {}, {}, 0};
  const size_t leading = allocShape.size() - rank;
  auto count = [&](int64_t size) -> Result<void> {
    if (size <= 0 || size > int64_t(1) << 40 || buffers.count > (int64_t(1) << 40) / size)
      return bad(what, "has an impossible shape " + toString(allocShape));
    buffers.count *= size;
    return {};
  };
  for (size_t d = 0; d < leading; ++d)
    TLX_LAYOUT_TRY(count(allocShape[d]));
  buffers.shape.assign(allocShape.begin() + long(leading), allocShape.end());
  if (leading == 0 && !buffers.shape.empty() && !isPowerOf2(buffers.shape[0]) &&
      rowsAreSlices(encoding, rank)) {
    TLX_LAYOUT_TRY(count(buffers.shape[0]));
    buffers.shape[0] = 1;
  }
  auto layout = toLinearLayout(encoding, buffers.shape);
  if (!layout)
    return std::move(layout).error();
  buffers.layout = std::move(*layout);
  buffers.stride = storage(encoding) == Storage::TensorMemory ? buffers.layout.inSize(kCol)
                                                              : buffers.layout.inSize(kOffset);
  return buffers;
}

Result<TensorMemorySize> tensorMemorySize(const Encoding &encoding, const Shape &allocShape,
                                          unsigned elementBits) {
  const char *what = name(encoding);
  if (storage(encoding) != Storage::TensorMemory)
    return bad(what, "is not an encoding of tensor memory");
  if (!isPowerOf2(elementBits) || elementBits > 64)
    return bad(what, "needs elements of a power of two of bits up to 64; got " +
                         std::to_string(elementBits));
  auto buffers = bufferLayout(encoding, allocShape);
  if (!buffers)
    return std::move(buffers).error();
  // Lanes 16-31 of each 32 without elements: the half that a 64-row tile leaves
  // free. Scales are copied to all lanes and never leave it.
  const LinearLayout &l = buffers->layout;
  const bool half =
      encoding.as<TensorMemoryEncoding>() && l.inBits(kRow) == 7 && l.packed(kRow)[4] == 0;
  const int64_t bits = buffers->count * buffers->stride * elementBits;
  return TensorMemorySize{half ? 64u : 128u, (bits + 31) / 32};
}

} // namespace tlx::layout
