//===- BuiltinChips.h - the chip tables that are linked in ----------------===//
#pragma once

#include <string_view>
#include <vector>

namespace tlx::sim {

struct BuiltinChip {
  std::string_view name; ///< the file's stem
  std::string_view text;
};

/// The contents of sim/chips/data/*.chip (BuiltinChips.cpp is made from them).
const std::vector<BuiltinChip> &builtinChips();

} // namespace tlx::sim
