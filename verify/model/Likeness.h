//===- Likeness.h - whether two values are the same ------------------------===//
//
// What is stored is an expression: scalars, and opaque functions of them for tensors and
// floating point. Two of them are compared by what they are computed with.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Expr.h"

#include <functional>

namespace tlx::verify {

/// Free: what memory holds makes them differ or not.
enum class Likeness : uint8_t { Same, Open, Free, Differ };

struct ValueComparison {
  const Exprs &exprs;
  /// Of two scalars, neither of them opaque.
  std::function<Likeness(ExprId, ExprId)> scalars;
  /// Functions that are not the same, or of other values, give other values. Otherwise only
  /// those do of which that is certain.
  bool apartUnlessAlike = false;

  Likeness compare(ExprId a, ExprId b) const;

private:
  std::string parts(ExprId value, std::vector<ExprId> &out) const;
  Likeness functions(ExprId a, ExprId b) const;
};

} // namespace tlx::verify
