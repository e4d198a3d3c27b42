//===- Export.h - from TLX IR to a simulated program ------------------------===//
//
// Turns one kernel, at any level, into a sim::Program: structured control flow
// becomes jumps, SSA values become registers, each op's declared effects and
// cost go with its instruction, and memory layouts become plain tables.
//
// What cannot be exported is one error with the op's name and location; nothing
// is dropped.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"
#include "sim/program/Program.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace tlx {

struct ExportOptions {
  /// Kernel to export; empty: the module's only public function.
  std::string kernel;
  /// Launch facts known from a manifest or flags; what they leave open is taken
  /// from the module's attributes.
  sim::LaunchFacts facts;
};

/// Whether what the operation computes depends on which elements a thread holds.
bool dependsOnLayouts(mlir::Operation *op);
/// Whether what some operation of the module computes does.
bool dependsOnLayouts(mlir::ModuleOp module);

/// `module` has passed ingest: no calls except to `noinline` functions.
Result<std::unique_ptr<sim::Program>> exportProgram(mlir::ModuleOp module,
                                                    const ExportOptions &options = {});

} // namespace tlx
