//===- EncoderImpl.h - one CTA's tasks being encoded ----------------------===//
#pragma once

#include "compiler/analysis/ClusterSync.h"
#include "compiler/dialect/interfaces/SyncEffects.h"
#include "compiler/dialect/ttg/TTG.h"
#include "verify/encode/Encoder.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tlx::verify {

/// A memdesc value: a rectangle of one slot of an allocation.
struct View {
  int root = -1;        ///< index into Encoder::roots
  ExprId slot = NoExpr; ///< NoExpr: all slots
  bool indexed = false;
  /// Rectangle within the slot, in elements (columns for tensor memory): x is
  /// the last dimension, y the one before it.
  int64_t x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  bool transposed = false;
  bool opaque = false;  ///< reinterpreted: parts can no longer be told apart
  ExprId rank = NoExpr; ///< of a remote view
};

/// The value is `view` when `when` holds; the conditions exclude each other.
struct ViewCase {
  ExprId when = NoExpr; ///< NoExpr: always
  View view;
};
using ViewSet = std::vector<ViewCase>;

struct Root {
  mlir::Value value;
  std::string name;
  int buffer = -1, barrier = -1;
  int slots = 1;
  int64_t columns = 1, rows = 1; ///< of one slot, in elements
  int64_t elementBits = 8;
  bool tensor = false;
  int space = -1;
  bool bytes = false; ///< aliased: addressed in bytes, x only
};

/// The argument that a pointer is computed from; null when unclear.
mlir::Value pointerRoot(mlir::Value pointer);

/// State shared by all CTAs and tasks of a kernel.
class Encoder {
public:
  Encoder(mlir::Operation *function, const LaunchShape &launch, EncodedKernel &out);
  void run();

private:
  // Encoder.cpp
  bool readLaunch();
  void scan();
  void encodeRank(int rank);
  Block region(mlir::Region &region);
  void block(mlir::Block &block, Block &out);
  void operation(mlir::Operation *op, Block &out);
  void specialize(mlir::Operation *op, Block &out);
  void unsupported(mlir::Operation *op, const std::string &why, Block &out);

  // Control.cpp
  void forLoop(mlir::Operation *op, Block &out);
  void whileLoop(mlir::Operation *op, Block &out);
  bool synchronises(const Block &block) const;
  void ifElse(mlir::Operation *op, Block &out);
  bool isScalar(mlir::Type type) const;
  VarId newVar(mlir::Value value);

  // Scalars.cpp
  ExprId scalar(mlir::Value value);
  ExprId compute(mlir::Operation *op, unsigned result);
  ExprId argument(mlir::BlockArgument arg);
  ExprId unknown(mlir::Value value, const std::string &name, bool perEvaluation);

  // Views.cpp
  ViewSet view(mlir::Value value);
  ViewSet viewOf(mlir::Operation *op, mlir::Value value);
  int rootOf(mlir::Value alloc, mlir::Operation *op);
  int bufferOf(int root);
  int barrierOf(int root);
  bool targetOf(const View &view, bool barrier, Target &target);

  // Effects.cpp
  void effects(mlir::Operation *op, Block &out);
  bool effect(mlir::Operation *op, const tlx::SyncEffect &e, std::vector<Effect> &out,
              std::string &why);
  bool dependsOn(ExprId expr, ExprId leaf) const;
  ExprId withThread(ExprId expr, int64_t t);
  int namedBarriers();
  void clusterSync(mlir::Operation *op, const char *what, Block &out);

  SourceLoc locOf(mlir::Operation *op) const;
  std::string nameOf(mlir::Value value, const char *fallback) const;

  mlir::Operation *function;
  const LaunchShape &launch;
  EncodedKernel &out;
  Program &p;
  Exprs &e;
  std::string file; ///< of the kernel's Python source
  int rank = 0;
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t numCtas = 1;
  int defaultWarps = 4;
  int depth = 0; ///< loops around the current operation
  int regions = 0;
  bool inPartition = false, inBranch = false;
  llvm::DenseSet<mlir::Value> writtenPointers; ///< arguments that the kernel stores through
  llvm::DenseMap<mlir::Value, ExprId> scalars;
  llvm::DenseMap<mlir::Value, ViewSet> views;
  llvm::DenseMap<mlir::Value, int> rootIds;
  std::vector<Root> roots;
  std::map<std::string, ExprId> shared; ///< symbols that all tasks see alike
  int named = -1;
  int spaces = 0;
  int taskWarps = 4;                        ///< of the task being encoded
  ExprId threadId = NoExpr;                 ///< gpu.thread_id x within the task
  bool fencesBulkStores = false;            ///< the level lacks the compiler's own fences
  LoweredClusterSync lowered;               ///< cluster barriers that the IR does not show
  llvm::DenseSet<mlir::Value> indexedRoots; ///< rank-2 allocations that are arrays
  std::vector<Task> pending;                ///< partitions, in order
};

} // namespace tlx::verify
