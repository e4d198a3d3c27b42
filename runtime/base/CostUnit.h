//===- CostUnit.h - the hardware units that work is counted for -------------===//
//
// A word that the compiler, which declares each op's cost, and the simulator,
// which turns it into time, share.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tlx {

/// The hardware unit that an op's main work runs on.
enum class CostUnit : uint8_t {
  None,         ///< no instructions: views, constants, structure
  Scalar,       ///< uniform address and control arithmetic
  Alu,          ///< integer and logic, selects, comparisons
  Fma,          ///< f32/f16 add, mul, fma
  Fp64,         ///< double precision
  Mufu,         ///< special functions: exp2, log2, rsqrt, sin
  Convert,      ///< conversions between number formats
  LoadStore,    ///< global loads, stores, atomics
  SharedMemory, ///< shared-memory loads and stores, layout conversions
  Shuffle,      ///< exchanges between the lanes of a warp (reduce, scan)
  Tma,          ///< bulk copies by the TMA engine
  TensorCore,   ///< mma, wgmma, tcgen05
  TensorMemory, ///< tcgen05.ld, st, cp
  Barrier,      ///< barrier and fence instructions
};

const char *name(CostUnit unit);

} // namespace tlx
