//===- EffectExprs.h - the expressions of an effect ------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

/// What an expression of an effect is asked for.
enum class ExprUse : uint8_t {
  Predicate, ///< whether it is so
  Integer,   ///< a number that the run has to know
  Origin,    ///< its closed form: where a tile of global memory lies
  Value,     ///< what is written, where that is known; nothing else depends on it
};

/// Calls `visit(expr, use)` for each, NoExpr too; those of an effect that may change may be
/// changed.
template <typename AnyEffect, typename Visit> void eachExpr(AnyEffect &effect, Visit visit) {
  visit(effect.pred, ExprUse::Predicate);
  for (auto *expr : {&effect.amount, &effect.phase, &effect.target.slot, &effect.target.rank})
    visit(*expr, ExprUse::Integer);
  for (auto &range : effect.target.tile)
    visit(range.origin, ExprUse::Origin);
  visit(effect.value, ExprUse::Value);
}

} // namespace tlx::verify
