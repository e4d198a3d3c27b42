//===- ParserErrors.h - MLIR's parse errors in the user's words -------------===//
#pragma once

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <string_view>

namespace tlx {

/// What the parser has to say about `text`, the contents of `file`. MLIR answers
/// what it does not know in words for its developers; here it is named.
std::string parserMessage(mlir::Diagnostic &diagnostic, std::string_view text,
                          std::string_view file);

} // namespace tlx
