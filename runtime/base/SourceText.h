//===- SourceText.h - kernel text that a parser may be trusted with -------===//
//
// MLIR's parser recurses without a limit, reads a number in time that grows with
// the square of its digits, and echoes whole lines: two hundred thousand opening
// brackets overflow its stack, and a file of random bytes is printed back. Aliases
// are shared, so that sixty lines
//
//   #a1 = [#a0, #a0]
//   #a2 = [#a1, #a1]
//
// describe what nobody can print or walk. So every tool reads a kernel through
// this one door, which lets only text pass, and only as deeply nested, with
// numbers as long and aliases as large as no kernel has ever had:
//
//   kernel.ttir:3:17: error: nesting deeper than 256 levels
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tlx {

/// Brackets of all kinds that may be open at once. Kernels stay below 40.
inline constexpr unsigned maxSourceNesting = 256;
/// Digits of a number outside of strings.
inline constexpr unsigned maxSourceDigits = 1024;
/// Aliases in what an alias stands for, written out. Kernels stay below 100.
inline constexpr uint64_t maxSourceParts = 65536;

/// The text of a kernel file; "-" is standard input. Errors: what readFile
/// reports, and what checkSourceText does.
Result<std::string> readSourceText(const std::string &path);

/// Refuses what is no text (bytes that are no UTF-8, control characters, MLIR
/// bytecode), what is nested too deeply or grows without end; brackets and digits
/// in strings and comments do not count. `path` is for the error.
Result<void> checkSourceText(std::string_view text, const std::string &path);

} // namespace tlx
