//===- Verification.h - the verdict on a document --------------------------===//
#pragma once

#include "compiler/tools/lsp/Document.h"

#include <vector>

namespace tlx::lsp {

/// What tlx-verify says of the document, each finding at the operation it blames; a
/// BUG's trace becomes related information. The tool runs as a process of its own, so
/// that nothing it meets ends the server. A proved kernel gives an informational line.
std::vector<llvm::lsp::Diagnostic> verify(const Document &document, const std::string &tool);

/// The one diagnostic of a document that is no IR.
llvm::lsp::Diagnostic problemOf(const Document &document);

} // namespace tlx::lsp
