//===- SharedBuffers.h - shared memory that passes make ----------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/Builders.h"

namespace tlx {

ttg::MemDescType memoryType(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                            mlir::Attribute encoding);

/// Elements one after the other, the last dimension fastest.
ttg::MemDescType plainMemoryType(llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// Of an mbarrier.
ttg::MemDescType barrierType(mlir::MLIRContext *context);

/// Memory that nothing has been written to.
mlir::Value allocate(mlir::OpBuilder &b, mlir::Location loc, ttg::MemDescType type);

mlir::Value integer(mlir::OpBuilder &b, mlir::Location loc, int64_t value, unsigned bits = 32);

} // namespace tlx
