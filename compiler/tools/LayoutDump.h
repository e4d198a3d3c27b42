//===- LayoutDump.h - the layouts of a tile program, for people -----------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tlx {

/// Each type of tile and buffer of `module` once, in order of appearance, and
/// below it where its elements lie: in CuTe notation, or as bases
/// (layout/Print.h). What has no layout yet is said to have none.
void dumpLayouts(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace tlx
