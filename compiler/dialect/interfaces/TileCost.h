//===- TileCost.h - the work an op asks of the hardware, declared once -----===//
//
// A tile op names the unit that does its main work and how much of it there is,
// counted over the whole tile; register layouts refine it later (how many warp
// instructions, wavefronts and conflicts that becomes).
//
//   arith.mulf on tensor<128x64xf32>  => { Fma, elements = 8192 }
//   ttng.warp_group_dot 64x256x64     => { TensorCore, m, n, k, bits of A }
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

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

struct TileCost {
  CostUnit unit = CostUnit::None;
  /// Elements processed, over the whole tile.
  int64_t elements = 0;
  /// Bytes moved, over the whole tile.
  int64_t bytes = 0;
  /// Matrix products: m x n x k and the width of A's elements.
  int64_t m = 0, n = 0, k = 0;
  int operandBits = 0;
};

/// Trait of ops whose work is proportional to the elements of their largest
/// operand or result.
template <CostUnit unit> struct CostPerElement {
  template <typename ConcreteOp>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteOp, Impl> {};
};

/// The cost of `op`; ops of upstream dialects are covered by one table.
TileCost tileCostOf(mlir::Operation *op);

} // namespace tlx

#include "compiler/dialect/interfaces/TileCost.h.inc"
