//===- Hazards.h - where a task's threads must meet --------------------------===//
//
// See SharedPlan.h for the idea.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/lowering/nvidia/SharedPlan.h"

namespace tlx {
class StorageAliases;
class StorageAllocation;
} // namespace tlx

namespace tlx::nvidia {

/// Fills `plan.meetings`.
mlir::LogicalResult findHazards(tt::FuncOp kernel, const StorageAliases &aliases,
                                const StorageAllocation &allocation, SharedPlan &plan);

} // namespace tlx::nvidia
