//===- Pace.h - loops that take turns count alike --------------------------===//
//
// One task visits every tile, two others every second one each: with iterations
// numbered 0, 1, 2, ... and 0, 2, 4, ... and 1, 3, 5, ... equal numbers are equal
// tiles. Closed forms in these numbers are then equal where the values are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

/// Sets the pace of loops over one range with different steps.
void setPaces(Program &program);

} // namespace tlx::verify
