//===- BlockedLayouts.h - encodings for tiles that nothing else decides ------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

namespace tlx {

struct AxisInfo;

/// Tiles of `shape` over `warps` warps of 32: `vector` consecutive elements a
/// thread along dimension order[0], fewer where threads would have nothing to do;
/// lanes and warps fill the dimensions in `order`.
ttg::BlockedEncodingAttr blockedLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<unsigned> order, int64_t vector, int warps);

/// The last dimension fastest.
ttg::BlockedEncodingAttr rowMajorLayout(mlir::RankedTensorType type, int64_t vector, int warps);

/// For accesses to global memory through pointers of which `info` is known: up to
/// 16 bytes a thread along the dimension with the longest runs.
ttg::BlockedEncodingAttr accessLayout(mlir::RankedTensorType pointers, const AxisInfo &info,
                                      int warps);

} // namespace tlx
