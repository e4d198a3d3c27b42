//===- SourceText.h - kernel text that a parser may be trusted with -------===//
//
// MLIR's parser recurses without a limit and echoes whole lines: two hundred
// thousand opening brackets overflow its stack, and a file of random bytes is
// printed back. So every tool reads a kernel through this one door, which lets
// only text pass, and only as deeply nested as no kernel has ever been:
//
//   kernel.ttir:3:17: error: nesting deeper than 256 levels
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <string>
#include <string_view>

namespace tlx {

/// Brackets of all kinds that may be open at once. Kernels stay below 40.
inline constexpr unsigned maxSourceNesting = 256;

/// The text of a kernel file; "-" is standard input. Errors: what readFile
/// reports, and what checkSourceText does.
Result<std::string> readSourceText(const std::string &path);

/// Refuses what is no text (bytes that are no UTF-8, control characters, MLIR
/// bytecode) and what is nested too deeply; brackets in strings and comments
/// do not count. `path` is for the error.
Result<void> checkSourceText(std::string_view text, const std::string &path);

} // namespace tlx
