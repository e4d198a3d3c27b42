//===- Atomics.h --------------------------------------------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia {

/// Scratch memory through which an atomic's old values are told; 0 for none.
int64_t atomicScratch(Operation *op);

} // namespace tlx::nvidia
