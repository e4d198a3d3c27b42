//===- Ingest.h - the front end's IR brought to fbtriton's .ttir level ------===//
//
// Stages, in order, as fbtriton 3.7.4 has them (what they do: the passes' files
// and docs/reference/ingest.md):
//
//   fix-up        launch attributes, legality, layout pins
//   inline        helper functions into kernels, `noinline` ones aside
//   clean up      canonical forms, combined ops, broadcasts late, common
//                 subexpressions, invariants out of loops (AMD), dead functions
//   unroll        loops that ask for it
//
// Afterwards the module verifies. Calls are left to `noinline` functions and,
// inside loops and branches, to functions with early returns. Each task does the
// synchronisation and memory operations that fbtriton's .ttir does, in its order. Later levels need
// none of this; run on them it keeps that order, but may simplify what fbtriton left.
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

/// Appends the stages.
void buildIngestPipeline(mlir::OpPassManager &passes, const LaunchFacts &facts);

/// Brings `module`, at the `.source` level, to the `.ttir` level. On failure an
/// error with a location has been emitted.
mlir::LogicalResult ingestModule(mlir::ModuleOp module, const LaunchFacts &facts);

bool hasCalls(mlir::ModuleOp module);

/// Inlines the calls that a later level has, `noinline` functions aside.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module);

/// What reads a module of any level starts with: `.source` is ingested, of later levels calls are
/// inlined and nothing else is changed.
mlir::LogicalResult prepareModule(mlir::ModuleOp module, IrLevel level, const LaunchFacts &facts);

} // namespace tlx
