//===- Views.h - memory references that several families make -------------===//
#pragma once

#include "sim/functional/Exec.h"

namespace tlx::sim {

/// Result 0 becomes the memory of the instruction's allocation.
void allocate(Exec &exec);

/// Stores a register tensor into the memory that register `memory` holds now.
bool storeThrough(Exec &exec, Reg memory, const Value &value, const Type &as);

/// Reports the accesses that an instruction declares for a moment, in a run
/// without values, which makes no others.
void noteDeclared(Exec &exec, sync::Moment moment);

/// indexStride() of a type; leading dimensions cost a look-up only.
int64_t indexStride(const Prepared &prepared, TypeId type);

} // namespace tlx::sim
