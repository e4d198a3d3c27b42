// Functions and structured control flow.
#include "compiler/export/Exporter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlx {

using sim::Reg;
using sim::Regs;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Reg Exporter::reg(Value value) {
  if (!value || isToken(value.getType()))
    return sim::noReg;
  auto found = registers.find(value);
  if (found != registers.end())
    return found->second;
  fail(value.getLoc(), "internal: a value is used before it is exported");
  return sim::noReg;
}

Regs Exporter::regs(ValueRange values) {
  Regs result;
  for (Value value : values)
    if (!isToken(value.getType()))
      result.push_back(reg(value));
  return result;
}

void Exporter::bindAll(ValueRange values, const Regs &regs) {
  size_t next = 0;
  for (Value value : values)
    if (!isToken(value.getType()) && next < regs.size())
      bind(value, regs[next++]);
}

void Exporter::fail(Location loc, const Twine &message, StringRef hint) {
  if (error)
    return;
  error = Error(message.str(), sourceLocationOf(loc), hint.str());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void Exporter::exportKernel(tt::FuncOp function) {
  // A descriptor parameter is followed by its shape (i32) and strides (i64).
  int32_t argument = -1;
  int64_t shapeLeft = 0, strideLeft = 0, rank = 0;
  for (auto [index, value] : llvm::enumerate(function.getArguments())) {
    auto field = sim::Parameter::Field::Value;
    int32_t dimension = 0;
    Type type = value.getType();
    if (shapeLeft > 0 && type.isInteger(32)) {
      field = sim::Parameter::Field::DescShape;
      dimension = rank - shapeLeft--;
    } else if (strideLeft > 0 && type.isInteger(64)) {
      field = sim::Parameter::Field::DescStride;
      dimension = rank - strideLeft--;
    } else {
      ++argument;
      shapeLeft = strideLeft = 0;
      if (auto desc = dyn_cast<tt::TensorDescType>(type))
        shapeLeft = strideLeft = rank = desc.getBlockType().getRank();
    }
    std::string name = "arg" + std::to_string(index);
    if (auto named = dyn_cast<NameLoc>(value.getLoc()))
      name = named.getName().str();
    int64_t divisibility = 1;
    if (auto stated = function.getArgAttrOfType<IntegerAttr>(index, "tt.divisibility"))
      divisibility = std::max<int64_t>(stated.getInt(), 1);
    bind(value, builder.parameter(name, typeId(type), argument, field, dimension, divisibility));
  }
  exportBlocks(function.getBody());
}

void Exporter::exportFunction(tt::FuncOp function) {
  builder.defineFunction(functions[function.getName()], [&](const Regs &args) {
    bindAll(function.getArguments(), args);
    exportBlocks(function.getBody());
  });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void Exporter::exportBlocks(Region &region, llvm::function_ref<void(Operation *)> leave) {
  if (region.empty())
    return;
  for (Block &block : llvm::drop_begin(region)) {
    labels[&block] = builder.makeLabel();
    for (BlockArgument argument : block.getArguments())
      if (!isToken(argument.getType()))
        bind(argument, builder.newReg(typeId(argument.getType())));
  }
  for (Block &block : region) {
    if (&block != &region.front())
      builder.place(labels[&block]);
    for (Operation &op : block)
      if (leave && op.hasTrait<OpTrait::IsTerminator>() && op.getNumSuccessors() == 0)
        leave(&op);
      else
        exportOp(&op);
  }
}

Regs Exporter::exportBody(Region &region) {
  if (!region.hasOneBlock()) {
    sim::Builder::Label exit = builder.makeLabel();
    Regs results;
    exportBlocks(region, [&](Operation *terminator) {
      if (results.empty())
        for (sim::TypeId type : typeIds(terminator->getOperandTypes()))
          results.push_back(builder.newReg(type));
      builder.setLocation(locationOf(terminator->getLoc()));
      builder.br(exit, regs(terminator->getOperands()), results);
    });
    builder.place(exit);
    return results;
  }
  Block &block = region.front();
  for (Operation &op : block.without_terminator())
    exportOp(&op);
  Operation *terminator = block.getTerminator();
  builder.setLocation(locationOf(terminator->getLoc()));
  return regs(terminator->getOperands());
}

void Exporter::exportBranch(Operation *op) {
  auto argumentRegs = [&](Block *block) { return regs(block->getArguments()); };
  if (auto branch = dyn_cast<cf::BranchOp>(op))
    return builder.br(labels[branch.getDest()], regs(branch.getDestOperands()),
                      argumentRegs(branch.getDest()));
  auto branch = cast<cf::CondBranchOp>(op);
  builder.condBr(reg(branch.getCondition()), labels[branch.getTrueDest()],
                 regs(branch.getTrueDestOperands()), argumentRegs(branch.getTrueDest()),
                 labels[branch.getFalseDest()], regs(branch.getFalseDestOperands()),
                 argumentRegs(branch.getFalseDest()), sim::Builder::Label());
}

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

void Exporter::exportFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  auto body = [&](Reg iv, const Regs &args) {
    bind(loop.getInductionVar(), iv);
    bindAll(loop.getRegionIterArgs(), args);
    return exportBody(loop.getRegion());
  };
  Regs results =
      builder.forLoop(reg(loop.getLowerBound()), reg(loop.getUpperBound()), reg(loop.getStep()),
                      regs(loop.getInitArgs()), body, loop.getUnsignedCmp());
  bindAll(loop.getResults(), results);
}

void Exporter::exportWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  auto before = [&](const Regs &args) {
    bindAll(loop.getBeforeArguments(), args);
    exportBody(loop.getBefore());
    scf::ConditionOp condition = loop.getConditionOp();
    return sim::Builder::WhileStep{reg(condition.getCondition()), regs(condition.getArgs())};
  };
  auto after = [&](const Regs &args) {
    bindAll(loop.getAfterArguments(), args);
    return exportBody(loop.getAfter());
  };
  bindAll(loop.getResults(), builder.whileLoop(regs(loop.getInits()), before, after));
}

