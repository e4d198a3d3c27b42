// The program's place in the grid, clocks, and other scalars of the hardware.
#include "compiler/lowering/nvidia/Cluster.h"
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

template <typename X, typename Y, typename Z> static Value along(Emitter &e, unsigned axis) {
  Type type = e.i32Type();
  if (axis == 0)
    return X::create(e.b, e.loc, type);
  return axis == 1 ? Value(Y::create(e.b, e.loc, type)) : Value(Z::create(e.b, e.loc, type));
}

static int64_t programCtas(Operation *op, unsigned axis) {
  return axis == 0 ? ctasOfProgram(op) : 1;
}

static Value perProgram(Emitter &e, Value ctas, int64_t count) {
  return count == 1 ? ctas : Value(LL::UDivOp::create(e.b, e.loc, ctas, e.i32(count)));
}

static LogicalResult lowerProgramId(tt::GetProgramIdOp op, Emitter &e) {
  unsigned axis = unsigned(op.getAxis());
  Value id = along<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(e, axis);
  e.set(op.getResult(), perProgram(e, id, programCtas(op, axis)));
  return success();
}

static LogicalResult lowerNumPrograms(tt::GetNumProgramsOp op, Emitter &e) {
  unsigned axis = unsigned(op.getAxis());
  Value count = along<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(e, axis);
  e.set(op.getResult(), perProgram(e, count, programCtas(op, axis)));
  return success();
}

static LogicalResult lowerThreadId(gpu::ThreadIdOp op, Emitter &e) {
  bool first = op.getDimension() == gpu::Dimension::x;
  e.set(op.getResult(), first ? e.task.thread : e.i32(0));
  return success();
}

static LogicalResult lowerWarpId(ttg::WarpIdOp op, Emitter &e) {
  e.set(op.getResult(), e.task.uniformWarp);
  return success();
}

static LogicalResult lowerClock(ttg::Clock64Op op, Emitter &e) {
  e.set(op.getResult(), Value(NVVM::Clock64Op::create(e.b, e.loc, e.b.getI64Type())));
  return success();
}

static LogicalResult lowerBallot(ttng::VoteBallotSyncOp op, Emitter &e) {
  Value any = e.boolean(false);
  for (Value predicate : Registers(e.get(op.getPred())))
    any = e.bor(any, predicate);
  Value mask = NVVM::VoteSyncOp::create(e.b, e.loc, e.i32Type(), e.scalar(op.getMask()), any,
                                        NVVM::VoteSyncKind::ballot);
  e.set(op.getResult(), Registers(e.registerTypes(op.getType()).size(), mask));
  return success();
}

/// Stops the kernel with an error that the driver reports.
static LogicalResult lowerAssert(tt::AssertOp op, Emitter &e) {
  Value fails = e.boolean(false);
  for (Value condition : Registers(e.get(op.getCondition())))
    fails = e.bor(fails, e.bxor(condition, e.boolean(true)));
  e.ifThen(fails, [&] { ptx::raw(e, "trap;", "~{memory}", {}, {}); });
  return success();
}

static LogicalResult lowerReturn(tt::ReturnOp op, Emitter &e) {
  dismissWorkers(e);
  LL::ReturnOp::create(e.b, e.loc, ValueRange{});
  return success();
}

static LogicalResult lowerAssume(LL::AssumeOp op, Emitter &e) {
  LL::AssumeOp::create(e.b, e.loc, e.scalar(op.getCond()));
  return success();
}

void addProgram(LoweringTable &table) {
  table.add<tt::GetProgramIdOp>(lowerProgramId);
  table.add<tt::GetNumProgramsOp>(lowerNumPrograms);
  table.add<tt::AssertOp>(lowerAssert);
  table.add<tt::ReturnOp>(lowerReturn);
  table.add<gpu::ThreadIdOp>(lowerThreadId);
  table.add<ttg::WarpIdOp>(lowerWarpId);
  table.add<ttg::Clock64Op>(lowerClock);
  table.add<ttng::VoteBallotSyncOp>(lowerBallot);
  table.add<LL::AssumeOp>(lowerAssume);
}

} // namespace tlx::nvidia
