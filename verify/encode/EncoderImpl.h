//===- EncoderImpl.h - one CTA's tasks being encoded ----------------------===//
#pragma once

#include "compiler/analysis/BufferSpans.h"
#include "compiler/analysis/ClusterSync.h"
#include "compiler/analysis/StorageAllocation.h"
#include "compiler/dialect/interfaces/SyncEffects.h"
#include "compiler/dialect/ttng/TTNG.h"
#include "verify/encode/Encoder.h"
#include "verify/model/Waves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <set>

namespace mlir::scf {
class ForOp;
} // namespace mlir::scf

namespace tlx::verify {

/// A memdesc value: a part of one buffer of an array.
struct View {
  int root = -1;        ///< index into Encoder::roots: the array
  ExprId slot = NoExpr; ///< NoExpr: the array as a whole
  /// Elements [offsets, offsets + shape) of what begins at `origin` in the slot
  /// and has shape `whole`, and elements and encoding of `type`.
  int64_t origin = 0;
  ttg::MemDescType type;
  llvm::SmallVector<int64_t> whole, offsets, shape;
  bool approximate = false; ///< some part of that, not known which
  ExprId rank = NoExpr;     ///< of a remote view

  bool operator==(const View &) const = default;
  bool isWhole() const {
    return shape == whole && llvm::all_of(offsets, [](int64_t o) { return o == 0; });
  }
  /// Whether only the slots are different.
  bool sameButSlot(View other) const {
    other.slot = slot;
    return *this == other;
  }
};

/// The value is `view` when `when` holds; the conditions exclude each other.
struct ViewCase {
  ExprId when = NoExpr; ///< NoExpr: always
  View view;
};
using ViewSet = std::vector<ViewCase>;

/// An array of buffers at a place in a storage.
struct Root {
  Buffer place;
  int buffer = -1, barrier = -1; ///< in the program, once something needs it
};

/// What a partition sees as its block argument; other values as they are.
mlir::Value throughCaptures(mlir::Value value);

/// Adds the arguments that a pointer or descriptor may be computed from; false: from something
/// else, too.
bool addRoots(mlir::Value address, llvm::SetVector<mlir::Value> &roots);

/// The argument that a pointer or descriptor is computed from; null when unclear.
mlir::Value pointerRoot(mlir::Value pointer);

/// A pointer, or offsets to be added to one.
bool isAddress(mlir::Type type);

/// The operation that writes the tensor map of a descriptor; null when it is not that alone.
mlir::Operation *makerOf(mlir::Value desc);

/// Whether all that becomes of what `op` reads at `place` is written there again.
bool readsInPlace(mlir::Operation *op, mlir::Value place);

/// Whether what `op` writes at `place` rests on what it held.
bool writesInPlace(mlir::Operation *op, mlir::Value place);

/// What chooses among the elements that an operation accesses; null: all of them.
mlir::Value maskOf(mlir::Operation *op);

/// State shared by all CTAs and tasks of a kernel.
class Encoder {
public:
  Encoder(mlir::Operation *function, const LaunchShape &launch, EncodedKernel &out);
  void run();

private:
  /// What accesses to global memory are compared by: the argument (null: none, it is the
  /// expressions alone), the CTA, and strides or the expressions of address and mask.
  using TensorKey = std::tuple<const void *, int, std::vector<ExprId>>;
  struct GlobalAccess {
    mlir::Operation *op = nullptr;
    mlir::Value root; ///< argument or descriptor; null when unclear
    int task = 0, rank = 0;
    int buffer = -1;       ///< -1: not compared
    ExprId value = NoExpr; ///< that is stored
    bool write = false, reduces = false, async = false;
    sync::Group group = sync::Group::None;
    std::vector<Range> tile;
    std::set<int64_t> bounds; ///< of the tile
  };
  /// A value, or a tensor's elements: root + rest + sums of steps along axes of the tensor.
  struct Affine {
    mlir::Value root; ///< the argument that a pointer is made from
    ExprId rest = NoExpr;
    struct Axis {
      ExprId origin = NoExpr;
      int64_t size = 1;
      ExprId stride = NoExpr;
      bool operator==(const Axis &) const = default;
    };
    std::map<int64_t, Axis> axes;
    bool sameButRest(const Affine &other) const { return root == other.root && axes == other.axes; }
  };
  /// What a descriptor that the kernel makes describes.
  struct Described {
    Affine base;
    llvm::SmallVector<ExprId> sizes, strides; ///< by dimension, in elements
  };
  struct Tile {
    mlir::Value root;
    std::vector<ExprId> strides; ///< that are not constant, by range
    std::vector<Range> ranges;
    std::set<int64_t> bounds = {}; ///< symbols that cut it off; they may be as large as they like
  };

