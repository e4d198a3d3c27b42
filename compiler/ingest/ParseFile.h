//===- ParseFile.h - TLX IR from a file, at any level ----------------------===//
//
// All tools read IR here, so that a bad file gives the same single located error
// everywhere: missing, a directory, not text, nested too deeply, not IR, an
// unknown operation, a verifier's complaint.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace tlx {

/// How far the front end and fbtriton's passes have taken the IR.
enum class IrLevel { Source, Ttir, Ttgir };

llvm::StringRef name(IrLevel level);

struct ParseOptions {
  /// Ops of dialects that are not registered are kept as they are.
  bool allowUnregistered = false;
  /// Check invariants after parsing. A file named `*.source` is never checked
  /// here: the front end's IR may lack what the verifiers need.
  bool verify = true;
};

/// Parses `path` ("-": standard input). On failure the error has been printed as
/// `file:line:col: error: ...` and the result is null.
mlir::OwningOpRef<mlir::ModuleOp> parseFile(llvm::StringRef path, mlir::MLIRContext &context,
                                            const ParseOptions &options = {});

/// The same for text that is already in memory; `sourceMgr` must outlive the
/// handler that prints later diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> parseBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                              mlir::MLIRContext &context,
                                              const ParseOptions &options = {});

/// The level of `module`, from what it contains: register encodings everywhere
/// mean ttgir, calls or missing module attributes on a `.source` mean source.
IrLevel irLevelOf(mlir::ModuleOp module, llvm::StringRef path);

} // namespace tlx
