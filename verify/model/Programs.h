//===- Programs.h - races between the programs of a grid -------------------===//
#pragma once

#include "verify/model/Program.h"

#include <array>
#include <map>
#include <optional>

namespace tlx::verify {

/// A launch that is known: sizes of the grid in clusters, and symbols by name.
struct KnownLaunch {
  std::string from; ///< file
  std::array<int64_t, 3> grid{1, 1, 1};
  std::map<std::string, int64_t> values;
};

struct GridRaces {
  std::optional<Excess> race; ///< that certainly happens
  std::vector<std::string> notes;
};

/// Accesses to the same elements of global memory that nothing orders: of different programs,
/// and of different threads of one task. `mayWait`: programs may wait for each other through
/// global memory; nothing between them is certain then.
GridRaces racesOfGrid(const Program &program, const std::vector<KnownLaunch> &launches,
                      bool mayWait);

} // namespace tlx::verify
