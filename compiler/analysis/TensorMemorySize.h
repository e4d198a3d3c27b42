//===- TensorMemorySize.h - lanes and columns of tensor-memory buffers -----===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include <optional>

namespace tlx {

/// A rectangle of tensor memory; a column is 32 bits wide, lanes are 64 or 128.
struct TensorMemorySize {
  int64_t lanes = 0;
  int64_t columns = 0;
};

/// What a buffer of `shape` occupies whose elements and encoding are those of
/// `type` (PTX ISA, "Data path layout organization" and "Scale Factor layouts in
/// Tensor Memory"), all buffers of a multi-buffered one side by side. Nothing when
/// the encoding is none of tensor memory's or the shape does not fit it. A layout
/// still to be chosen (`dummy_tmem_layout`) counts as that of scale factors, as
/// fbtriton counts it.
std::optional<TensorMemorySize> tensorMemorySize(ttg::MemDescType type,
                                                 llvm::ArrayRef<int64_t> shape);

} // namespace tlx
