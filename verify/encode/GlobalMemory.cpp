//===- GlobalMemory.cpp - elements that several tasks access --------------===//
//
// Tasks of one CTA may access the same elements of global memory. Where the
// addresses and the mask of two accesses are the same function of arguments and
// program ids, the elements are the same for certain: they are a buffer of their
// own. Addresses that depend on a loop or on data, or are different expressions,
// are not compared (contract).
//
// Stores that all write the same value do not conflict. CTAs of a cluster are not
// compared: those that compute a result together may all store it.
//
//===----------------------------------------------------------------------===//

#include "verify/encode/EncoderImpl.h"

#include "compiler/dialect/tt/TT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tlx::verify {

/// Whether an expression has one value for the CTA.
bool Encoder::isFixed(ExprId expr) const {
  if (expr == NoExpr)
    return true;
  const ExprNode &node = e[expr];
  if (node.op == Op::Var || (node.op == Op::Sym && e.symbols[node.value].perIterationDepth > 0))
    return false;
  return isFixed(node.a) && isFixed(node.b) && isFixed(node.c);
}

/// What a tensor is, as a function of arguments and program ids, whatever its
/// layout; NoExpr when it depends on more.
ExprId Encoder::tensorKey(Value value) {
  value = throughCaptures(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    ExprId key = isScalar(value.getType()) ? scalar(value) : NoExpr;
    return isFixed(key) ? key : NoExpr;
  }
  if (auto it = tensorKeys.find(value); it != tensorKeys.end())
    return it->second;
  tensorKeys[value] = NoExpr;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0)
    return NoExpr;
  StringRef name = op->getName().getStringRef();
  if (name == "ttg.convert_layout" || name == "tlx.require_layout" || name == "tlx.release_layout")
    return tensorKeys[value] = tensorKey(op->getOperand(0));
  auto load = dyn_cast<tt::LoadOp>(op);
  if (load) {
    Value root = pointerRoot(load.getPtr());
    if (!root || writtenPointers.contains(root))
      return NoExpr;
  } else if (!isPure(op)) {
    return NoExpr;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << name;
  for (int64_t size : type.getShape())
    os << ' ' << size;
  os << ' ' << type.getElementType();
  for (NamedAttribute attr : op->getAttrs()) {
    Attribute what = attr.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(what)) {
      if (!dense.isSplat())
        return NoExpr;
      what = dense.getSplatValue<Attribute>();
    }
    os << ' ' << attr.getName().getValue() << '=' << what;
  }
  ExprId key = e.opaque(text);
  for (Value operand : op->getOperands()) {
    ExprId part = tensorKey(operand);
    if (part == NoExpr)
      return NoExpr;
    key = e.opaque("with", key, part);
  }
  return tensorKeys[value] = key;
}

void Encoder::elementEffect(Operation *op, Effect effect, std::vector<Effect> &out) {
  auto store = dyn_cast<tt::StoreOp>(op);
  auto load = dyn_cast<tt::LoadOp>(op);
  if (hasAtomics || (!store && !load))
    return;
  ExprId key = tensorKey(store ? store.getPtr() : load.getPtr());
  if (Value mask = store ? store.getMask() : load.getMask(); mask && key != NoExpr) {
    ExprId where = tensorKey(mask);
    key = where == NoExpr ? NoExpr : e.opaque("where", key, where);
  }
  if (key == NoExpr)
    return;
  auto [it, isNew] = elements.try_emplace({key, rank});
  Elements &shared = it->second;
  if (isNew) {
    Buffer buffer;
    buffer.name = "global memory";
    buffer.where = sync::Space::Global;
    buffer.space = -(1 << 20) - static_cast<int>(elements.size());
    buffer.stride = 1;
    buffer.ranks = p.ranks;
    shared.buffer = p.addBuffer(std::move(buffer));
  }
  shared.tasks.insert(taskNumber);
  if (store)
    shared.values.insert(tensorKey(store.getValue()));
  else
    shared.loads = true;
  effect.target.object = shared.buffer;
  out.push_back(std::move(effect));
}

/// Forgets accesses that cannot conflict with another task's.
void Encoder::dropPrivateElements() {
  llvm::DenseSet<int> harmless;
  for (const auto &[key, shared] : elements) {
    bool oneValue = shared.values.size() == 1 && *shared.values.begin() != NoExpr;
    if (shared.tasks.size() < 2 || shared.values.empty() || (oneValue && !shared.loads))
      harmless.insert(shared.buffer);
  }
  for (Event &event : p.events)
    std::erase_if(event.effects, [&](const Effect &effect) {
      return effect.onMemory() && harmless.contains(effect.target.object);
    });
}

} // namespace tlx::verify
