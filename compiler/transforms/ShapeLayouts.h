//===- ShapeLayouts.h - layouts through reshapes and transposes ---------------===//
//
// An op that only names elements otherwise moves nothing when its two sides have
// layouts that differ in the names alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

namespace tlx {

/// `tt.reshape` or `tt.trans`.
bool renamesElements(mlir::Operation *op);

/// The layout of the op's result when its operand has `layout`, and the other way
/// round; null where there is none.
mlir::Attribute layoutAfter(mlir::Operation *op, mlir::Attribute layout);
mlir::Attribute layoutBefore(mlir::Operation *op, mlir::Attribute layout);

/// Whether both halves along the last dimension are in the same threads.
bool hasHalvesInThreads(mlir::RankedTensorType type, mlir::Attribute layout);

} // namespace tlx
