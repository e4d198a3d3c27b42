// A tensor descriptor's block gets the layout of the buffers that it is copied to
// and from: the tensor map is made for their swizzle. Who has none gets the widest
// swizzle that a row of the block fills.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SharedBuffers.h"
#include "compiler/transforms/ValueFlow.h"

#include "compiler/dialect/ttg/TTG.h"
#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXDESCRIPTORLAYOUTS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// The buffer that a copy moves a block to or from; null: `op` is no copy.
Value bufferOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ttng::AsyncTMACopyGlobalToLocalOp, ttng::AsyncTMAGatherOp>(
          [](auto copy) { return copy.getResult(); })
      .Case<ttng::AsyncTMACopyLocalToGlobalOp, ttng::AsyncTMAReduceOp, ttng::AsyncTMAScatterOp>(
          [](auto copy) { return copy.getSrc(); })
      .Default(Value());
}

Value descriptorOf(Operation *op) {
  for (Value operand : op->getOperands())
    if (tt::isTensorDesc(operand.getType()))
      return operand;
  return {};
}

Attribute layoutOf(Value descriptor) {
  auto type = dyn_cast<tt::TensorDescType>(descriptor.getType());
  return type ? type.getBlockType().getEncoding() : Attribute();
}

struct TlxDescriptorLayouts : public impl::TlxDescriptorLayoutsBase<TlxDescriptorLayouts> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([&](Operation *op) {
      if (Value buffer = bufferOf(op))
        if (Value descriptor = descriptorOf(op))
          give(descriptor, cast<ttg::MemDescType>(buffer.getType()).getEncoding());
    });
    spread();
    auto giveDefault = [&](Value value) {
      if (auto type = dyn_cast<tt::TensorDescType>(value.getType()))
        give(value, swizzledLayout(type.getBlockType()));
    };
    module.walk([&](Operation *op) {
      for (Value result : op->getResults())
        giveDefault(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            giveDefault(argument);
    });
    for (auto function : module.getOps<tt::FuncOp>())
      if (!function.isExternal())
        function.setFunctionTypeAttr(TypeAttr::get(
            FunctionType::get(&getContext(), function.getBody().front().getArgumentTypes(),
                              function.getFunctionType().getResults())));
  }

private:
  /// To all values that control flow makes the same descriptor.
  void spread() {
    do {
      changed = false;
      getOperation().walk([&](Operation *op) {
        eachHandover(op, [&](OpOperand &operand, Value value) {
          give(operand.get(), layoutOf(value));
          give(value, layoutOf(operand.get()));
        });
        if (auto select = dyn_cast<arith::SelectOp>(op))
          for (Value choice : {select.getTrueValue(), select.getFalseValue()}) {
            give(choice, layoutOf(select));
            give(select, layoutOf(choice));
          }
      });
    } while (changed);
  }

  /// Keeps a layout that is known already; who copies to two kinds of buffers
  /// learns from the tensor map's box.
  void give(Value descriptor, Attribute layout) {
    auto type = dyn_cast<tt::TensorDescType>(descriptor.getType());
    if (!type || !layout || type.getBlockType().getEncoding())
      return;
    RankedTensorType block = type.getBlockType();
    descriptor.setType(tt::TensorDescType::get(
        RankedTensorType::get(block.getShape(), block.getElementType(), layout)));
    changed = true;
  }

  bool changed = false;
};

} // namespace
} // namespace tlx
