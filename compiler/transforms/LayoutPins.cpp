#include "compiler/transforms/LayoutPins.h"

#include "compiler/dialect/tlx/TLX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tlx {
namespace {

/// Null for free tiles, scalars and buffers.
Attribute encodingOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getEncoding() : Attribute();
}

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

Type withEncoding(Type type, Attribute encoding) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), encoding);
}

/// Ops whose tiles all have one layout.
bool wantsOneLayout(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op);
}

class LayoutPins {
public:
  explicit LayoutPins(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run() {
    if (!hasPins())
      return success();
    do {
      changed = false;
      WalkResult walk = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
        return failed(visit(op)) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return failure();
    } while (changed);
    return success();
  }

private:
  bool hasPins() {
    return module
        .walk([](Operation *op) {
          return llvm::any_of(op->getResults(), encodingOf) ? WalkResult::interrupt()
                                                            : WalkResult::advance();
        })
        .wasInterrupted();
  }

  LogicalResult visit(Operation *op) {
    if (wantsOneLayout(op))
      return visitOneLayout(op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitFor(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return visitWhile(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visitIf(branch);
    if (auto call = dyn_cast<tt::CallOp>(op))
      return visitCall(call);
    if (auto function = dyn_cast<tt::FuncOp>(op))
      return visitFunction(function);
    visitShapeOp(op);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // One layout for several values
  //===--------------------------------------------------------------------===//

  /// Puts `operands`, which are read, and `results`, which are defined by `op`,
  /// into the one layout that any of them has.
  LogicalResult unify(Operation *op, ArrayRef<OpOperand *> operands, ArrayRef<Value> results) {
    Attribute layout;
    auto meet = [&](Attribute other) -> LogicalResult {
      if (!other || other == layout)
        return success();
      if (layout)
        return op->emitOpError("operands have conflicting layouts, ")
               << layout << " and " << other << "; release one of them with tlx.release_layout";
      layout = other;
      return success();
    };
    for (OpOperand *operand : operands)
      if (failed(meet(encodingOf(operand->get()))))
        return failure();
    // A result without operands in a layout keeps what it has.
    if (!layout)
      for (Value result : results)
        if (failed(meet(encodingOf(result))))
          return failure();
    if (!layout)
      return success();
    for (OpOperand *operand : operands)
      if (isTile(operand->get()) && !encodingOf(operand->get()))
        require(*operand, layout);
    for (Value result : results)
      if (isTile(result))
        retype(result, layout);
    return success();
  }

  void require(OpOperand &operand, Attribute layout) {
    OpBuilder builder(operand.getOwner());
    Value source = operand.get();
    operand.set(tlxd::RequireLayoutOp::create(builder, source.getLoc(),
                                              withEncoding(source.getType(), layout), source));
    changed = true;
  }

  void retype(Value value, Attribute layout) {
    Type type = withEncoding(value.getType(), layout);
    if (value.getType() == type)
      return;
    // A constant's attribute has the type too.
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        constant.setValueAttr(splat.resizeSplat(cast<ShapedType>(type)));
    value.setType(type);
    changed = true;
  }

  LogicalResult visitOneLayout(Operation *op) {
    SmallVector<OpOperand *> operands;
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get()))
        operands.push_back(&operand);
    return operands.empty() ? success()
                            : unify(op, operands, llvm::to_vector_of<Value>(op->getResults()));
  }

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  LogicalResult visitFor(scf::ForOp loop) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (isTile(argument) &&
          failed(unify(loop, {&loop.getInitArgsMutable()[index], &yield->getOpOperand(index)},
                       {argument, loop.getResult(index)})))
        return failure();
    return success();
  }

  LogicalResult visitWhile(scf::WhileOp loop) {
    Operation *yield = loop.getYieldOp();
    scf::ConditionOp condition = loop.getConditionOp();
    for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
      if (isTile(argument) &&
          failed(unify(loop, {&loop.getInitsMutable()[index], &yield->getOpOperand(index)},
                       {argument})))
        return failure();
    for (auto [index, argument] : llvm::enumerate(loop.getAfterArguments()))
      if (isTile(argument) && failed(unify(loop, {&condition.getArgsMutable()[index]},
                                           {argument, loop.getResult(index)})))
        return failure();
    return success();
  }

  LogicalResult visitIf(scf::IfOp branch) {
    if (branch.getNumResults() == 0)
      return success();
    Operation *first = branch.thenYield(), *second = branch.elseYield();
    for (auto [index, result] : llvm::enumerate(branch.getResults()))
      if (isTile(result) &&
          failed(
              unify(branch, {&first->getOpOperand(index), &second->getOpOperand(index)}, {result})))
        return failure();
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Shapes: the wrapper stays around what the op makes of the layout inside
  //===--------------------------------------------------------------------===//

  void visitShapeOp(Operation *op) {
    if (op->getNumOperands() == 0 || op->getNumResults() == 0)
      return;
    Attribute layout = encodingOf(op->getOperand(0));
    if (!layout)
      return;
    if (isa<tt::BroadcastOp, tt::ScanOp>(op)) {
      for (Value result : op->getResults())
        retype(result, layout);
    } else if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      Attribute slice = ttg::SliceEncodingAttr::get(op->getContext(), reduce.getAxis(), layout);
      if (isa<tlxd::NoVerifyLayoutAttr>(layout))
        slice = tlxd::NoVerifyLayoutAttr::get(op->getContext(), slice);
      for (Value result : op->getResults())
        if (isTile(result))
          retype(result, slice);
    } else if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
      auto slice = dyn_cast_or_null<ttg::SliceEncodingAttr>(tlxd::unwrapLayout(layout));
      if (slice && slice.getDim() == expand.getAxis())
        retype(expand.getResult(), slice.getParent());
    }
  }

  //===--------------------------------------------------------------------===//
  // Functions
  //===--------------------------------------------------------------------===//

  /// The function's type follows its arguments and what it returns.
  LogicalResult visitFunction(tt::FuncOp function) {
    if (function.isExternal())
      return success();
    SmallVector<Type> results(function.getFunctionType().getResults());
    SmallVector<tt::ReturnOp> returns;
    function.walk([&](tt::ReturnOp op) { returns.push_back(op); });
    for (size_t index = 0; index < results.size(); ++index) {
      SmallVector<OpOperand *> operands;
      for (tt::ReturnOp op : returns)
        if (index < op->getNumOperands() && isTile(op->getOperand(index)))
          operands.push_back(&op->getOpOperand(index));
      if (operands.empty())
        continue;
      if (failed(unify(operands.front()->getOwner(), operands, {})))
        return failure();
      results[index] = operands.front()->get().getType();
    }
    auto type = FunctionType::get(module.getContext(),
                                  function.getBody().front().getArgumentTypes(), results);
    if (type != function.getFunctionType()) {
      function.setFunctionTypeAttr(TypeAttr::get(type));
      changed = true;
    }
    return success();
  }

  LogicalResult visitCall(tt::CallOp call) {
    auto callee = symbols.lookup<tt::FuncOp>(call.getCallee());
    if (!callee || callee.getNumArguments() != call.getNumOperands())
      return success(); // the verifier says it better
    if (TypeRange(callee.getArgumentTypes()) != TypeRange(call.getOperandTypes())) {
      for (auto [given, taken] : llvm::zip(call.getOperandTypes(), callee.getArgumentTypes()))
        if (!differInLayoutOnly(given, taken))
          return success();
      if (callee.isExternal())
        return call.emitOpError("passes pinned tiles to '")
               << call.getCallee() << "', which has no body to adapt";
      callee = adapted(callee, call);
    }
    for (auto [result, type] : llvm::zip(call.getResults(), callee.getResultTypes()))
      if (result.getType() != type && differInLayoutOnly(result.getType(), type)) {
        result.setType(type);
        changed = true;
      }
    return success();
  }

  static bool differInLayoutOnly(Type a, Type b) {
    auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
    return a == b ||
           (x && y && x.getShape() == y.getShape() && x.getElementType() == y.getElementType());
  }

  /// `callee` for the operand types of `call`: itself where nobody else calls it.
  tt::FuncOp adapted(tt::FuncOp callee, tt::CallOp call) {
    SmallVector<Type> types(call.getOperandTypes());
    tt::FuncOp version;
    for (auto &[name, known, function] : versions)
      if (name == callee.getName() && known == types)
        version = function;
    if (!version) {
      std::string name = callee.getName().str();
      auto uses = SymbolTable::getSymbolUses(callee, module);
      bool single = uses && llvm::hasSingleElement(*uses);
      version = single ? callee : cast<tt::FuncOp>(callee->clone());
      if (!single)
        symbols.insert(version, std::next(callee->getIterator())); // renames it
      for (auto [argument, type] : llvm::zip(version.getArguments(), types))
        argument.setType(type);
      version.setFunctionTypeAttr(TypeAttr::get(
          FunctionType::get(module.getContext(), types, version.getFunctionType().getResults())));
      versions.emplace_back(name, types, version);
    }
    call.setCallee(version.getName());
    changed = true;
    return version;
  }

  ModuleOp module;
  SymbolTable symbols;
  bool changed = false;
  /// By callee and operand types.
  SmallVector<std::tuple<std::string, SmallVector<Type>, tt::FuncOp>> versions;
};

} // namespace

LogicalResult agreeOnLayoutPins(ModuleOp module) { return LayoutPins(module).run(); }

} // namespace tlx
