// Every tile gets a layout. LayoutProblem says which; here they are written into
// the types, with conversions where a tile is taken in another layout than its own.
#include "compiler/transforms/LayoutProblem.h"
#include "compiler/transforms/Passes.h"

#include "compiler/dialect/tlx/TLX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tlx {
#define GEN_PASS_DEF_TLXASSIGNLAYOUTS
#include "compiler/transforms/Passes.h.inc"

namespace {

RankedTensorType withLayout(Type type, Attribute layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
}

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Requests and releases of a tile's layout are conversions from here on.
void replaceRequests(tt::FuncOp function) {
  function.walk([](Operation *op) {
    if (!isa<tlxd::RequireLayoutOp, tlxd::ReleaseLayoutOp>(op) || !isTile(op->getOperand(0)))
      return;
    OpBuilder b(op);
    op->replaceAllUsesWith(
        ttg::ConvertLayoutOp::create(b, op->getLoc(), op->getResultTypes(), op->getOperands()));
    op->erase();
  });
}

class Rewrite {
public:
  Rewrite(tt::FuncOp function, const LayoutProblem &problem)
      : function(function), problem(problem) {}

  void run() {
    // All is decided before anything changes.
    function.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (isTile(operand.get()) && problem.taken(operand) != problem.of(operand.get()))
          taken.emplace_back(&operand, problem.taken(operand));
      for (OpResult result : op->getResults())
        if (isTile(result))
          results.emplace_back(result, problem.given(result), problem.of(result));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            if (isTile(argument))
              argument.setType(withLayout(argument.getType(), problem.of(argument)));
    });
    for (auto [result, given, own] : results)
      retype(result, given, own);
    for (auto [operand, layout] : taken) {
      OpBuilder b(operand->getOwner());
      operand->set(convert(b, operand->get(), layout));
    }
    SmallVector<Type> inputs(function.getBody().front().getArgumentTypes());
    function.setFunctionTypeAttr(TypeAttr::get(
        FunctionType::get(function.getContext(), inputs, function.getFunctionType().getResults())));
    function.walk([](ttg::ConvertLayoutOp op) {
      if (op.getSrc().getType() == op.getType()) {
        op.replaceAllUsesWith(op.getSrc());
        op.erase();
      }
    });
  }

private:
  static Value convert(OpBuilder &b, Value value, Attribute layout) {
    return ttg::ConvertLayoutOp::create(b, value.getLoc(), withLayout(value.getType(), layout),
                                        value);
  }

  static void retype(OpResult result, Attribute given, Attribute own) {
    RankedTensorType type = withLayout(result.getType(), given);
    if (auto constant = dyn_cast<arith::ConstantOp>(result.getOwner()))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
    result.setType(type);
    if (given == own)
      return;
    OpBuilder b(result.getContext());
    b.setInsertionPointAfter(result.getOwner());
    Value converted = convert(b, result, own);
    result.replaceAllUsesExcept(converted, converted.getDefiningOp());
  }

  tt::FuncOp function;
  const LayoutProblem &problem;
  SmallVector<std::pair<OpOperand *, Attribute>> taken;
  SmallVector<std::tuple<OpResult, Attribute, Attribute>> results;
};

struct TlxAssignLayouts : public impl::TlxAssignLayoutsBase<TlxAssignLayouts> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isExternal())
        continue;
      replaceRequests(function);
      LayoutProblem problem(function);
      if (failed(problem.solve()))
        return signalPassFailure();
      Rewrite(function, problem).run();
    }
  }
};

} // namespace
} // namespace tlx
