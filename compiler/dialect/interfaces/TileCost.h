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

#include "runtime/base/CostUnit.h"

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

#include <cstdint>

namespace tlx {

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
  template <typename ConcreteOp> class Impl : public mlir::OpTrait::TraitBase<ConcreteOp, Impl> {};
};

/// The cost of `op`; ops of upstream dialects are covered by one table.
TileCost tileCostOf(mlir::Operation *op);

} // namespace tlx

#include "compiler/dialect/interfaces/TileCost.h.inc"