  /// What has to hold for an element that a mask lets through.
  struct MaskConditions {
    size_t rank = 0;         ///< of the mask
    ExprId uniform = NoExpr; ///< those that are the same for the whole tile
    /// The others, with the mask's axis for each axis of what is compared.
    std::vector<std::pair<mlir::arith::CmpIOp, llvm::SmallVector<size_t>>> compares;
    bool areAll = true; ///< there are no more than these
  };

  // Encoder.cpp
  bool readLaunch();
  void scan();
  bool layOut();
  int64_t addressOf(size_t storage) const;
  bool overlaid(size_t a, size_t b) const;
  void encodeRank(int rank);
  /// The first error that `work` emits, if it fails.
  std::optional<Excess> firstError(llvm::function_ref<mlir::LogicalResult()> work);
  Block region(mlir::Region &region);
  void blocks(mlir::Block *from, mlir::Block *stop, mlir::PostDominanceInfo &after,
              llvm::SmallPtrSetImpl<mlir::Block *> &open, Block &out);
  bool edge(mlir::Operation *branch, mlir::ValueRange values, mlir::Block *to, Block &out);
  void executeRegion(mlir::Operation *op, Block &out);
  void block(mlir::Block &block, Block &out);
  void operation(mlir::Operation *op, Block &out);
  void assumption(ExprId holds, SourceLoc loc);
  /// Of a condition that says no more than that a symbol is at least a number: both.
  std::optional<std::pair<int64_t, int64_t>> lowerBound(ExprId cond) const;
  std::optional<std::pair<int64_t, int64_t>> multiple(ExprId cond) const;
  void specialize(mlir::Operation *op, Block &out);
  void idleWarps(ttg::WarpSpecializeOp op, int region);
  void unsupported(mlir::Operation *op, const std::string &why, Block &out);

  // Control.cpp
  void forLoop(mlir::Operation *op, Block &out);
  void whileLoop(mlir::Operation *op, Block &out);
  VarId carry(mlir::Value arg, mlir::Value init, Stmt &loop);
  void count(mlir::scf::ForOp loop, Stmt &stmt);
  VarId carrySlot(mlir::Value value, ViewSet set, std::vector<Assign> &sets);
  void lostView(mlir::Operation *loop, mlir::Value arg, mlir::Value result, Block &out);
  VarId countAnswers(mlir::Operation *loop, Stmt &stmt);
  void countedAnswers(VarId count, Stmt &stmt, std::vector<Assign> &results);
  void readAnswer(mlir::Operation *op);
  void assumeSizes(ExprId bound);
  bool synchronises(const Block &block) const;
  const Event *alignedBarrier(const Block &block) const;
  bool threadsPart(mlir::Operation *op, ExprId cond, const Block &yes, const Block &no, Block &out);
  void ifElse(mlir::Operation *op, Block &out);
  bool isScalar(mlir::Type type) const;
  VarId newVar(mlir::Value value);

  // Scalars.cpp
  ExprId scalar(mlir::Value value);
  ExprId compute(mlir::Operation *op, unsigned result);
  bool callsFunction(mlir::Operation *op) const;
  ExprId argument(mlir::BlockArgument arg);
  ExprId unknown(mlir::Value value, const std::string &name, bool perEvaluation);

  // Views.cpp
  ViewSet view(mlir::Value value);
  ViewSet viewOf(mlir::Operation *op, mlir::Value value);
  void step(View &v, mlir::Operation *op, mlir::Value value);
  void index(View &v, ExprId index, ttg::MemDescType to);
  void reinterpret(View &v, mlir::Value value);
  bool isArray(mlir::Value value) const;
  View arrayAt(Buffer place, mlir::Value value);
  std::optional<int64_t> beginOf(const View &v);
  std::optional<llvm::SmallVector<BufferSpan>> spans(const View &v);
  int bufferOf(int root);
  int barrierOf(int root);
  void targetOf(const View &view, bool barrier, Target &target);

