//===- Roots.cpp - which tensor a pointer or a descriptor is of ------------===//
//
// Pointers are computed from arguments, carried by loops and chosen by branches; a
// descriptor is an argument or is made from a pointer. Where that leads to one
// argument whatever happens, accesses are of its tensor.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "compiler/dialect/tt/TT.h"
#include "compiler/dialect/ttng/TTNG.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tlx::verify {

bool isAddress(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return isa<tt::PointerType, IntegerType>(tensor.getElementType());
  return isa<tt::PointerType>(type);
}

/// The values that `value` may be, one step back; none: it begins there.
static SmallVector<Value> sourcesOf(Value value) {
  auto ofLoop = [](Operation *loop, unsigned i) -> SmallVector<Value> {
    if (auto counted = dyn_cast<scf::ForOp>(loop))
      return {counted.getInitArgs()[i], counted.getBody()->getTerminator()->getOperand(i)};
    auto open = cast<scf::WhileOp>(loop);
    return {open.getInits()[i], open.getAfter().front().getTerminator()->getOperand(i)};
  };
  auto passedOn = [](scf::WhileOp loop, unsigned i) {
    return cast<scf::ConditionOp>(loop.getBefore().front().getTerminator()).getArgs()[i];
  };
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (isa<scf::ForOp>(parent) && arg.getArgNumber() > 0)
      return ofLoop(parent, arg.getArgNumber() - 1);
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return arg.getOwner() == &loop.getBefore().front()
                 ? ofLoop(parent, arg.getArgNumber())
                 : SmallVector<Value>{passedOn(loop, arg.getArgNumber())};
    return {};
  }
  Operation *op = value.getDefiningOp();
  unsigned i = cast<OpResult>(value).getResultNumber();
  StringRef name = op->getName().getStringRef();
  if (name == "tt.addptr" || name == "tt.splat" || name == "tt.broadcast" ||
      name == "tt.expand_dims" || name == "tt.bitcast" || name == "ttg.convert_layout")
    return {op->getOperand(0)};
  if (name == "arith.select")
    return {op->getOperand(1), op->getOperand(2)};
  if (isa<scf::ForOp>(op))
    return ofLoop(op, i);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {passedOn(loop, i)};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenBlock()->getTerminator()->getOperand(i),
            branch.elseBlock()->getTerminator()->getOperand(i)};
  return {};
}

Operation *makerOf(Value desc) {
  Operation *op = throughCaptures(desc).getDefiningOp();
  if (!isa_and_nonnull<ttng::ReinterpretTensorDescOp>(op))
    return isa_and_nonnull<tt::MakeTensorDescOp>(op) ? op : nullptr;
  Operation *maker = nullptr;
  Value map = throughCaptures(op->getOperand(0));
  for (Operation *user : map.getUsers()) {
    auto create = dyn_cast<ttng::TensormapCreateOp>(user);
    auto make = dyn_cast<tt::MakeTensorDescOp>(user);
    if ((!create || create.getDescPtr() != map) && (!make || make.getDescPtr() != map))
      continue;
    if (maker)
      return nullptr;
    maker = user;
  }
  return maker;
}

/// The address that a descriptor is made from; null when it is not made here.
static Value baseOf(Value desc) {
  Operation *maker = isa<tt::TensorDescType>(desc.getType()) ? makerOf(desc) : nullptr;
  if (!maker)
    return {};
  auto make = dyn_cast<tt::MakeTensorDescOp>(maker);
  return make ? Value(make.getBase())
              : Value(cast<ttng::TensormapCreateOp>(maker).getGlobalAddress());
}

bool addRoots(Value address, llvm::SetVector<Value> &roots) {
  llvm::SetVector<Value> seen;
  seen.insert(throughCaptures(address));
  bool all = true;
  for (size_t i = 0; i < seen.size(); ++i) {
    SmallVector<Value> sources = sourcesOf(seen[i]);
    for (Value source : sources)
      seen.insert(throughCaptures(source));
    if (!sources.empty())
      continue;
    auto argument = dyn_cast<BlockArgument>(seen[i]);
    if (argument && argument.getOwner()->isEntryBlock() &&
        isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      roots.insert(argument);
    else if (Value base = baseOf(seen[i]))
      seen.insert(throughCaptures(base));
    else
      all = false;
  }
  return all;
}

Value pointerRoot(Value pointer) {
  llvm::SetVector<Value> roots;
  return addRoots(pointer, roots) && roots.size() == 1 ? roots.front() : Value();
}

} // namespace tlx::verify
