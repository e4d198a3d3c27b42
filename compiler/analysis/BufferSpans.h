//===- BufferSpans.h - which memory the parts of a buffer occupy -----------===//
//
// A subslice of a tile is a rectangle of elements, but neither a rectangle nor a
// row of bytes in memory: swizzled rows exchange their 16-byte chunks, column
// blocks lie one after the other.
//
//   128x128xf16, nvmma_shared, 128-byte swizzle
//     columns [0, 64)    one span of 16384 bytes
//     rows [64, 128)     two spans of 8192 bytes
//     columns [0, 32)    128 spans of 64 bytes
//
// Units: bytes of shared memory, 32-bit columns of tensor memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include <optional>

namespace tlx {

/// What a CTA's part of a buffer of `shape` occupies whose elements and encoding are those of
/// `type`, padding included; nothing when the encoding cannot have the shape.
std::optional<int64_t> sizeInMemory(ttg::MemDescType type, llvm::ArrayRef<int64_t> shape);

struct BufferSpan {
  int64_t begin = 0, end = 0;
  bool operator==(const BufferSpan &) const = default;
};

/// The elements [offsets, offsets + shape) of a buffer of shape `whole`.
struct BufferPart {
  llvm::ArrayRef<int64_t> whole, offsets, shape;
};

/// Where a part of one buffer lies, from the buffer's start, in order; of tensor
/// memory all lanes. Elements and encoding are those of `type`. Nothing when that
/// cannot be told: the encoding is none of one buffer's, the buffer is spread over
/// CTAs, or only some lanes of a column are meant.
std::optional<llvm::SmallVector<BufferSpan>> spansOf(ttg::MemDescType type, const BufferPart &part);

} // namespace tlx