  // Waves.cpp
  void findWaves();
  int64_t lanesOfShared() const;
  void asWaves(Task &task);
  WaveGroup waves();
  void meetOtherWaves(Block &body);
  void stageBorder(mlir::Operation *op, Block &out);
  bool staysRelaxed(mlir::Operation *load) const;
  bool exchangesBetweenWaves(mlir::Operation *op) const;
  bool partOfWaves(mlir::Operation *op, mlir::Type buffer, Target &target);

  // Resources.cpp
  void resources();
  void memory(bool tensor, int64_t limit);

  // Effects.cpp
  void effects(mlir::Operation *op, Block &out);
  uint32_t shareOf(mlir::Operation *op, mlir::Type buffer);
  bool effect(mlir::Operation *op, const tlx::SyncEffect &e, std::vector<Effect> &out,
              std::string &why);
  bool dependsOn(ExprId expr, ExprId leaf) const;
  ExprId withThread(ExprId expr, int64_t t);
  std::optional<std::vector<bool>> threadsWhere(ExprId condition);
  int namedBarriers();
  void clusterSync(mlir::Operation *op, const char *what, Block &out);
  void lifetime(mlir::Operation *op, Block &out);
  void freePairs(mlir::Operation *terminator, Block &out);

  // GlobalMemory.cpp
  bool isFixed(ExprId expr) const;
  bool isOfLaunch(ExprId expr) const;
  int tensorBuffer(const TensorKey &key);
  void elementEffect(mlir::Operation *op, const tlx::SyncEffect &from, Effect effect,
                     std::vector<Effect> &out);
  bool mayCollide(const GlobalAccess &a, const GlobalAccess &b) const;
  bool maySpin() const;
  std::string namesOf(llvm::SetVector<mlir::Operation *> operations) const;
  void dropPrivateElements();

  // Addresses.cpp
  std::optional<Affine> sum(const std::optional<Affine> &a, const std::optional<Affine> &b);
  std::optional<Affine> product(const Affine &a, ExprId by);
  std::optional<Affine> affine(mlir::Value value);
  VarId carryOffset(mlir::Value arg, mlir::Value init, mlir::Value next, Stmt &loop);
  MaskConditions conditionsOf(mlir::Value mask);
  void addConditions(mlir::Value part, llvm::SmallVector<size_t> axes, MaskConditions &out);
  bool boundsOnly(mlir::Value mask, ExprId &predicate, std::set<int64_t> &bounds);
  void addSymbols(ExprId expr, std::set<int64_t> &out) const;
  std::set<int64_t> decidedSymbols() const;
  void addAxis(Tile &tile, Range &memory, const Affine::Axis &axis);
  bool isOfParameters(ExprId expr) const;
  std::optional<int64_t> within(ExprId origin, int64_t size, ExprId whole) const;
  std::optional<Described> layoutOf(mlir::Operation *op, mlir::Value desc);
  std::optional<mlir::ValueRange> coordinatesOf(mlir::Operation *op) const;
  std::optional<Tile> boxOf(mlir::Operation *op, mlir::Value desc);
  std::optional<Tile> tileOf(mlir::Value pointers);

  // GridAccesses.cpp
  /// In a key: a load of what the kernel writes.
  static constexpr const char *Reread = "reread";
  ExprId contentKey(mlir::Value value);
  /// The same where the value does not change while the CTA runs.
  ExprId fixedKey(mlir::Value value);
  ExprId functionOf(ExprId key, llvm::ArrayRef<mlir::Value> values);
  ExprId regionKey(mlir::Value value, mlir::Operation *owner);
  std::optional<std::string> functionName(mlir::Operation *op) const;
  bool cutBy(mlir::Value mask, GridAccess &access);
  bool cutAt(mlir::Value quantity, mlir::Value bound, bool below, bool inclusive,
             llvm::ArrayRef<size_t> axes, GridAccess &access);
  void alongDescriptor(mlir::Operation *op, mlir::Value desc, GridAccess &access);
  void gridAccess(mlir::Operation *op, mlir::Value target, const Effect &effect);
  int tensorNumber(mlir::Value root);
  Joins joinsOf(mlir::Operation *op) const;

