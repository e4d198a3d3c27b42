//===- AxisInfo.h - runs of consecutive, aligned or equal elements ------------===//
//
// How wide an access to global memory can be depends on what is known of its
// pointers along each dimension of the tile:
//
//   contiguity    elements come in runs of this length, each one more than the last
//   divisibility  the first element of every run is a multiple of this
//   constancy     elements come in runs of this length that are all equal
//
//   make_range 0 … 127                       contiguity 128, divisibility 2^k
//   splat %p (tt.divisibility = 16)          constancy 128, divisibility 16
//   addptr of the two, f32                   contiguity 128, divisibility 16 bytes
//
// Runs begin at multiples of their length. All numbers are powers of two. Pointers
// count contiguity in elements and divisibility in bytes. It is a forward analysis
// over the whole function; loops are followed until nothing changes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"

#include "llvm/ADT/DenseMap.h"

namespace tlx {

struct AxisInfo {
  llvm::SmallVector<int64_t, 4> contiguity, divisibility, constancy;
  bool operator==(const AxisInfo &) const = default;
  unsigned rank() const { return contiguity.size(); }
  /// Nothing known; scalars have rank 1.
  static AxisInfo unknown(mlir::Type type);
};

class AxisInfos {
public:
  explicit AxisInfos(tt::FuncOp function);
  AxisInfo of(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

} // namespace tlx
