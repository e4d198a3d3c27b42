//===- Ttgir.h - from .ttir to .ttgir -----------------------------------------===//
//
// Stages, in order (what they do: the passes' files):
//
//   launch parameters   as attributes of the module, where they are missing
//   more warps          where a product does not fit in registers, and the launch is ours to make
//   storage aliases     become allocations and views of them
//   descriptors         get layouts; their tiles go through buffers
//   layouts             of tiles
//   remade tiles        instead of conversions; what is equal or unused goes
//   conversions         leave loops that do not change their tiles
//   products            of registers are issued behind the wait for the one before
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/ingest/LaunchFacts.h"
#include "compiler/ingest/ParseFile.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class OpPassManager;
}

namespace tlx {

/// Appends the stages after the first.
void buildTtgirPipeline(mlir::OpPassManager &passes);

/// Brings `module` from `level` to the level of `.ttgir`, without calls. Machine code (`forCode`)
/// may have more warps than the launch says; its package says how many. Text keeps to the launch.
Result<void> raiseToTtgir(mlir::ModuleOp module, IrLevel level, const LaunchFacts &facts,
                          bool forCode = false);

} // namespace tlx
