// Structured control flow as branches; every region's values travel as block
// arguments, register by register.
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

static SmallVector<Type> typesOf(Emitter &e, TypeRange types) {
  SmallVector<Type> all;
  for (Type type : types)
    llvm::append_range(all, e.registerTypes(type));
  return all;
}

static SmallVector<Value> registersOf(Emitter &e, ValueRange values) {
  SmallVector<Value> all;
  for (Value value : values)
    llvm::append_range(all, e.get(value));
  return all;
}

/// Hands out registers to values, in order.
static void assign(Emitter &e, ValueRange values, ValueRange registers) {
  size_t next = 0;
  for (Value value : values) {
    size_t count = e.registerTypes(value.getType()).size();
    ValueRange mine = registers.slice(next, count);
    e.set(value, Registers(mine.begin(), mine.end()));
    next += count;
  }
}

static LogicalResult lowerFor(scf::ForOp op, Emitter &e) {
  SmallVector<Type> types = {e.scalarType(op.getInductionVar().getType())};
  llvm::append_range(types, typesOf(e, op.getInitArgs().getTypes()));
  Block *header = e.newBlock(types), *body = e.newBlock(), *after = nullptr;
  SmallVector<Value> start = {e.scalar(op.getLowerBound())};
  llvm::append_range(start, registersOf(e, op.getInitArgs()));
  e.branch(header, start);

  e.moveTo(header);
  Value counter = header->getArgument(0);
  auto below = op.getUnsignedCmp() ? LL::ICmpPredicate::ult : LL::ICmpPredicate::slt;
  Value goesOn = e.compare(below, counter, e.scalar(op.getUpperBound()));
  ValueRange carried = header->getArguments().drop_front();
  e.moveTo(body);
  e.set(op.getInductionVar(), counter);
  assign(e, op.getRegionIterArgs(), carried);
  if (failed(e.lowerBody(*op.getBody())))
    return failure();
  SmallVector<Value> next = {e.add(counter, e.scalar(op.getStep()))};
  llvm::append_range(next, registersOf(e, op.getBody()->getTerminator()->getOperands()));
  e.branch(header, next);

  after = e.newBlock();
  e.moveTo(header);
  e.branch(goesOn, body, {}, after, {});
  e.moveTo(after);
  assign(e, op.getResults(), carried);
  return success();
}

static LogicalResult lowerWhile(scf::WhileOp op, Emitter &e) {
  Block *before = e.newBlock(typesOf(e, op.getInits().getTypes()));
  e.branch(before, registersOf(e, op.getInits()));
  e.moveTo(before);
  assign(e, op.getBeforeArguments(), before->getArguments());
  if (failed(e.lowerBody(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<Value> passed = registersOf(e, condition.getArgs());
  Value goesOn = e.scalar(condition.getCondition());
  Block *end = e.b.getInsertionBlock(), *body = e.newBlock();

  e.moveTo(body);
  assign(e, op.getAfterArguments(), passed);
  if (failed(e.lowerBody(*op.getAfterBody())))
    return failure();
  e.branch(before, registersOf(e, op.getYieldOp().getOperands()));

  Block *after = e.newBlock();
  e.moveTo(end);
  e.branch(goesOn, body, {}, after, {});
  e.moveTo(after);
  assign(e, op.getResults(), passed);
  return success();
}

static LogicalResult lowerIf(scf::IfOp op, Emitter &e) {
  Block *start = e.b.getInsertionBlock(), *then = e.newBlock();
  e.moveTo(then);
  if (failed(e.lowerBody(*op.thenBlock())))
    return failure();
  SmallVector<Value> thenValues = registersOf(e, op.thenYield().getOperands());
  Block *thenEnd = e.b.getInsertionBlock(), *otherwise = nullptr, *otherwiseEnd = nullptr;
  SmallVector<Value> otherwiseValues;
  if (op.elseBlock()) {
    otherwise = e.newBlock();
    e.moveTo(otherwise);
    if (failed(e.lowerBody(*op.elseBlock())))
      return failure();
    otherwiseValues = registersOf(e, op.elseYield().getOperands());
    otherwiseEnd = e.b.getInsertionBlock();
  }
  Block *after = e.newBlock(typesOf(e, op.getResultTypes()));
  e.moveTo(start);
  e.branch(e.scalar(op.getCondition()), then, {}, otherwise ? otherwise : after, {});
  e.moveTo(thenEnd);
  e.branch(after, thenValues);
  if (otherwise) {
    e.moveTo(otherwiseEnd);
    e.branch(after, otherwiseValues);
  }
  e.moveTo(after);
  assign(e, op.getResults(), after->getArguments());
  return success();
}

static LogicalResult lowerExecuteRegion(scf::ExecuteRegionOp op, Emitter &e) {
  if (!op.getRegion().hasOneBlock())
    return op.emitError("'scf.execute_region' with several blocks has no lowering for sm_90a");
  if (failed(e.lowerBody(op.getRegion().front())))
    return failure();
  Operation *yield = op.getRegion().front().getTerminator();
  for (auto [result, value] : llvm::zip(op.getResults(), yield->getOperands()))
    e.set(result, Registers(e.get(value)));
  return success();
}

static LogicalResult lowerBranch(cf::BranchOp op, Emitter &e) {
  e.branch(e.blocks.lookup(op.getDest()), registersOf(e, op.getDestOperands()));
  return success();
}

static LogicalResult lowerCondBranch(cf::CondBranchOp op, Emitter &e) {
  e.branch(e.scalar(op.getCondition()), e.blocks.lookup(op.getTrueDest()),
           registersOf(e, op.getTrueDestOperands()), e.blocks.lookup(op.getFalseDest()),
           registersOf(e, op.getFalseDestOperands()));
  return success();
}

LogicalResult lowerBlocks(Region &region, Emitter &e) {
  Block *entry = &region.front();
  for (Block &block : region)
    if (&block != entry)
      e.blocks[&block] = e.newBlock(typesOf(e, TypeRange(block.getArgumentTypes())));
  for (Block &block : region) {
    if (&block != entry) {
      Block *target = e.blocks.lookup(&block);
      e.moveTo(target);
      assign(e, block.getArguments(), target->getArguments());
    }
    if (failed(e.lowerBody(block)) || failed(e.lower(block.getTerminator())))
      return failure();
  }
  return success();
}

void addControl(LoweringTable &table) {
  table.add<scf::ForOp>(lowerFor);
  table.add<scf::WhileOp>(lowerWhile);
  table.add<scf::IfOp>(lowerIf);
  table.add<scf::ExecuteRegionOp>(lowerExecuteRegion);
  table.add<cf::BranchOp>(lowerBranch);
  table.add<cf::CondBranchOp>(lowerCondBranch);
}

} // namespace tlx::nvidia