  // Registers.cpp
  void findEarlyReads();
  void earlyRead(mlir::Operation *op, Block &out);
  Effect onRegisters(mlir::Operation *dot, sync::Kind kind);

  // TensorMaps.cpp
  std::optional<ExprId> divided(ExprId expr, int64_t by);
  ExprId mapsIn(ExprId bytes);
  std::optional<Target> mapOf(mlir::Value value);
  void mapEffect(const tlx::SyncEffect &from, Effect effect, std::vector<Effect> &out);

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
  int64_t totalWarps = 0; ///< with those that only fill a group of four; 0: unknown
  int depth = 0;          ///< loops around the current operation
  /// How many answers of cluster launch control the task has read before this place.
  ExprId answersRead = NoExpr;
  int regions = 0;
  bool inPartition = false, inBranch = false;
  bool freesMemory = false;                     ///< some operation frees what another allocates
  llvm::SetVector<mlir::Value> writtenPointers; ///< arguments that the kernel stores through
  llvm::SetVector<mlir::Operation *> storesElsewhere; ///< to addresses that are not followed
  bool loadsNumbers = false;                          ///< that decide what the kernel does
  llvm::DenseMap<mlir::Operation *, int64_t> numbers; ///< pre-order, the function is 0
  llvm::DenseMap<mlir::Value, ExprId> scalars;
  llvm::DenseMap<mlir::Value, ViewSet> views;
  llvm::DenseSet<mlir::Value> followed; ///< those that somebody has asked for
  std::vector<Root> roots;
  StorageAliases aliases;
  StorageAllocation allocation; ///< of them
  std::vector<int> spaces;      ///< of each storage: equal where they share memory
  std::map<std::tuple<const void *, std::vector<int64_t>>,
           std::optional<llvm::SmallVector<BufferSpan>>>
      spansOfViews;
  llvm::DenseMap<mlir::Operation *, int> maps; ///< scratch allocation -> buffer of tensor maps
  std::map<TensorKey, int> tensors;            ///< buffers
  std::vector<GlobalAccess> globals;
  llvm::DenseMap<mlir::Value, ExprId> contentKeys;
  std::vector<GridAccess> gridAccesses; ///< of the operation being encoded
  llvm::DenseMap<mlir::Value, int> tensorNumbers;
  llvm::DenseMap<mlir::Value, Affine> carried; ///< pointers and offsets that loops move on
  /// Who reads results of asynchronous products too early, and of which.
  llvm::DenseMap<mlir::Operation *, llvm::SmallSetVector<mlir::Operation *, 2>> earlyReads;
  llvm::DenseMap<mlir::Operation *, int> productRegisters; ///< buffers of these, -1: none yet
  int taskNumber = 0, tasksSeen = 0;    ///< the task being encoded; how many there are
  std::map<std::string, ExprId> shared; ///< symbols that all tasks see alike
  int named = -1;
  int taskWarps = 4;        ///< of the task being encoded
  ExprId threadId = NoExpr; ///< gpu.thread_id x within the task
  /// Those that make the task's per-thread arrivals, where not all do.
  std::optional<std::vector<bool>> arriving;
  bool updates = false;            ///< the operation being encoded updates global memory
  bool fencesBulkStores = false;   ///< the level lacks the compiler's own fences
  bool copiesInOrder = false;      ///< what a wave copies to LDS lands in issue order
  bool barrierAfterCopies = false; ///< a wait for copies is one for all of the task's threads
  /// How the waves divide a copy: by the type of its source and that of its buffer.
  llvm::DenseMap<std::pair<mlir::Type, mlir::Type>, uint32_t> shares;
  int waveGroups = 1, waveGroup = 0; ///< two where loops are warp pipelines; which is encoded
  int workgroupBarrier = -1;         ///< where they meet
  bool inPipeline = false;           ///< within the stages of one
  mlir::Operation *besidesPipeline = nullptr; ///< what is not known how it goes with one
  LoweredClusterSync lowered;                 ///< cluster barriers that the IR does not show
  bool pairsUnsynchronised = false; ///< CTAs pair, and no such barrier is behind an allocation
  llvm::DenseSet<mlir::Value> indexedRoots; ///< rank-2 allocations that are arrays
  std::vector<Task> pending;                ///< partitions, in order
};

} // namespace tlx::verify
