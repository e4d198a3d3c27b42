//===- TTNG.h - dialect `ttng`: encodings, descriptors and ops -------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "compiler/dialect/ttng/TTNGDialect.h.inc"
#include "compiler/dialect/ttng/TTNGEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/ttng/TTNGAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/ttng/TTNGTypes.h.inc"

namespace tlx::ttng {

/// The tensor memory of a CTA.
struct TensorMemory : public mlir::SideEffects::Resource::Base<TensorMemory> {
  llvm::StringRef getName() final { return "<TensorMemory>"; }
};

/// The space that a buffer lives in; `None` when its type names none we know.
sync::Space spaceOf(mlir::Value buffer);

/// Rank of the CTA whose copy of a buffer is meant, where the buffer comes
/// straight from a `map_to_remote_buffer`; null otherwise.
mlir::Value remoteRankOf(mlir::Value buffer);

} // namespace tlx::ttng

#define GET_OP_CLASSES
#include "compiler/dialect/ttng/TTNGOps.h.inc"
