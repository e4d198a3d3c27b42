#include "tests/mutation/Operators.h"

#include "compiler/dialect/ttg/TTG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using tlx::sync::Kind;
using tlx::sync::Moment;
using tlx::sync::Space;

namespace tlx::mutation {

Role::Role(Operation *op) {
  collectSyncEffects(op, effects);
  auto onChip = [](const SyncEffect &effect) {
    return (effect.kind == Kind::Read || effect.kind == Kind::Write) &&
           effect.space != Space::Global && effect.space != Space::None;
  };
  touches = copy = store = false;
  for (const SyncEffect &effect : effects) {
    touches |= onChip(effect);
    if (onChip(effect) && effect.kind == Kind::Write)
      (effect.moment == Moment::Completion ? copy : store) = true;
  }
  wait = has(Kind::BarrierWait);
  expect = has(Kind::BarrierExpect);
  arrive = has(Kind::BarrierArrive) && !expect && !touches;
  init = has(Kind::BarrierInit);
  inval = has(Kind::BarrierInval);
  fence = has(Kind::ProxyFence) || has(Kind::BarrierInitFence) || has(Kind::TensormapFence);
  commit = has(Kind::GroupCommit) && !touches;
  groupWait = has(Kind::GroupWait);
  named = has(Kind::NamedBarrierSync) || has(Kind::NamedBarrierArrive);
  cluster = has(Kind::ClusterArrive) || has(Kind::ClusterWait);
  taskBarrier = has(Kind::TaskBarrier) && !wait && !arrive && !expect && !groupWait;
  synchronises = wait || expect || arrive || init || inval || fence || commit || groupWait ||
                 named || cluster || taskBarrier || copy;
}

bool Role::has(Kind kind) const { return first(kind) != nullptr; }

const SyncEffect *Role::first(Kind kind) const {
  for (const SyncEffect &effect : effects)
    if (effect.kind == kind)
      return &effect;
  return nullptr;
}

KernelFacts::KernelFacts(ModuleOp module) {
  module.walk([&](ttg::MemDescIndexOp index) {
    int64_t slots = cast<ttg::MemDescType>(index->getOperand(0).getType()).getShape()[0];
    if (slots > 1)
      stages.insert(slots);
  });
}

ArrayRef<Operator> operators() {
  static const std::vector<Operator> all = [] {
    std::vector<Operator> list;
    for (ArrayRef<Operator> family : {dropOperators(), orderOperators(), valueOperators(),
                                      targetOperators(), controlOperators()})
      list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

std::optional<int64_t> constantOf(Value value) {
  APInt known;
  if (value && value.getType().isIntOrIndex() && matchPattern(value, m_ConstantInt(&known)))
    return known.getSExtValue();
  return std::nullopt;
}

Value integer(OpBuilder &b, Operation *op, Type type, int64_t value) {
  return arith::ConstantOp::create(b, op->getLoc(), b.getIntegerAttr(type, value));
}

static std::vector<Operation *> operationsOf(ModuleOp module) {
  std::vector<Operation *> list;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { list.push_back(op); });
  return list;
}

std::vector<Site> sites(ModuleOp module) {
  KernelFacts facts(module);
  std::vector<Operation *> list = operationsOf(module);
  std::vector<Site> found;
  ArrayRef<Operator> all = operators();
  for (size_t at = 0; at < list.size(); ++at) {
    Role role(list[at]);
    for (size_t o = 0; o < all.size(); ++o)
      for (int v = 0, n = all[o].variants(list[at], role, facts); v < n; ++v)
        found.push_back({static_cast<int>(o), static_cast<int>(at), v});
  }
  return found;
}

bool apply(ModuleOp module, const Site &site, Location &at) {
  Operation *op = operationsOf(module)[site.operation];
  at = op->getLoc();
  return operators()[site.op].apply(op, Role(op), site.variant);
}

} // namespace tlx::mutation
