//===- Programs.h - races between the programs of a grid -------------------===//
#pragma once

#include "verify/model/Program.h"

#include <optional>
#include <set>

namespace tlx::verify {

/// Two accesses of different programs to the same elements of global memory that nothing orders:
/// certain ones only, in the first iterations of the loops around them. `masked`: operations that
/// may leave out elements of their tile, but not the first.
std::optional<Excess> raceBetweenPrograms(const Program &program, const std::set<int64_t> &masked);

} // namespace tlx::verify
