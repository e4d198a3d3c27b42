//===- LayoutProblem.h - which layouts a function's tiles can have ------------===//
//
// A variable stands for the layout of some tiles. Every tile has one; so has every
// place where an op takes or gives a tile whose layout may differ from the tile's
// own, so that a conversion goes in between.
//
//   %s = arith.addf %x, %y      x, y and s: one variable
//   %l = tt.load %p, %m         p, m and what the load gives: one; l: another,
//                               with a conversion between the two if they differ
//   %r = tt.reduce %x {axis}    what it gives: the slice of x's variable
//   %t = tt.trans %x            x and t: the same elements under other names, so
//                               that nothing moves, wherever it can be had
//
// Constants, ranges and splats cost nothing to make in any layout: no place that
// uses them shares their variable.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/AxisInfo.h"
#include "compiler/dialect/ttg/TTG.h"
#include "compiler/dialect/ttng/TTNG.h"

namespace tlx {

/// Makes a tile of any layout without reading another tile.
bool isFreeSource(mlir::Operation *op);

class LayoutProblem {
public:
  explicit LayoutProblem(tt::FuncOp function);

  /// Chooses a layout for every variable; an error has been emitted on failure.
  mlir::LogicalResult solve();

  /// The layout chosen.
  mlir::Attribute of(mlir::Value value) const { return layoutOf(variables.lookup(value)); }
  /// As `operand`'s op takes it, and as its op gives `result`.
  mlir::Attribute taken(mlir::OpOperand &operand) const;
  mlir::Attribute given(mlir::OpResult result) const;

private:
  using Variable = unsigned;
  struct Info {
    mlir::RankedTensorType type; ///< of the largest tile
    mlir::Operation *context = nullptr;
    mlir::Attribute layout;
  };
  /// child = slice of parent along axis.
  struct Slice {
    Variable child, parent;
    unsigned axis;
  };

  /// The op renames the elements of one to those of the other.
  struct Renaming {
    Variable source, result;
    mlir::Operation *op;
  };

  void visit(mlir::Operation *op);
  void visitAccess(mlir::Operation *op, mlir::Value pointers, mlir::Value mask);
  void visitDot(tt::DotOp op);
  void visitReduce(tt::ReduceOp op);
  void visitCat(tt::CatOp op);
  void visitFp4(ttg::Fp4ToFpOp op);
  void visitBallot(ttng::VoteBallotSyncOp op);
  void tieAll(mlir::Operation *op);
  void tie(mlir::OpOperand &operand, mlir::Value with);
  void prefer(mlir::Value value, mlir::Attribute layout);

  Variable fresh(mlir::RankedTensorType type, mlir::Operation *context);
  Variable variableOf(mlir::Value value);
  /// A variable of its own for the place, next to the tile's.
  Variable place(mlir::OpOperand &operand);
  /// The same for a tile that costs nothing to make; otherwise the tile's own.
  Variable placeOrOwn(mlir::OpOperand &operand);
  Variable place(mlir::OpResult result);
  void join(Variable a, Variable b);
  Variable leaderOf(Variable variable) const;
  mlir::Attribute layoutOf(Variable variable) const { return infos[leaderOf(variable)].layout; }

  mlir::LogicalResult fix();
  void spread(Variable from);
  void keepPairs();
  int warpsOf(const Info &info) const;

  tt::FuncOp function;
  AxisInfos axes;
  llvm::SmallVector<Info> infos;
  mutable llvm::SmallVector<Variable> parents;
  llvm::DenseMap<mlir::Value, Variable> variables;
  llvm::DenseMap<mlir::OpOperand *, Variable> operandPlaces;
  llvm::DenseMap<mlir::Value, Variable> resultPlaces;
  llvm::SmallVector<std::pair<Variable, Variable>> conversions;
  llvm::SmallVector<Slice> slices;
  llvm::SmallVector<Renaming> renamings;
  /// Of tiles whose halves must lie in the same threads.
  llvm::SmallVector<Variable> pairs;
  llvm::SmallVector<std::pair<Variable, mlir::Attribute>> required, preferred;
  /// By leader, once solving begins.
  llvm::DenseMap<Variable, llvm::SmallVector<unsigned>> conversionsOf, slicesOf, renamingsOf;
};

} // namespace tlx
