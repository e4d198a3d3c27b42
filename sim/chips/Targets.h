//===- Targets.h - the chip that stands for a target -----------------------===//
#pragma once

#include "sim/chips/Chip.h"

namespace tlx::sim {

struct TargetChip {
  const char *target; ///< "cuda:90"
  const char *chip;   ///< a built-in table
  Arch arch;          ///< of any chip for this target
};

/// All targets that there are chips for, for messages: "cuda:90, cuda:100, ...".
std::string targetNames();
/// Null for a target without a chip.
const TargetChip *chipOfTarget(std::string_view target);
/// The target that a chip stands for, else the first one that it can run.
std::string targetOfChip(const Chip &chip);

} // namespace tlx::sim
