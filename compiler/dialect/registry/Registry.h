//===- Registry.h - every dialect that TLX IR may contain ------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tlx {

/// Our dialects and the upstream ones that occur beside them: arith, math, scf,
/// cf, ub, gpu, llvm, rocdl.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace tlx
