// Descriptors made on the device: 128 bytes in global memory, put together in
// shared memory field by field (PTX ISA, "tensormap.replace").
#include "compiler/lowering/nvidia/Emitter.h"
#include "compiler/lowering/nvidia/Families.h"
#include "compiler/lowering/nvidia/Ptx.h"

#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

static LogicalResult lowerCreate(ttng::TensormapCreateOp op, Emitter &e) {
  Value place = e.scratch(), first = e.isFirstThread();
  Value firstWarp = e.equal(e.task.uniformWarp, e.i32(0));
  e.ifThen(firstWarp, [&] { e.storeShared(e.i32(0), e.add(place, e.shl(e.task.lane, 2))); });
  e.taskBarrier();
  auto field = [&](const Twine &name, Value value, int64_t ordinal = -1) {
    ptx::replaceTensormap(e, first, name.str(), place, ordinal, value);
  };
  auto fields = [&](const char *name, ValueRange values) {
    for (auto [ordinal, value] : llvm::enumerate(values))
      field(name, e.scalar(value), ordinal);
  };
  field("global_address",
        LL::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), e.scalar(op.getGlobalAddress())));
  field("rank", e.i32(int64_t(op.getBoxDim().size()) - 1));
  fields("box_dim", op.getBoxDim());
  fields("global_dim", op.getGlobalDim());
  fields("global_stride", op.getGlobalStride());
  fields("element_stride", op.getElementStride());
  ptx::setTensormap(e, first, "elemtype", place, op.getElemType());
  ptx::setTensormap(e, first, "interleave_layout", place, op.getInterleaveLayout());
  ptx::setTensormap(e, first, "swizzle_mode", place, op.getSwizzleMode());
  ptx::setTensormap(e, first, "fill_mode", place, op.getFillMode());
  e.taskBarrier();
  e.ifThen(firstWarp, [&] { ptx::publishTensormap(e, e.scalar(op.getDescPtr()), place); });
  e.taskBarrier();
  return success();
}

static LogicalResult lowerAcquire(ttng::TensormapFenceproxyAcquireOp op, Emitter &e) {
  ptx::acquireTensormap(e, e.scalar(op.getDescPtr()));
  return success();
}

static LogicalResult lowerReinterpret(ttng::ReinterpretTensorDescOp op, Emitter &e) {
  Type generic = LL::LLVMPointerType::get(e.b.getContext());
  e.set(op.getResult(),
        Value(LL::AddrSpaceCastOp::create(e.b, e.loc, generic, e.scalar(op.getRawDesc()))));
  return success();
}

/// The CTA's part of the kernel's scratch, which the launch provides.
static LogicalResult lowerScratch(ttg::GlobalScratchAllocOp op, Emitter &e) {
  Type type = e.i32Type();
  Value x = NVVM::BlockIdXOp::create(e.b, e.loc, type);
  Value y = NVVM::BlockIdYOp::create(e.b, e.loc, type);
  Value z = NVVM::BlockIdZOp::create(e.b, e.loc, type);
  Value rows = NVVM::GridDimXOp::create(e.b, e.loc, type);
  Value planes = NVVM::GridDimYOp::create(e.b, e.loc, type);
  Value cta = e.add(e.mul(e.add(e.mul(z, planes), y), rows), x);
  Value offset = e.add(e.mul(e.resize(cta, e.b.getI64Type()), e.i64(e.plan.globalBytes)),
                       e.i64(e.plan.globalOffsets.lookup(op)));
  Value base = e.function.getArgument(e.function.getNumArguments() - 2);
  e.set(op.getResult(),
        Value(LL::GEPOp::create(e.b, e.loc, base.getType(), e.b.getI8Type(), base, offset)));
  return success();
}

void addTensormap(LoweringTable &table) {
  table.add<ttng::TensormapCreateOp>(lowerCreate);
  table.add<ttng::TensormapFenceproxyAcquireOp>(lowerAcquire);
  table.add<ttng::ReinterpretTensorDescOp>(lowerReinterpret);
  table.add<ttg::GlobalScratchAllocOp>(lowerScratch);
}

} // namespace tlx::nvidia
