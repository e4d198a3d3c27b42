// Operands and attributes of instructions: dialect amdg.
#include "compiler/dialect/amdg/AMDG.h"
#include "compiler/export/Exporter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlx {

bool Exporter::refineAmd(Operation *op, Form &form) {
  sim::Attrs &attrs = form.attrs;
  // A buffer access's stride is a hint to the cache swizzle; values ignore it.
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<amdg::BufferLoadOp>([&](auto load) {
        form.operands = {reg(load.getPtr()), reg(load.getOffsets()), reg(load.getMask()),
                         reg(load.getOther())};
        return true;
      })
      .Case<amdg::BufferLoadToLocalOp>([&](auto load) {
        form.operands = {reg(load.getDest()), reg(load.getPtr()), reg(load.getOffsets()),
                         reg(load.getMask()), reg(load.getOther())};
        return true;
      })
      .Case<amdg::BufferStoreOp>([&](auto store) {
        form.operands = {reg(store.getValue()), reg(store.getPtr()), reg(store.getOffsets()),
                         reg(store.getMask())};
        return true;
      })
      .Case<amdg::BufferAtomicRMWOp>([&](auto atomic) {
        form.operands = {reg(atomic.getPtr()), reg(atomic.getOffsets()), reg(atomic.getValue()),
                         reg(atomic.getMask())};
        attrs.rmw = sim::Rmw(int(atomic.getAtomicRmwOp()) - 1);
        return true;
      })
      .Case<amdg::BufferAtomicCASOp>([&](auto atomic) {
        form.operands = {reg(atomic.getPtr()), reg(atomic.getOffsets()), reg(atomic.getCmp()),
                         reg(atomic.getVal())};
        return true;
      })
      .Case<amdg::AsyncTDMCopyGlobalToLocalOp>([&](auto copy) {
        form.operands = {reg(copy.getDesc()), reg(copy.getBuffer()), reg(copy.getBarrier()),
                         reg(copy.getPred())};
        llvm::append_range(form.operands, regs(copy.getIndices()));
        return true;
      })
      .Case<amdg::AsyncTDMCopyLocalToGlobalOp>([&](auto copy) {
        form.operands = {reg(copy.getDesc()), reg(copy.getBuffer()), reg(copy.getBarrier())};
        llvm::append_range(form.operands, regs(copy.getIndices()));
        return true;
      })
      .Case<amdg::TDMPrefetchOp>([&](auto prefetch) {
        form.operands = {reg(prefetch.getDesc()), reg(prefetch.getPred())};
        llvm::append_range(form.operands, regs(prefetch.getIndices()));
        if (prefetch.getReturnOffsets())
          fail(op->getLoc(), "'amdg.tdm_prefetch' with returnOffsets is not simulated");
        return true;
      })
      .Case<amdg::UpdateTensorDescriptorOp>([&](auto update) {
        form.operands = {reg(update.getDesc()), reg(update.getPred())};
        llvm::append_range(form.operands, regs(update.getAddOffsets()));
        llvm::append_range(form.operands, regs(update.getSetBounds()));
        attrs.ints = {int64_t(update.getAddOffsets().size()), int64_t(update.getSetBounds().size()),
                      update.getClampBounds() ? 1 : 0};
        return true;
      })
      .Case<amdg::ExtractSliceOp>([&](auto slice) {
        attrs.ints.assign(slice.getStaticOffsets().begin(), slice.getStaticOffsets().end());
        return true;
      })
      .Case<amdg::RematerializedRangeOp>([&](auto range) {
        form.operands.clear();
        attrs.ints = {int32_t(range.getStart()), int32_t(range.getEnd())};
        return true;
      })
      .Case<amdg::ScaledUpcastFp4Op>([&](auto convert) {
        attrs.axis = convert.getAxis();
        return true;
      })
      .Case<amdg::ScheduledMfmaOp>([&](auto mfma) {
        attrs.initialize = mfma.getInitialize();
        return true;
      })
      .Case<amdg::RegisterResidentOp, amdg::RegisterHandoffOp>([&](auto) { return true; })
      .Default(false);
}

} // namespace tlx
