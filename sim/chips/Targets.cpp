#include "sim/chips/Targets.h"

namespace tlx::sim {

static const std::vector<TargetChip> &targetChips() {
  static const std::vector<TargetChip> rows = {
      {"cuda:90", "h200", Arch::Sm90},           {"cuda:100", "b200", Arch::Sm100},
      {"hip:gfx942", "mi300x", Arch::Gfx9},      {"hip:gfx950", "mi350x", Arch::Gfx9},
      {"hip:gfx1250", "gfx1250", Arch::Gfx1250},
  };
  return rows;
}

std::string targetNames() {
  std::string names;
  for (const TargetChip &row : targetChips())
    names += (names.empty() ? "" : ", ") + std::string(row.target);
  return names;
}

const TargetChip *chipOfTarget(std::string_view target) {
  for (const TargetChip &row : targetChips())
    if (target == row.target)
      return &row;
  return nullptr;
}

std::string targetOfChip(const Chip &chip) {
  std::string target;
  for (const TargetChip &row : targetChips()) {
    if (chip.name() == row.chip)
      return row.target;
    if (target.empty() && chip.arch() == row.arch)
      target = row.target;
  }
  return target;
}

} // namespace tlx::sim
