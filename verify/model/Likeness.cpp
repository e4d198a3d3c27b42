#include "verify/model/Likeness.h"

#include <algorithm>
#include <array>

using namespace tlx::verify;

/// Whether a function is one of these, whatever its attributes.
template <size_t Count>
static bool isOneOf(const std::string &function, const std::array<const char *, Count> &names) {
  return std::find(names.begin(), names.end(), function.substr(0, function.find(' '))) !=
         names.end();
}

static bool commutes(const std::string &function) {
  return isOneOf(function,
                 std::array{"arith.addi", "arith.addf", "arith.muli", "arith.mulf", "arith.andi",
                            "arith.ori", "arith.xori", "arith.maxsi", "arith.maxui",
                            "arith.maxnumf", "arith.maximumf", "arith.minsi", "arith.minui",
                            "arith.minnumf", "arith.minimumf"});
}

/// Whether different operands, the others equal, give different results.
static bool tellsApart(const std::string &function) {
  return isOneOf(function,
                 std::array{"tt.splat", "tt.broadcast", "tt.expand_dims", "tt.addptr",
                            "arith.sitofp", "arith.uitofp", "arith.extsi", "arith.extui",
                            "arith.extf", "arith.addi", "arith.subi", "arith.addf", "arith.subf",
                            "arith.negf", "arith.truncf", "ttg.convert_layout"});
}

/// A function of several values: its name, and these.
std::string ValueComparison::parts(ExprId value, std::vector<ExprId> &out) const {
  const ExprNode &node = exprs[value];
  const std::string &name = exprs.opaques[node.value].name;
  if (name != "with") {
    for (ExprId part : {node.a, node.b, node.c})
      if (part != NoExpr)
        out.push_back(part);
    return name;
  }
  std::string of = parts(node.a, out);
  out.push_back(node.b);
  return of;
}

Likeness ValueComparison::compare(ExprId a, ExprId b) const {
  if (a == b && a != NoExpr)
    return Likeness::Same;
  const Likeness unlike = apartUnlessAlike ? Likeness::Differ : Likeness::Open;
  if (a == NoExpr || b == NoExpr)
    return unlike;
  bool isFunction = exprs[a].op == Op::Opaque;
  if (isFunction != (exprs[b].op == Op::Opaque))
    return unlike;
  return isFunction ? functions(a, b) : scalars(a, b);
}

Likeness ValueComparison::functions(ExprId a, ExprId b) const {
  std::vector<ExprId> left, right;
  std::string function = parts(a, left), other = parts(b, right);
  bool constants = left.empty() && right.empty() && function.starts_with("arith.constant") &&
                   other.starts_with("arith.constant");
  if (function != other || left.size() != right.size())
    return apartUnlessAlike || constants ? Likeness::Differ : Likeness::Open;
  if (apartUnlessAlike && left.size() == 2 && commutes(function) &&
      compare(left[0], right[1]) <= Likeness::Open && compare(left[1], right[0]) <= Likeness::Open)
    return Likeness::Open;
  bool loads = function.starts_with("tt.load") || Function{function}.loads();
  Likeness worst = Likeness::Same;
  int differing = 0;
  bool open = false;
  // A load is told by its address: masks and defaults may agree where it counts.
  size_t count = loads && !apartUnlessAlike ? std::min<size_t>(1, left.size()) : left.size();
  for (size_t i = 0; i < count; ++i) {
    Likeness part = compare(left[i], right[i]);
    open |= part == Likeness::Open;
    worst = std::max(worst, part);
    differing += part != Likeness::Same;
  }
  if (apartUnlessAlike)
    return worst;
  if (open)
    return Likeness::Open;
  if (worst == Likeness::Differ && (loads || function.ends_with(" loading")))
    return Likeness::Free;
  if (worst == Likeness::Differ && (differing > 1 || !tellsApart(function)))
    return Likeness::Open;
  return worst;
}
