#include "compiler/dialect/tt/TT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/InliningUtils.h"

#include "compiler/dialect/tt/TTDialect.cpp.inc"
#include "compiler/dialect/tt/TTEnums.cpp.inc"

using namespace mlir;

namespace tlx::tt {
namespace {

/// Device functions inline wherever they are called, unless they say
/// `noinline = true`.
struct TTInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable, bool) const final {
    auto noinline = callable->getAttrOfType<BoolAttr>("noinline");
    return !noinline || !noinline.getValue();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  void handleTerminator(Operation *op, Block *newDest) const final {
    auto returnOp = dyn_cast<ReturnOp>(op);
    if (!returnOp)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), newDest, returnOp.getSrcs());
    op->erase();
  }
  void handleTerminator(Operation *op, ValueRange valuesToReplace) const final {
    auto returnOp = cast<ReturnOp>(op);
    for (auto [value, replacement] : llvm::zip(valuesToReplace, returnOp.getSrcs()))
      value.replaceAllUsesWith(replacement);
  }
};

} // namespace

void TTDialect::initialize() {
  registerTypes();
  registerOps();
  addInterfaces<TTInlinerInterface>();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                          Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

void setIrVersion(MLIRContext *context, IrVersion version) {
  context->getOrLoadDialect<TTDialect>()->irVersion = version;
}

IrVersion getIrVersion(MLIRContext *context) {
  return context->getOrLoadDialect<TTDialect>()->irVersion;
}

} // namespace tlx::tt
