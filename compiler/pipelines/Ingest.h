//===- Ingest.h - the front end's IR brought to fbtriton's .ttir level ------===//
//
// Stages, in order, as fbtriton 3.7.4 has them (what they do: the passes' files):
//
//   fix-up        launch attributes, legality, layout pins
//   inline        helper functions into kernels, `noinline` ones aside
//   clean up      canonical forms, combined ops, broadcasts late, common
//                 subexpressions, invariants out of loops, dead functions
//   unroll        loops that ask for it
//
// Afterwards the module verifies, has no calls but to `noinline` functions, and
// does the same synchronisation and memory operations in the same order as
// before. Running it on what it made changes nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/ingest/LaunchFacts.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class OpPassManager;
}

namespace tlx {

/// Appends the stages.
void buildIngestPipeline(mlir::OpPassManager &passes, const LaunchFacts &facts);

/// Brings `module`, at the `.source` or `.ttir` level, to the `.ttir` level. On
/// failure an error with a location has been emitted.
mlir::LogicalResult ingestModule(mlir::ModuleOp module, const LaunchFacts &facts);

} // namespace tlx
