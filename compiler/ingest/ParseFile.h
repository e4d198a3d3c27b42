//===- ParseFile.h - TLX IR from text, at any level ------------------------===//
//
// All tools read IR here, so that a bad file gives the same single located error
// everywhere: missing, a directory, not text, nested too deeply, not IR, an
// unknown operation, a verifier's complaint.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tlx {

/// How far the front end and fbtriton's passes have taken the IR.
enum class IrLevel { Source, Ttir, Ttgir };

const char *name(IrLevel level);

struct ParseOptions {
  /// Ops of dialects that are not registered are kept as they are.
  bool allowUnregistered = false;
  /// Check invariants after parsing. A file named `*.source` is never checked
  /// here: the front end's IR may lack what the verifiers need.
  bool verify = true;
};

/// Parses text; `file` is for messages.
Result<mlir::OwningOpRef<mlir::ModuleOp>> parseText(std::string_view text, const std::string &file,
                                                    mlir::MLIRContext &context,
                                                    const ParseOptions &options = {});

/// Reads and parses a file; "-" is standard input.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
parseFile(const std::string &path, mlir::MLIRContext &context, const ParseOptions &options = {});

/// The level of `module`, from its name and what it contains: the cluster shape
/// among its attributes means ttgir; calls without it, source; a layout on every
/// tile, ttgir.
IrLevel irLevelOf(mlir::ModuleOp module, std::string_view path);

/// The place in a file that a location names best: Python's when there is one.
SourceLocation sourceLocationOf(mlir::Location loc);

/// Collects what MLIR reports while it lives, in place of printing it: the first
/// error with its notes.
class FirstError {
public:
  /// `text`, the contents of `file`, helps to name what a parser does not know.
  explicit FirstError(mlir::MLIRContext *context, std::string_view text = {},
                      std::string file = {});
  /// The first error reported, or `otherwise`.
  Error take(const std::string &otherwise);

private:
  std::optional<Error> first;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tlx
