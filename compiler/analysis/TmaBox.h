//===- TmaBox.h - what one TMA copy moves of a tile ---------------------------===//
//
// A tensor map has a box of at most 256 elements along each dimension, whose rows
// are no longer than the swizzle spans (CUDA driver API, cuTensorMapEncodeTiled).
// A larger tile is moved by several copies:
//
//   64 x 256 elements of 16 bits, swizzled by 128 bytes: 4 boxes of 64 x 64
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"
#include "runtime/base/Result.h"

#include <vector>

namespace tlx {

struct TmaBox {
  std::vector<int64_t> shape;
  std::vector<int64_t> share; ///< the part of the tile that each CTA of a cluster moves
  int64_t swizzleBytes = 0;
};

/// Of a tile in an encoding of shared memory; an Error when TMA cannot write it.
Result<TmaBox> tmaBox(llvm::ArrayRef<int64_t> tile, mlir::Type element, mlir::Attribute encoding);

} // namespace tlx
