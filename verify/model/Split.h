//===- Split.h - loops one after the other, and one loop over both ---------===//
//
// A producer loads n1 tiles, then n2; its consumer takes n1 + n2 in one loop. That
// 0 < n1 + n2 - k goes on exactly as long as the producer's two loops is no closed form
// of either condition. The consumer's loop is therefore cut in two where the producer's
// are: the same iterations in the same order, and conditions that are the same.
//
// Alternative not taken: relations between the intervals of decisions. The distance
// between the consumer's iteration and that of the producer's second loop grows with n1,
// so the graph of states would not end.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

/// Cuts loops over a sum that another task divides between loops in sequence.
void splitLoops(Program &program);

} // namespace tlx::verify
