//===- EncodingText.h - encodings from their MLIR text, for tests ---------===//
//
// Reads `#ttg.blocked<{sizePerThread = [1, 8], ...}>` into the plain structs of
// compiler/layout, so that tables of facts can be written as the IR writes them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/layout/Encodings.h"

#include <string>

namespace tlx::layout::test {

/// Nothing when the text is not an encoding that compiler/layout has.
EncodingPtr parseEncoding(const std::string &text);

/// "[[0, 1], [2, 0]]"
Bases parseBases(const std::string &text);

/// "128x64"
std::vector<int64_t> parseShape(const std::string &text);

} // namespace tlx::layout::test
