//===- Reduce.h - what a reduction exchanges ------------------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Convert.h"

#include "compiler/analysis/EncodingToLayout.h"

namespace tlx::nvidia {

/// Why a layout cannot be reduced along an axis; nothing when it can.
std::optional<std::string> reductionProblem(const layout::LinearLayout &layout, unsigned axis);

/// Partial results of the warps along the axis: who has them, and who reads them
/// (all parts, each in registers of its own). The last dimension is the part.
Movement reductionExchange(const layout::LinearLayout &source, unsigned axis);

/// Whether a reduction asks if a condition holds for any element of a tile, or for all. The barrier
/// of the task answers; copies that threads have of each other's elements make no difference.
bool isQuestion(mlir::Operation *op);

int64_t reductionScratch(tt::ReduceOp op);

} // namespace tlx::nvidia
