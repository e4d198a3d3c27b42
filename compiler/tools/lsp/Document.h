//===- Document.h - one open file of IR ------------------------------------===//
//
// The text as the editor has it, what the parser says of it, and where each
// operation stands in it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/LSP/Protocol.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>
#include <string>

namespace tlx::lsp {

class Document {
public:
  Document(std::string path, std::string text);

  const std::string &path() const { return file; }
  const std::string &text() const { return content; }

  /// Why the text is no IR, when it is none.
  const std::optional<Error> &problem() const { return parseProblem; }

  /// Markdown on the operation at a position: what it does to barriers and
  /// memory, and the work it asks of the hardware. Empty when there is none.
  std::string describe(llvm::lsp::Position at) const;

  /// Where the operation stands that came from this line of a source file; the
  /// first line of the document when none did.
  llvm::lsp::Range rangeOf(const SourceLocation &location) const;

private:
  const mlir::AsmParserState::OperationDefinition *operationAt(llvm::lsp::Position at) const;

  std::string file, content;
  std::unique_ptr<mlir::MLIRContext> context;
  llvm::SourceMgr sources;
  mlir::Block parsed;
  mlir::AsmParserState state;
  std::optional<Error> parseProblem;
};

} // namespace tlx::lsp
