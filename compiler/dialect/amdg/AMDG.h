//===- AMDG.h - dialect `amdg`: units of AMD GPUs --------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "compiler/dialect/amdg/AMDGDialect.h.inc"
#include "compiler/dialect/amdg/AMDGEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/amdg/AMDGAttrs.h.inc"

namespace tlx::amdg {

/// i32 offsets of the shape and encoding of a tile.
mlir::Type offsetsFor(mlir::Type tile);
/// Pointer to a tile's elements.
mlir::Type pointerFor(mlir::Type tile);
/// Pointers agree in what they point to, in whatever address space.
bool samePointee(mlir::Type expected, mlir::Type pointer);

} // namespace tlx::amdg

#define GET_OP_CLASSES
#include "compiler/dialect/amdg/AMDGOps.h.inc"
