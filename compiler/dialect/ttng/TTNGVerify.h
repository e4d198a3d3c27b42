// Facts and checks that several op families of dialect `ttng` share. A check reports
// an error on `op` and fails, or succeeds in silence.
#pragma once

#include "compiler/dialect/ttng/TTNG.h"

namespace tlx::ttng {

/// The module's `ttg.num-ctas`; 1 where it says nothing.
int64_t contextNumCtas(mlir::Operation *op);

/// Whether tensor-core operations that do not say so themselves are those of pairs
/// of CTAs: a property of the module.
bool pairsCtas(mlir::Operation *op);

/// `barrier` is i64, of rank 1, with at most one mbarrier for each CTA.
mlir::LogicalResult verifyBarrier(mlir::Operation *op, mlir::Value barrier);

/// A barrier's count of arrivals is at least 1.
mlir::LogicalResult verifyArrivals(mlir::Operation *op, int32_t count);

/// Block of a tiled or im2col descriptor.
mlir::RankedTensorType blockOf(mlir::Value desc);

/// One predicate for each barrier.
mlir::LogicalResult verifyPredicates(mlir::Operation *op, size_t barriers, size_t preds);

} // namespace tlx::ttng
