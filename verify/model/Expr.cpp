#include "verify/model/Expr.h"

#include <algorithm>
#include <set>

using namespace tlx::verify;

bool tlx::verify::foldBinary(Op op, int64_t a, int64_t b, int64_t &result) {
  // Wrap-around arithmetic, so that no input is undefined behaviour here.
  auto wrap = [](uint64_t value) { return static_cast<int64_t>(value); };
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
  case Op::Add: result = wrap(ua + ub); return true;
  case Op::Sub: result = wrap(ua - ub); return true;
  case Op::Mul: result = wrap(ua * ub); return true;
  case Op::Div:
    if (b == 0 || (a == INT64_MIN && b == -1))
      return false;
    result = a / b;
    return true;
  case Op::Rem:
    if (b == 0 || (a == INT64_MIN && b == -1))
      return false;
    result = a % b;
    return true;
  case Op::And: result = a & b; return true;
  case Op::Or: result = a | b; return true;
  case Op::Xor: result = a ^ b; return true;
  case Op::Shl:
    if (b < 0 || b > 62)
      return false;
    result = wrap(ua << b);
    return true;
  case Op::Shr:
    if (b < 0 || b > 62)
      return false;
    result = a >> b;
    return true;
  case Op::Min: result = std::min(a, b); return true;
  case Op::Max: result = std::max(a, b); return true;
  case Op::Eq: result = a == b; return true;
  case Op::Lt: result = a < b; return true;
  case Op::Le: result = a <= b; return true;
  default: return false;
  }
}

ExprId Exprs::intern(ExprNode node) {
  auto [it, isNew] = ids.try_emplace(node.key(), static_cast<ExprId>(nodes.size()));
  if (isNew)
    nodes.push_back(node);
  return it->second;
}

ExprId Exprs::constant(int64_t value) { return intern({Op::Const, value}); }

ExprId Exprs::symbol(Symbol symbol) {
  symbols.push_back(std::move(symbol));
  return intern({Op::Sym, static_cast<int64_t>(symbols.size()) - 1});
}

ExprId Exprs::var(VarId var) { return intern({Op::Var, var}); }

ExprId Exprs::binary(Op op, ExprId a, ExprId b) {
  const ExprNode x = nodes[a], y = nodes[b];
  int64_t folded;
  if (x.op == Op::Const && y.op == Op::Const && foldBinary(op, x.value, y.value, folded))
    return constant(folded);
  auto isConst = [](const ExprNode &node, int64_t value) {
    return node.op == Op::Const && node.value == value;
  };
  switch (op) {
  case Op::Add:
  case Op::Or:
  case Op::Xor:
    if (isConst(x, 0))
      return b;
    if (isConst(y, 0))
      return a;
    break;
  case Op::Sub:
    if (isConst(y, 0))
      return a;
    if (a == b)
      return constant(0);
    break;
  case Op::Mul:
    if (isConst(x, 1))
      return b;
    if (isConst(y, 1))
      return a;
    if (isConst(x, 0) || isConst(y, 0))
      return constant(0);
    break;
  case Op::Div:
    if (isConst(y, 1))
      return a;
    if (x.op == Op::Mul && !isConst(y, 0) && (x.a == b || x.b == b)) // contract: not zero
      return x.a == b ? x.b : x.a;
    break;
  case Op::Rem:
    if (isConst(y, 1))
      return constant(0);
    break;
  case Op::And:
    if (isConst(x, 0) || isConst(y, 0))
      return constant(0);
    if (isConst(x, -1))
      return b;
    if (isConst(y, -1) || a == b)
      return a;
    break;
  case Op::Eq:
    if (a == b)
      return constant(1);
    break;
  case Op::Le:
    if (a == b)
      return constant(1);
    break;
  case Op::Lt:
    if (a == b)
      return constant(0);
    break;
  case Op::Min:
  case Op::Max:
    if (a == b)
      return a;
    break;
  default: break;
  }
  if (op == Op::Add || op == Op::Sub)
    if (std::optional<ExprId> shorter = shorterSum(op, a, b))
      return *shorter;
  bool commutes = op == Op::Add || op == Op::Mul || op == Op::And || op == Op::Or ||
                  op == Op::Xor || op == Op::Eq || op == Op::Min || op == Op::Max;
  if (commutes && (x.op == Op::Const || (y.op != Op::Const && a > b)))
    std::swap(a, b);
  return intern({op, 0, a, b});
}

ExprId Exprs::select(ExprId cond, ExprId a, ExprId b) {
  if (isConst(cond))
    return nodes[cond].value ? a : b;
  if (a == b)
    return a;
  return intern({Op::Select, 0, cond, a, b});
}

ExprId Exprs::opaque(const std::string &name, ExprId a, ExprId b, ExprId c) {
  auto [it, isNew] = opaqueIds.try_emplace(name, static_cast<int>(opaques.size()));
  if (isNew)
    opaques.push_back({name});
  return intern({Op::Opaque, it->second, a, b, c});
}

