// Scalars on concrete values: leaves as somebody chose them, the rest computed. The
// explorers' own evaluator, apart from the prover's.
#include "verify/explore/World.h"

#include <algorithm>

using namespace tlx::verify;

static LeafValues valuesOf(const Program &program, const ExploreOptions &options) {
  if (options.values)
    return options.values;
  return [&](ExprId leaf, const LeafPlace &place) -> std::optional<int64_t> {
    const ExprNode &node = program.exprs[leaf];
    if (node.op == Op::Sym)
      return options.valueOf ? options.valueOf(node.value) : 0;
    if (!options.functionOf)
      return std::nullopt;
    return options.functionOf(program.exprs.opaques[node.value], place.operands);
  };
}

Interpreter::Interpreter(const Program &program, const ExploreOptions &options)
    : Interpreter(program, valuesOf(program, options)) {
  watchesReads = options.watchesReads;
}

bool Interpreter::isAssumed() {
  World start = initial();
  return std::all_of(program.assumptions.begin(), program.assumptions.end(),
                     [&](const Assumption &a) { return eval(start, 0, a.holds) != 0; });
}

int64_t Interpreter::eval(const World &w, int task, ExprId id) {
  const ExprNode &node = program.exprs[id];
  switch (node.op) {
  case Op::Const: return node.value;
  case Op::Var: return w.vars[node.value];
  case Op::Select: return eval(w, task, eval(w, task, node.a) ? node.b : node.c);
  case Op::Sym:
  case Op::Opaque: {
    auto operand = [&](ExprId of) { return of == NoExpr ? 0 : eval(w, task, of); };
    Operands operands{operand(node.a), operand(node.b), operand(node.c)};
    if (auto value = values(id, {w.threads[task].iteration, operands}))
      return *value;
    inexpressible = "the value of " + program.exprs.print(id, program.varNames);
    return 0;
  }
  default: break;
  }
  int64_t a = eval(w, task, node.a), b = eval(w, task, node.b);
  bool shifts = b >= 0 && b < 63;
  switch (node.op) {
  case Op::Add: return a + b;
  case Op::Sub: return a - b;
  case Op::Mul: return a * b;
  case Op::Div: return b ? a / b : 0;
  case Op::Rem: return b ? a % b : 0;
  case Op::And: return a & b;
  case Op::Or: return a | b;
  case Op::Xor: return a ^ b;
  case Op::Shl: return shifts ? static_cast<int64_t>(static_cast<uint64_t>(a) << b) : 0;
  case Op::Shr: return shifts ? a >> b : 0;
  case Op::Min: return std::min(a, b);
  case Op::Max: return std::max(a, b);
  case Op::Eq: return a == b;
  case Op::Lt: return a < b;
  case Op::Le: return a <= b;
  default: return 0;
  }
}
