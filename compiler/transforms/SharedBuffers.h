//===- SharedBuffers.h - shared memory that passes make ----------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// What passes may fill of a CTA's shared memory, 227 KiB: the rest is for the lowering's scratch.
constexpr int64_t kMostSharedBytes = 160 * 1024;

/// Whether the module is for the chips whose wgmma and rings of copies passes may use.
bool isForHopper(mlir::ModuleOp module);

ttg::MemDescType memoryType(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                            mlir::Attribute encoding);

/// Elements one after the other, the last dimension fastest.
ttg::MemDescType plainMemoryType(llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// The widest swizzle that the rows of a tile fill, or its columns where those are
/// consecutive.
mlir::Attribute swizzledLayout(mlir::RankedTensorType tile, bool columns = false);

/// A view of a buffer of two dimensions, transposed.
mlir::Value transposed(mlir::OpBuilder &b, mlir::Location loc, mlir::Value buffer);

/// Of an mbarrier.
ttg::MemDescType barrierType(mlir::MLIRContext *context);

/// Memory that nothing has been written to.
mlir::Value allocate(mlir::OpBuilder &b, mlir::Location loc, ttg::MemDescType type);

mlir::Value integer(mlir::OpBuilder &b, mlir::Location loc, int64_t value, unsigned bits = 32);

} // namespace tlx
