//===- Ttgir.h - from .ttir to .ttgir -----------------------------------------===//
//
// Stages, in order (what they do: the passes' files):
//
//   launch parameters   as attributes of the module, where they are missing
//   storage aliases     become allocations and views of them
//   descriptors         get layouts; their tiles go through buffers
//   layouts             of tiles
//   remade tiles        instead of conversions; what is equal or unused goes
//   conversions         leave loops that do not change their tiles
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

/// Brings `module` from `level` to the level of `.ttgir`, without calls.
Result<void> raiseToTtgir(mlir::ModuleOp module, IrLevel level, const LaunchFacts &facts);

} // namespace tlx
