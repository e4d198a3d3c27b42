//===- OpFacts.cpp ----------------------------------------------------------===//
#include "compiler/dialect/interfaces/OpFacts.h"

#include "compiler/dialect/interfaces/SyncEffects.h"
#include "compiler/dialect/interfaces/TileCost.h"

namespace tlx {

static std::string number(const SyncEffect &effect) {
  if (effect.amountValue)
    return "a run-time amount";
  return std::to_string(effect.amount);
}

/// One effect in words, such as "barrier-arrive, 2, elected".
static std::string words(const SyncEffect &effect) {
  std::string out = sync::name(effect.kind);
  using sync::Kind;
  if (effect.kind == Kind::Read || effect.kind == Kind::Write)
    out += std::string(" ") + sync::name(effect.space) + " memory, " + sync::name(effect.proxy) +
           " proxy";
  else if (effect.amount || effect.amountValue)
    out += ", " + number(effect);
  if (effect.moment == sync::Moment::Completion)
    out += ", at completion";
  if (effect.threads != sync::Threads::All)
    out += std::string(", ") + sync::name(effect.threads);
  if (effect.group != sync::Group::None)
    out += std::string(", group ") + sync::name(effect.group);
  if (effect.barrier)
    out += ", signalled by an mbarrier";
  if (effect.predicate)
    out += ", predicated";
  if (effect.rank || effect.rankMask)
    out += ", in another CTA";
  if (effect.taskBarrierBefore)
    out += ", after a barrier over the task";
  return out;
}

static std::string costWords(const TileCost &cost) {
  std::string out = name(cost.unit);
  if (cost.m)
    out += ", " + std::to_string(cost.m) + " x " + std::to_string(cost.n) + " x " +
           std::to_string(cost.k) + ", " + std::to_string(cost.operandBits) + "-bit operands";
  else if (cost.elements)
    out += ", " + std::to_string(cost.elements) + " elements";
  if (cost.bytes)
    out += ", " + std::to_string(cost.bytes) + " bytes";
  return out;
}

OpFacts factsOf(mlir::Operation *op) {
  OpFacts out;
  llvm::SmallVector<SyncEffect> effects;
  out.declared = collectSyncEffects(op, effects);
  for (const SyncEffect &effect : effects)
    out.effects.push_back(words(effect));
  if (TileCost cost = tileCostOf(op); cost.unit != CostUnit::None)
    out.cost = costWords(cost);
  return out;
}

} // namespace tlx
