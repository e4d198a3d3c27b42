//===- ModuleLimits.h - sizes that every kernel keeps ------------------------===//
//
// What parses may still say that a tile has 2^40 elements or that a CTA has minus
// four warps. The front end makes neither, and nothing behind the parser asks:
//
//   k.ttir:4:8: error: 'tt.splat' has a tile of more than 1048576 elements
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// Of a tile in registers; the front end's own limit.
inline constexpr int64_t maxTileElements = int64_t(1) << 20;
/// Of a buffer in shared or tensor memory.
inline constexpr int64_t maxBufferElements = int64_t(1) << 28;

/// Refuses tiles and buffers without a size, or with one beyond these, and launch
/// parameters that no launch has. `file` is for operations without a location.
Result<void> checkModuleLimits(mlir::ModuleOp module, const std::string &file);

} // namespace tlx
