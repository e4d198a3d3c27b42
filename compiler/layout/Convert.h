//===- Convert.h - from encodings to linear layouts -----------------------===//
//
// toLinearLayout gives, for an encoding and the shape of the tensor (or of the
// trailing dimensions of a buffer; leading buffer counts are not part of it),
//
//   registers      (register, lane, warp, block)  -> (dim0, dim1, ...)
//   shared memory  (offset, block)                -> (dim0, dim1, ...)
//                  partitioned: (offset, partition, block); offsets in elements
//   tensor memory  (row, col, block)              -> (dim0, dim1, ...)
//                  col counts columns of one element's width
//
// Every encoding but the explicit ones is built in two steps: the tile that one
// instruction or one description covers, and `combine`, which repeats it over
// the CTA's share of the tensor, or makes copies when it is larger than that.
// The tiles are written in Register*.cpp, *Mma.cpp, Shared*.cpp and
// TensorMemory.cpp.
//
// A shape or parameter that the encoding cannot have is an Error that names the
// encoding and says why.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/layout/Encodings.h"
#include "runtime/base/Result.h"

namespace tlx::layout {

/// A tensor shape: powers of two.
using Shape = std::vector<int64_t>;

Result<LinearLayout> toLinearLayout(const Encoding &encoding, const Shape &shape);

/// How many of a buffer's trailing dimensions a shared or tensor-memory encoding
/// describes; 0 for encodings of registers and for explicit ones without bases.
unsigned encodedRank(const Encoding &encoding);

/// An array of equal buffers: what a memdesc describes.
struct BufferLayout {
  int64_t count;       ///< buffers, in leading dimensions
  LinearLayout layout; ///< of one of them
  Shape shape;         ///< of one of them
  /// From one buffer to the next: elements of linear offset in shared memory
  /// (before padding), columns of one element's width in tensor memory.
  int64_t stride;
};

/// Splits a memdesc's allocation shape into buffers and what the encoding
/// describes. The first dimension may be any positive number: where the
/// encoding describes it too (arrays of barriers, byte arrays) and it is no
/// power of two, it counts buffers of extent 1; that takes an encoding without
/// swizzle in which it is the slowest dimension. Subviews have the layout of
/// their allocation.
Result<BufferLayout> bufferLayout(const Encoding &encoding, const Shape &allocShape);

/// What one CTA needs of tensor memory (128 lanes by 512 columns of 32 bits) for
/// all buffers of an allocation: 64 rows when half of the lanes hold nothing,
/// else 128; columns of 32 bits.
struct TensorMemorySize {
  unsigned rows;
  int64_t columns;
  bool operator==(const TensorMemorySize &) const = default;
};
Result<TensorMemorySize> tensorMemorySize(const Encoding &encoding, const Shape &allocShape,
                                          unsigned elementBits);

/// The layout of CTAs, (block) -> (dim0, ...), for a tensor of some rank.
/// `cga` may be empty (one CTA).
Result<LinearLayout> cgaLayout(const Bases &cga, unsigned rank, const char *encodingName);

/// Repeats `tile` over a tensor. The share of one CTA is the shape divided by
/// the CTAs along each dimension, at least 1. A dimension that the tile does not
/// fill gets identity bases on top of the tile's first input, dimension by
/// dimension in the tile's output order; in one that it overfills, the bases
/// that overshoot become zero: copies. The bases of `cga` come last, and the
/// outputs are dim0, dim1, ... in order.
LinearLayout combine(const LinearLayout &tile, const LinearLayout &cga, const Shape &shape);

/// The element of physical storage at which the linear offset `o` lies, once
/// the padding of a padded_shared encoding is inserted.
int64_t paddedOffset(const PaddedSharedEncoding &encoding, int64_t o);

/// Base address alignment in bytes that an encoding's swizzle needs; 16 when it
/// has none of its own.
unsigned sharedAlignment(const Encoding &encoding);

} // namespace tlx::layout
