//===- Compile.h - a kernel to a package ---------------------------------------===//
//
//   IR ── lowering ── LLVM's dialect ── LLVM IR ── PTX ── cubin ── package
//
// Each step's product can be had instead of the package.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Package.h"
#include "runtime/base/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tlx {

enum class Product { Ttgir, Llvm, Ptx, Cubin, Package };

struct CompileOptions {
  std::string kernel;    ///< the function; empty: the only public one
  std::string file;      ///< for messages
  std::string text;      ///< the source, for the package's hash
  std::string assembler; ///< ptxas; empty: none, packages carry PTX
};

struct Compiled {
  Package package;  ///< without code unless it was asked for
  std::string text; ///< of the product, when it is not a package
  std::string log;  ///< what the assembler said
};

/// `module` is at the level of `.ttgir`.
Result<Compiled> compileModule(mlir::ModuleOp module, const CompileOptions &options,
                               Product product);

} // namespace tlx
