//===- Exporter.h - the state of one export ---------------------------------===//
//
// One class, its members spread over files by family: types, control flow,
// operands and attributes, effects and costs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/ClusterSync.h"
#include "compiler/analysis/StorageAllocation.h"
#include "compiler/dialect/tlx/TLX.h"
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/export/Export.h"
#include "compiler/ingest/ParseFile.h"
#include "sim/program/Builder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tlx {

class Exporter {
public:
  Exporter(mlir::ModuleOp module, const ExportOptions &options, std::string kernel)
      : module(module), options(options), builder(std::move(kernel)) {
    builder.facts() = options.facts;
  }

  Result<std::unique_ptr<sim::Program>> run(tt::FuncOp kernel);

private:
  //===------------------------------------------------------------------===//
  // Types and constants (TypeExport.cpp)
  //===------------------------------------------------------------------===//
  sim::TypeId typeId(mlir::Type type);
  sim::Type simType(mlir::Type type);
  sim::Type memDescType(ttg::MemDescType type);
  void emitConstant(mlir::Operation *op, mlir::TypedAttr value);

  //===------------------------------------------------------------------===//
  // Control flow (ControlExport.cpp)
  //===------------------------------------------------------------------===//
  void exportKernel(tt::FuncOp function);
  void exportFunction(tt::FuncOp function);
  /// The ops of a region that its last op leaves; that op's operands.
  sim::Regs exportBody(mlir::Region &region);
  /// A region's blocks, joined by branches. Ops that leave the region are exported as they are,
  /// or given to `leave`.
  void exportBlocks(mlir::Region &region,
                    llvm::function_ref<void(mlir::Operation *)> leave = nullptr);
  void exportOp(mlir::Operation *op);
  void exportFor(mlir::Operation *op);
  void exportWhile(mlir::Operation *op);
  void exportIf(mlir::Operation *op);
  void exportExecuteRegion(mlir::Operation *op);
  void exportWarpSpecialize(ttg::WarpSpecializeOp op);
  void exportBranch(mlir::Operation *op);
  sim::BlockId exportCombiner(mlir::Region &region);

  //===------------------------------------------------------------------===//
  // Operands and attributes (OpExport.cpp, MemoryOpExport.cpp, AmdOpExport.cpp)
  //===------------------------------------------------------------------===//
  /// What one op becomes, apart from its effects and cost.
  struct Form {
    std::optional<sim::Op> op;
    sim::Regs operands;
    llvm::SmallVector<mlir::Value> results;
    sim::Attrs attrs;
  };
  /// The usual form: operands and results in order, tokens left out.
  Form plainForm(mlir::Operation *op);
  void refineForm(mlir::Operation *op, Form &form);
  bool refineArith(mlir::Operation *op, Form &form);
  bool refineTt(mlir::Operation *op, Form &form);
  bool refineTtg(mlir::Operation *op, Form &form);
  bool refineTtng(mlir::Operation *op, Form &form);
  bool refineAmd(mlir::Operation *op, Form &form);
  void emitForm(mlir::Operation *op, Form &form);
  /// The program's allocation behind the buffer that `op` makes.
  int32_t allocationFor(mlir::Operation *op, ttg::MemDescType type);
  bool layOutStorage(tt::FuncOp kernel);
  void emitClusterSync();

  //===------------------------------------------------------------------===//
  // Effects, costs, locations (EffectExport.cpp)
  //===------------------------------------------------------------------===//
  std::vector<sim::Effect> effectsOf(mlir::Operation *op);
  sim::Cost costOf(mlir::Operation *op);
  sim::LocId locationOf(mlir::Location loc);

  //===------------------------------------------------------------------===//
  // Values
  //===------------------------------------------------------------------===//
  /// Register of a value; a null value has none.
  sim::Reg reg(mlir::Value value);
  sim::Regs regs(mlir::ValueRange values);
  void bind(mlir::Value value, sim::Reg reg) { registers[value] = reg; }
  /// Binds each value, tokens left out.
  void bindAll(mlir::ValueRange values, const sim::Regs &regs);
  /// Tokens order ops in SSA form and have no run-time value.
  /// Orders operations or describes storage: no register holds it.
  static bool isToken(mlir::Type type) {
    return mlir::isa<ttg::AsyncTokenType, tlxd::StorageAliasSpecType, tlxd::ReuseGroupType>(type);
  }
  std::vector<sim::TypeId> typeIds(mlir::TypeRange types);

  /// Remembers the first failure; the export goes on and is then discarded.
  void fail(mlir::Location loc, const llvm::Twine &message, llvm::StringRef hint = "");

  mlir::ModuleOp module;
  const ExportOptions &options;
  sim::Builder builder;
  llvm::DenseMap<mlir::Value, sim::Reg> registers;
  llvm::DenseMap<mlir::Type, sim::TypeId> typeIdCache;
  llvm::DenseMap<mlir::Location, sim::LocId> locations;
  llvm::DenseMap<mlir::Block *, sim::Builder::Label> labels;
  llvm::StringMap<int32_t> functions;
  /// Which storage each buffer occupies, and where that lies.
  std::optional<StorageAliases> aliases;
  StorageAllocation addresses;
  llvm::DenseMap<int64_t, int32_t> allocationOfStorage;
  /// Buffers of storage aliases, through views, whose indices are rewritten.
  llvm::DenseMap<mlir::Value, const BufferPlace *> places;
  /// Where the lowering synchronises the cluster.
  LoweredClusterSync clusterSync;
  mlir::Location currentLoc = mlir::UnknownLoc::get(module.getContext());
  std::optional<Error> error;
};

/// Which element (row-major) each thread's registers hold: [warp][lane][register].
struct ElementSlots {
  int32_t registers = 0; ///< of one thread
  std::vector<int64_t> elements;
};

/// Nothing where layouts are not settled yet, or where CTAs share the tile.
std::optional<ElementSlots> elementSlots(mlir::Type type);
/// Of tiles from tensor memory even there, as far as what works lane by lane can tell.
std::optional<ElementSlots> elementSlots(mlir::Value tile);

/// The bits of a row-major element that say which four warps of the task hold it; none where four
/// warps are all there are, or where layouts do not tell.
std::vector<int64_t> warpGroupBits(mlir::Type type);

/// In which order the compiled code combines a reduction's elements, where that is known
/// (attributes of sim::Op::Reduce).
void setReductionOrder(tt::ReduceOp op, sim::Attrs &attrs);

/// Adds to a cost what the layouts of the op's tiles and buffers tell; leaves it
/// alone where layouts are not settled yet (LayoutCost.cpp).
void refineCostByLayout(mlir::Operation *op, sim::Cost &cost);

} // namespace tlx