void Exporter::exportIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  auto thenBody = [&] { return exportBody(branch.getThenRegion()); };
  auto elseBody = [&] { return branch.elseBlock() ? exportBody(branch.getElseRegion()) : Regs(); };
  bindAll(branch.getResults(),
          builder.ifElse(reg(branch.getCondition()), typeIds(branch.getResultTypes()), thenBody,
                         elseBody));
}

void Exporter::exportExecuteRegion(Operation *op) {
  auto region = cast<scf::ExecuteRegionOp>(op);
  bindAll(region.getResults(), exportBody(region.getRegion()));
}

//===----------------------------------------------------------------------===//
// Warp specialisation
//===----------------------------------------------------------------------===//

void Exporter::exportWarpSpecialize(ttg::WarpSpecializeOp op) {
  std::vector<sim::Builder::PartitionSpec> partitions;
  auto registers = op.getRequestedRegisters();
  auto starts = op.getWarpGroupStartIds();
  for (auto [index, region] : llvm::enumerate(op.getPartitionRegions())) {
    sim::Builder::PartitionSpec spec;
    spec.name = "partition" + std::to_string(index);
    spec.numWarps = op.getPartitionNumWarps()[index];
    if (registers && index < registers->size())
      spec.requestedRegisters = (*registers)[index];
    if (starts && index < starts->size())
      spec.startWarp = (*starts)[index];
    for (auto [capture, argument] : llvm::zip(op.getCaptures(), region.getArguments()))
      if (const BufferPlace *place = places.lookup(capture))
        places[argument] = place;
    Region *body = &region;
    spec.body = [this, body](const Regs &args) {
      bindAll(body->getArguments(), args);
      exportBody(*body);
    };
    partitions.push_back(std::move(spec));
  }
  auto defaultBody = [&] { return exportBody(op.getDefaultRegion()); };
  int32_t defaultRegisters =
      op.getDefaultRequestedRegisters() ? int32_t(*op.getDefaultRequestedRegisters()) : -1;
  bindAll(op.getResults(),
          builder.warpSpecialize(regs(op.getCaptures()), typeIds(op.getResultTypes()), defaultBody,
                                 partitions, defaultRegisters));
}

