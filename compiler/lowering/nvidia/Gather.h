//===- Gather.h ---------------------------------------------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Global.h"

namespace tlx::nvidia {

/// Scratch memory of gathers, scans and histograms; 0 for other operations.
int64_t gatherScratch(Operation *op);

} // namespace tlx::nvidia
