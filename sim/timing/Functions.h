//===- Functions.h - what functions of the mathematical library take ------===//
//
// Counts of instructions of NVIDIA's library code on its main path: how many there
// are (of machine code that fbtriton's kernels run, counted by the profiler), and
// how many wait for each other (sim/validation: function.latency, over the latency
// of a step).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/program/Ops.h"

#include <string_view>

namespace tlx::sim {

struct FunctionCode {
  int instructions = 0; ///< in double precision half of them on its pipe
  int series = 0;       ///< that wait for each other
};

/// Of an operation that the compiler makes a call of, or of a library symbol
/// ("__nv_tanhf"). No instructions: not such a function.
FunctionCode functionCode(Op op, std::string_view symbol, bool fp64);

} // namespace tlx::sim