//===----------------------------------------------------------------------===//
// Regions of reductions
//===----------------------------------------------------------------------===//

sim::BlockId Exporter::exportCombiner(Region &region) {
  auto body = [&](const Regs &args) {
    bindAll(region.getArguments(), args);
    return exportBody(region);
  };
  return builder.block(typeIds(region.getArgumentTypes()), body);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

void Exporter::exportOp(Operation *op) {
  if (error)
    return;
  currentLoc = op->getLoc();
  builder.setLocation(locationOf(op->getLoc()));
  if (op == clusterSync.exitBefore)
    emitClusterSync();
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp>([&](auto) { exportFor(op); })
      .Case<scf::WhileOp>([&](auto) { exportWhile(op); })
      .Case<scf::IfOp>([&](auto) { exportIf(op); })
      .Case<scf::ExecuteRegionOp>([&](auto) { exportExecuteRegion(op); })
      .Case<cf::BranchOp, cf::CondBranchOp>([&](auto) { exportBranch(op); })
      .Case<ttg::WarpSpecializeOp>([&](auto specialize) { exportWarpSpecialize(specialize); })
      .Case<arith::ConstantOp>([&](auto constant) { emitConstant(op, constant.getValue()); })
      .Default([&](Operation *) {
        Form form = plainForm(op);
        refineForm(op, form);
        emitForm(op, form);
      });
  if (op == clusterSync.entryAfter)
    emitClusterSync();
}

/// A cluster barrier that the lowering adds, and with it the visibility of mbarriers
/// that were initialised before.
void Exporter::emitClusterSync() {
  for (sync::Kind kind :
       {sync::Kind::BarrierInitFence, sync::Kind::ClusterArrive, sync::Kind::ClusterWait}) {
    sim::Effect effect;
    effect.kind = kind;
    sim::Cost cost;
    cost.unit = CostUnit::Barrier;
    cost.elements = 1;
    builder.setCost(cost);
    builder.emit(sim::Op::Sync, {}, {}, {}, {effect});
  }
}

/// What a kernel calls, directly or through others, in the order of the module: other kernels of
/// the file have no part in its launch.
static SmallVector<tt::FuncOp> calledFrom(tt::FuncOp kernel, ModuleOp module) {
  llvm::SmallSetVector<Operation *, 4> reached;
  reached.insert(kernel);
  for (size_t next = 0; next < reached.size(); ++next)
    reached[next]->walk([&](tt::CallOp call) {
      if (auto callee = module.lookupSymbol<tt::FuncOp>(call.getCallee()))
        reached.insert(callee);
    });
  SmallVector<tt::FuncOp> called;
  for (auto function : module.getOps<tt::FuncOp>())
    if (function != kernel && !function.isExternal() && reached.contains(function))
      called.push_back(function);
  return called;
}

Result<std::unique_ptr<sim::Program>> Exporter::run(tt::FuncOp kernel) {
  if (builder.facts().clusterSize() > 1)
    clusterSync = lowerClusterSync(kernel);
  if (!layOutStorage(kernel))
    return *error;
  const SmallVector<tt::FuncOp> called = calledFrom(kernel, module);
  for (tt::FuncOp function : called)
    functions[function.getName()] =
        builder.declareFunction(function.getName().str(), typeIds(function.getArgumentTypes()),
                                typeIds(function.getResultTypes()));
  exportKernel(kernel);
  for (tt::FuncOp function : called)
    if (!error)
      exportFunction(function);
  if (error)
    return *error;
  return std::make_unique<sim::Program>(builder.finish());
}

} // namespace tlx
