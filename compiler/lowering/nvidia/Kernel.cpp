#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Lowering.h"

#include "compiler/analysis/EncodingToLayout.h"
#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

LogicalResult lowerBlocks(Region &region, Emitter &e);

namespace {

const LoweringTable &tableOfAll() {
  static const LoweringTable table = [] {
    LoweringTable all;
    for (auto *add :
         {addArith,      addCasts,   addMath,         addShape,   addConvert,   addControl,
          addGlobal,     addShared,  addBarriers,     addCluster, addProgram,   addPrint,
          addSpecialize, addTma,     addWarpGroupDot, addReduce,  addAsyncCopy, addDot,
          addGather,     addAtomics, addTensormap,    addLibrary})
      add(all);
    return all;
  }();
  return table;
}

/// Every tile and buffer of `kernel` has a layout.
LogicalResult checkLayouts(tt::FuncOp kernel) {
  auto check = [](Operation *op, Type type) -> LogicalResult {
    auto refuse = [&](const Error &error) {
      return op->emitError("'") << op->getName() << "' " << type << ": " << error.message;
    };
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (Result<layout::LinearLayout> found = layoutOf(tensor); !found)
        return refuse(found.error());
    } else if (auto buffer = dyn_cast<ttg::MemDescType>(type)) {
      if (Result<layout::LinearLayout> found = layoutOf(buffer); !found)
        return refuse(found.error());
    }
    return success();
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (failed(check(op, operand.getType())))
        return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(check(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

std::array<int64_t, 3> clusterOf(tt::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto number = [&](StringRef name) {
    auto attribute = module->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : int64_t(1);
  };
  return {number("ttg.cluster-dim-x") * number("ttg.num-ctas"), number("ttg.cluster-dim-y"),
          number("ttg.cluster-dim-z")};
}

/// The function with its parameters; descriptors are passed by value.
LL::LLVMFuncOp declare(OpBuilder &b, tt::FuncOp kernel, const LoweredKernel &lowered,
                       const WarpPlan &warps) {
  MLIRContext *context = b.getContext();
  Type global = LL::LLVMPointerType::get(context, 1);
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    if (isa<tt::PointerType>(type))
      types.push_back(global);
    else if (tt::isTensorDesc(type))
      types.push_back(LL::LLVMPointerType::get(context));
    else
      types.push_back(type);
  }
  types.append(2, global);
  auto type = LL::LLVMFunctionType::get(LL::LLVMVoidType::get(context), types);
  auto function = LL::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getName(), type);
  auto descriptor = LL::LLVMArrayType::get(b.getI8Type(), 128);
  for (auto [index, argument] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!tt::isTensorDesc(argument))
      continue;
    function.setArgAttr(index, "llvm.byval", TypeAttr::get(descriptor));
    function.setArgAttr(index, "llvm.align", b.getI64IntegerAttr(64));
    function.setArgAttr(index, "nvvm.grid_constant", b.getUnitAttr());
  }
  function->setAttr("nvvm.kernel", b.getUnitAttr());
  function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({int32_t(lowered.warps * 32)}));
  if (warps.entryRegisters)
    function->setAttr("nvvm.maxnreg", b.getI32IntegerAttr(warps.entryRegisters));
  if (lowered.cluster != std::array<int64_t, 3>{1, 1, 1})
    function->setAttr("nvvm.cluster_dim", b.getDenseI32ArrayAttr({int32_t(lowered.cluster[0]),
                                                                  int32_t(lowered.cluster[1]),
                                                                  int32_t(lowered.cluster[2])}));
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  return function;
}

LogicalResult emit(tt::FuncOp kernel, Emitter &e) {
  Block *entry = &e.function.getBody().front();
  e.moveTo(entry);
  for (auto [argument, value] : llvm::zip(kernel.getArguments(), entry->getArguments()))
    e.set(argument, value);
  Task task;
  task.warps = e.warps.defaultWarps;
  e.startTask(task);
  if (!e.warps.specializations.empty()) {
    Block *first = e.newBlock(), *workers = e.newBlock();
    Value isDefault =
        e.compare(LL::ICmpPredicate::ult, e.task.uniformWarp, e.i32(e.warps.defaultWarps));
    e.branch(isDefault, first, {}, workers, {});
    auto values = e.copyValues();
    e.moveTo(workers);
    if (failed(emitWorkers(e)))
      return failure();
    e.swapValues(std::move(values));
    e.moveTo(first);
    e.startTask(task);
  }
  return lowerBlocks(kernel.getBody(), e);
}

} // namespace
} // namespace tlx::nvidia

namespace tlx {

FailureOr<LoweredKernel> lowerToNvvm(tt::FuncOp kernel) {
  using namespace nvidia;
  MLIRContext *context = kernel.getContext();
  context->loadDialect<LL::LLVMDialect, NVVM::NVVMDialect>();
  if (kernel.getNumResults() != 0)
    return kernel.emitError("'") << kernel.getName() << "' returns values; a kernel must not";
  if (failed(checkLayouts(kernel)))
    return failure();
  auto warpsStated =
      kernel->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>("ttg.num-warps");
  FailureOr<WarpPlan> warps = planWarps(kernel, warpsStated.getInt());
  if (failed(warps))
    return failure();
  FailureOr<SharedPlan> plan = planShared(kernel);
  if (failed(plan))
    return failure();

  LoweredKernel lowered;
  lowered.name = kernel.getName().str();
  lowered.warps = warps->totalWarps;
  lowered.sharedBytes = plan->bytes;
  lowered.cluster = clusterOf(kernel);
  lowered.globalScratchBytes = plan->globalBytes;
  lowered.globalScratchAlignment = plan->globalAlignment;
  lowered.module = ModuleOp::create(kernel.getLoc());
  OpBuilder b(context);
  b.setInsertionPointToStart(lowered.module->getBody());
  auto bytes = LL::LLVMArrayType::get(b.getI8Type(), 0);
  LL::GlobalOp::create(b, kernel.getLoc(), bytes, /*isConstant=*/false, LL::Linkage::External,
                       "global_smem", Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  LL::LLVMFuncOp function = declare(b, kernel, lowered, *warps);
  Emitter e(kernel, tableOfAll(), *plan, *warps, function);
  if (failed(emit(kernel, e)))
    return failure();
  return lowered;
}

} // namespace tlx
