//===- Lowering.h - a kernel at the level of .ttgir to one thread's program -===//
//
// From tiles to what one thread does: LLVM's dialect with NVVM, for sm_90a.
//
//   tt.func @k(%p: !tt.ptr<f32>) {                llvm.func @k(%p: !llvm.ptr<1>, …)
//     %x = tt.load %ptrs : 128 pointers    =>       ld.global of this thread's share
//
// The walk goes over the operations once, in program order; a table gives each
// its function, by family (Families.h). Where a tile's elements lie, in registers
// and in shared memory, is read off linear layouts and nothing else.
//
// The alternative not taken is MLIR's dialect conversion with one struct for each
// tile: it packs and unpacks the struct around every operation, which costs more
// compile time than everything else, and its rewrites see no program order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <array>
#include <string>

namespace tlx {

/// A kernel as one function of LLVM's dialect. Its parameters are those of the
/// source function, then two pointers to scratch memory in global memory: the
/// kernel's own, and one that is not used.
struct LoweredKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string name;
  int64_t warps = 0;       ///< launched for a CTA: partitions and padding included
  int64_t sharedBytes = 0; ///< dynamic shared memory of a CTA
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t globalScratchBytes = 0; ///< for each CTA
  int64_t globalScratchAlignment = 1;
};

/// On failure one error with a location has been emitted: the first operation
/// that has no lowering, or what it asks that the hardware does not have.
mlir::FailureOr<LoweredKernel> lowerToNvvm(tt::FuncOp kernel);

} // namespace tlx
