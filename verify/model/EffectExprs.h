//===- EffectExprs.h - the expressions of an effect ------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

/// What an expression of an effect is asked for.
enum class ExprUse : uint8_t {
  Predicate, ///< whether it is so
  Integer,   ///< a number that the run has to know
  Parity,    ///< 0, 1, or something else that is odd or even
  Origin,    ///< its closed form: where a tile of global memory lies
  Value,     ///< what is written, where that is known; nothing else depends on it
};

/// Does the run need it to go on?
constexpr bool isAsked(ExprUse use) { return use <= ExprUse::Parity; }

/// Calls `visit(expr, use)` for each, NoExpr too; those of an effect that may change may be
/// changed.
template <typename AnyEffect, typename Visit> void eachExpr(AnyEffect &effect, Visit visit) {
  visit(effect.pred, ExprUse::Predicate);
  visit(effect.matters, ExprUse::Predicate);
  visit(effect.amount, ExprUse::Integer);
  visit(effect.phase, ExprUse::Parity);
  for (auto *expr : {&effect.target.slot, &effect.target.rank})
    visit(*expr, ExprUse::Integer);
  for (auto &range : effect.target.tile)
    visit(range.origin, ExprUse::Origin);
  visit(effect.value, ExprUse::Value);
}

} // namespace tlx::verify