void Exprs::bind(const std::map<int64_t, int64_t> &values, bool contents) {
  auto isBound = [&](ExprNode &node) {
    int64_t folded = 0;
    switch (node.op) {
    case Op::Const:
    case Op::Var:
    case Op::Opaque: return false;
    case Op::Sym: {
      auto it = values.find(node.value);
      if (it == values.end())
        return false;
      node = {Op::Const, it->second};
      return true;
    }
    case Op::Select:
      if (!isConst(node.a))
        return false;
      node = ExprNode(nodes[nodes[node.a].value ? node.b : node.c]);
      return true;
    default:
      if (!isConst(node.a) || !isConst(node.b) ||
          !foldBinary(node.op, nodes[node.a].value, nodes[node.b].value, folded))
        return false;
      node = {Op::Const, folded};
      return true;
    }
  };
  if (contents)
    for (size_t id = 0, count = nodes.size(); id < count; ++id)
      if (nodes[id].op == Op::Opaque && opaques[nodes[id].value].name == Function::Load) {
        ExprId nth = add(binary(Op::And, nodes[id].a, constant(ContentMask)), constant(1));
        ExprId next = binary(Op::Mul, nth, add(nth, constant(1))), step = constant(ContentStep);
        nodes[id] = {Op::Mul, 0, next, step};
      }
  // Operands come before what they are part of, but for those of loads.
  for (bool again = true; again;) {
    again = false;
    for (ExprNode &node : nodes)
      again |= isBound(node);
    again &= contents;
  }
}

std::string Exprs::contentText() {
  return std::to_string(ContentStep) + " * n * (n + 1) with n = address % " +
         std::to_string(ContentMask + 1) + " + 1";
}

bool Exprs::every(ExprId id, const std::function<bool(const ExprNode &)> &holds) const {
  std::vector<ExprId> open{id};
  std::set<ExprId> seen{NoExpr};
  while (!open.empty()) {
    ExprId next = open.back();
    open.pop_back();
    if (!seen.insert(next).second)
      continue;
    const ExprNode &node = nodes[next];
    if (!holds(node))
      return false;
    open.insert(open.end(), {node.a, node.b, node.c});
  }
  return true;
}

bool Exprs::isCondition(ExprId id) const {
  const ExprNode &node = nodes[id];
  switch (node.op) {
  case Op::Eq:
  case Op::Lt:
  case Op::Le: return true;
  case Op::Const: return node.value == 0 || node.value == 1;
  case Op::And:
  case Op::Or:
  case Op::Xor: return isCondition(node.a) && isCondition(node.b);
  case Op::Select: return isCondition(node.b) && isCondition(node.c);
  default: return false;
  }
}

ExprId Exprs::element(const Function &sequence, ExprId index) {
  ExprId result = opaque(sequence.name, index);
  opaques[nodes[result].value] = sequence;
  return result;
}

std::string Exprs::print(ExprId id, const std::vector<std::string> &varNames) const {
  if (id == NoExpr)
    return "?";
  const ExprNode &node = nodes[id];
  auto operand = [&](ExprId e) {
    std::string text = print(e, varNames);
    bool leaf = nodes[e].op <= Op::Var || nodes[e].op == Op::Opaque || nodes[e].op == Op::Min ||
                nodes[e].op == Op::Max;
    return leaf ? text : "(" + text + ")";
  };
  auto infix = [&](const char *sign) { return operand(node.a) + sign + operand(node.b); };
  switch (node.op) {
  case Op::Const: return std::to_string(node.value);
  case Op::Sym: return symbols[node.value].name;
  case Op::Var:
    return static_cast<size_t>(node.value) < varNames.size() && !varNames[node.value].empty()
               ? varNames[node.value]
               : "v" + std::to_string(node.value);
  case Op::Add: return infix(" + ");
  case Op::Sub: return infix(" - ");
  case Op::Mul: return infix(" * ");
  case Op::Div: return infix(" / ");
  case Op::Rem: return infix(" % ");
  case Op::And: return infix(" & ");
  case Op::Or: return infix(" | ");
  case Op::Xor: return infix(" ^ ");
  case Op::Shl: return infix(" << ");
  case Op::Shr: return infix(" >> ");
  case Op::Eq: return infix(" == ");
  case Op::Lt: return infix(" < ");
  case Op::Le: return infix(" <= ");
  case Op::Min: return "min(" + print(node.a, varNames) + ", " + print(node.b, varNames) + ")";
  case Op::Max: return "max(" + print(node.a, varNames) + ", " + print(node.b, varNames) + ")";
  case Op::Select: return operand(node.a) + " ? " + operand(node.b) + " : " + operand(node.c);
  case Op::Opaque: {
    std::string text = opaques[node.value].name;
    if (node.a == NoExpr)
      return text;
    text += "(" + print(node.a, varNames);
    for (ExprId e : {node.b, node.c})
      if (e != NoExpr)
        text += ", " + print(e, varNames);
    return text + ")";
  }
  }
  return "?";
}
