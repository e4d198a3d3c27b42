#include "verify/model/Demand.h"

#include "verify/model/EffectExprs.h"

#include <bit>
#include <numeric>

using namespace tlx::verify;

namespace {
constexpr int64_t Limit = 1 << 16; ///< beyond it, keep the value exactly
constexpr int64_t MostAsked = 8;   ///< remainders by more are not chosen in advance
constexpr int MostRaised = 32;     ///< a counter that runs down asks for more each time around

Demand modulo(int64_t threshold, int64_t period) {
  bool negative = threshold < 0 && threshold != Demand::AnySign;
  if (threshold > Limit || period > Limit || negative || period < 1)
    return {true, true};
  return {true, false, threshold, period};
}

Demand join(const Demand &a, const Demand &b) {
  if (!a.any)
    return b;
  if (!b.any)
    return a;
  if (a.exact || b.exact)
    return {true, true};
  return modulo(std::max(a.threshold, b.threshold), std::lcm(a.period, b.period));
}

bool same(const Demand &a, const Demand &b) {
  return a.any == b.any && a.exact == b.exact &&
         (a.exact || (a.threshold == b.threshold && a.period == b.period));
}

const Demand Exact{true, true};
} // namespace

/// Parts may be shared so often that the expression written out has no end: each is asked once.
template <typename Ask> bool Demands::asked(Question question, ExprId expr, const Ask &ask) const {
  std::vector<Answer> &answers = known[question];
  answers.resize(program.exprs.size());
  if (answers[expr] == Answer::Open) {
    bool holds = ask(); // which asks about parts
    answers[expr] = holds ? Answer::Yes : Answer::No;
  }
  return answers[expr] == Answer::Yes;
}

bool Demands::isInteger(ExprId expr) const {
  if (expr == NoExpr)
    return true;
  const ExprNode &node = program.exprs[expr];
  switch (node.op) {
  case Op::Const: return true;
  case Op::Sym:
  case Op::Opaque: return false;
  case Op::Var: return integerVar[node.value];
  default:
    return asked(Integer, expr,
                 [&] { return isInteger(node.a) && isInteger(node.b) && isInteger(node.c); });
  }
}

bool Demands::isRemainder(ExprId expr) const {
  const ExprNode &node = program.exprs[expr];
  return (node.op == Op::Rem || node.op == Op::And) && program.exprs.isConst(node.b);
}

bool Demands::isKeptFor(ExprId expr) const {
  if (expr == NoExpr || isInteger(expr) || isRemainder(expr))
    return true;
  const ExprNode &node = program.exprs[expr];
  if (node.op == Op::Var)
    return !vars[node.value].any || vars[node.value].exact;
  return asked(KeptFor, expr,
               [&] { return isKeptFor(node.a) && isKeptFor(node.b) && isKeptFor(node.c); });
}

/// Symbols are no numbers while the program runs, nor is what is computed from them, but for
/// remainders.
bool Demands::isNeverKnown(ExprId expr) const {
  if (expr == NoExpr)
    return false;
  const ExprNode &node = program.exprs[expr];
  switch (node.op) {
  case Op::Sym:
  case Op::Opaque: return true;
  case Op::Rem:
  case Op::And:
  case Op::Eq:
  case Op::Lt:
  case Op::Le: return false;
  case Op::Select:
    return asked(NeverKnown, expr, [&] { return isNeverKnown(node.b) && isNeverKnown(node.c); });
  default:
    return asked(NeverKnown, expr, [&] { return isNeverKnown(node.a) || isNeverKnown(node.b); });
  }
}

bool Demands::isNeverNegative(ExprId expr, bool evenUnknown) const {
  return asked(evenUnknown ? NeverNegative : NoNegativeNumber, expr,
               [&] { return computesNoNegative(expr, evenUnknown); });
}

bool Demands::computesNoNegative(ExprId expr, bool evenUnknown) const {
  if (!evenUnknown && isNeverKnown(expr))
    return true;
  const ExprNode &node = program.exprs[expr];
  auto isNever = [&](ExprId part) { return isNeverNegative(part, evenUnknown); };
  switch (node.op) {
  case Op::Const: return node.value >= 0;
  case Op::Var: return !negativeVar[evenUnknown][node.value];
  case Op::Sym: return program.exprs.symbols[node.value].lo >= 0;
  case Op::Opaque: return program.exprs.opaques[node.value].lo >= 0;
  case Op::Add:
  case Op::Mul:
  case Op::Div:
  case Op::Min:
  case Op::Or:
  case Op::Xor: return isNever(node.a) && isNever(node.b);
  case Op::Max:
  case Op::And: return isNever(node.a) || isNever(node.b);
  case Op::Rem: return isNeverNegative(node.a, true);
  case Op::Shl:
  case Op::Shr: return isNever(node.a);
  case Op::Eq:
  case Op::Lt:
  case Op::Le: return true;
  case Op::Select: return isNever(node.b) && isNever(node.c);
  case Op::Sub: return false;
  }
  return false;
}

bool Demands::isSymbolic(ExprId expr) const {
  return program.exprs.every(expr, [](const ExprNode &node) { return node.op != Op::Var; });
}

int64_t Demands::periodOf(ExprId expr) const {
  auto it = leaves.find(expr);
  if (it == leaves.end() || !it->second.any)
    return 1;
  return it->second.exact ? 0 : it->second.period;
}

void Demands::analyse(const std::vector<const Code *> &codes) {
  vars.assign(program.varNames.size(), {});
  integerVar.assign(program.varNames.size(), 1);
  negativeVar.fill(std::vector<char>(program.varNames.size()));
  sources.assign(program.varNames.size(), {});
  for (const Code *code : codes)
    for (const Instr &instr : code->instrs)
      for (const Assign &assign : instr.assigns)
        assigned(assign);
  for (bool changed = true; changed;) {
    changed = false;
    known = {}; // variables have lost something since
    for (size_t v = 0; v < sources.size(); ++v)
      for (ExprId source : sources[v]) {
        if (integerVar[v] && !isInteger(source)) {
          integerVar[v] = 0;
          changed = true;
        }
        for (bool evenUnknown : {false, true})
          if (auto &negative = negativeVar[evenUnknown];
              !negative[v] && !isNeverNegative(source, evenUnknown))
            changed = negative[v] = 1;
      }
  }
  for (const Code *code : codes)
    for (const Instr &instr : code->instrs) {
      if (instr.kind == Instr::Branch)
        demandCond(instr.cond);
      if (instr.kind != Instr::Event)
        continue;
      for (const Effect &effect : program.events[instr.index].effects)
        eachExpr(effect, [&](ExprId e, ExprUse use) {
          if (e != NoExpr && use == ExprUse::Predicate)
            demandCond(e);
          else if (e != NoExpr && use == ExprUse::Integer)
            demand(e, Exact);
          else if (e != NoExpr && use == ExprUse::Parity)
            demand(e, modulo(2, 2));
        });
    }
}

void Demands::demandCond(ExprId expr) {
  if (!conditions.insert(expr).second)
    return;
  const ExprNode &node = program.exprs[expr];
  switch (node.op) {
  case Op::And:
  case Op::Or:
  case Op::Xor:
    demandCond(node.a);
    demandCond(node.b);
    return;
  case Op::Select:
    demandCond(node.a);
    demandCond(node.b);
    demandCond(node.c);
    return;
  case Op::Eq:
  case Op::Lt:
  case Op::Le:
    if (isInteger(node.a) && isInteger(node.b)) {
      demand(expr, Exact);
      return;
    }
    // What is asked of a size's remainder should be known when the size is.
    for (ExprId side : {node.a, node.b})
      if (isRemainder(side) && isSymbolic(side) && program.exprs[program.exprs[side].b].value > 0 &&
          program.exprs[program.exprs[side].b].value <= MostAsked)
        demand(side, Exact);
    // Decided from closed forms; but a negated condition is still one.
    if (node.op == Op::Eq && program.exprs.isConst(node.b))
      demandCond(node.a);
    return;
  default:
    if (isInteger(expr) || (isRemainder(expr) && !isSymbolic(expr)))
      demand(expr, Exact);
    return;
  }
}

void Demands::demand(ExprId expr, const Demand &wanted) {
  auto &[known, raised] = seen[expr];
  Demand d = join(known, wanted);
  if (same(known, d))
    return;
  known = d = ++raised > MostRaised ? Exact : d;
  const ExprNode node = program.exprs[expr];
  // Remainders inside a symbolic expression ask for a residue of what is
  // divided; anything else symbolic is asked for as a whole.
  bool multiple = node.op == Op::And && program.exprs.isConst(node.b) &&
                  program.exprs[node.b].value < 0; // x & -8
  bool remainder = node.op == Op::Rem || (node.op == Op::And && !multiple) || node.op == Op::Xor;
  bool takesNumber = node.op == Op::Sub && program.exprs.isConst(node.b);
  bool inside = !d.exact && (node.op == Op::Add || takesNumber || node.op == Op::Mul ||
                             (node.op == Op::Div && program.exprs.isConst(node.b) &&
                              program.exprs[node.b].value * d.period <= 64));
  if (node.op != Op::Const && !remainder && !inside && isSymbolic(expr)) {
    Demand &leaf = leaves[expr];
    leaf = join(leaf, d);
    return;
  }
  auto constant = [&](ExprId e, int64_t &value) {
    if (!program.exprs.isConst(e))
      return false;
    value = program.exprs[e].value;
    return true;
  };
  // For something whose value is not this one's: its threshold, unless any sign will do.
  bool anySign = !d.exact && d.threshold == Demand::AnySign;
  int64_t least = anySign ? 0 : d.threshold;
  auto from = [&](int64_t threshold) { return anySign ? Demand::AnySign : threshold; };
  auto both = [&](const Demand &x) {
    demand(node.a, x);
    demand(node.b, x);
  };
  // Of a sum or product with something below zero a reduced part changes the sign.
  auto bothUnlessNegative = [&] {
    bool keepsSign = anySign || (isNeverNegative(node.a, false) && isNeverNegative(node.b, false));
    both(keepsSign ? d : Exact);
  };
  int64_t c = 0;
  switch (node.op) {
  case Op::Const:
  case Op::Sym:
  case Op::Opaque: return;
  case Op::Var: {
    Demand &var = vars[node.value];
    var = join(var, d);
    for (ExprId source : sources[node.value])
      demand(source, var);
    return;
  }
  case Op::Add:
    if (!d.exact && constant(node.b, c))
      return demand(node.a, c >= 0 ? d : modulo(from(least - c), d.period));
    return bothUnlessNegative();
  case Op::Sub:
    if (!d.exact && constant(node.b, c))
      return demand(node.a, c <= 0 ? d : modulo(from(least + c), d.period));
    return both(anySign ? d : Exact);
  case Op::Mul:
    if (!d.exact && constant(node.b, c) && c != 0 && (c > 0 || anySign))
      return demand(node.a, modulo(from((least + c - 1) / c), d.period / std::gcd(d.period, c)));
    return bothUnlessNegative();
  case Op::Shl:
    if (!d.exact && constant(node.b, c) && c >= 0 && c < 16)
      return demand(node.a,
                    modulo(from((least >> c) + 1), d.period / std::gcd(d.period, int64_t(1) << c)));
    return both(Exact);
  case Op::Div:
  case Op::Shr: {
    bool known = constant(node.b, c);
    if (known && node.op == Op::Shr)
      c = c >= 0 && c < 16 ? int64_t(1) << c : 0;
    if (!d.exact && known && c > 0) { // a shift rounds down, a quotient towards zero
      int64_t first = node.op == Op::Shr ? from(least * c) : least * c;
      return demand(node.a, modulo(first, d.period * c));
    }
    return both(Exact);
  }
  case Op::Rem:
    if (constant(node.b, c) && c > 0)
      return demand(node.a, modulo(0, c));
    return both(Exact);
  case Op::And:
    if (constant(node.b, c) && c >= 0)
      return demand(node.a,
                    modulo(Demand::AnySign, static_cast<int64_t>(std::bit_ceil(uint64_t(c) + 1))));
    return both(Exact);
  case Op::Xor:
    if (!d.exact && constant(node.b, c) && std::has_single_bit(uint64_t(d.period)) &&
        (anySign || (c >= 0 && c < d.period && d.threshold % d.period == 0)))
      return demand(node.a, d);
    return both(Exact);
  case Op::Or: return both(Exact);
  case Op::Min:
  case Op::Max:
    if (!d.exact && constant(node.b, c))
      return demand(node.a, modulo(std::max(d.threshold, c + 1), d.period));
    return both(Exact);
  case Op::Eq:
  case Op::Lt:
  case Op::Le:
    if (constant(node.b, c))
      return demand(node.a, modulo(std::max<int64_t>(c + 1, 0), 1));
    if (constant(node.a, c))
      return demand(node.b, modulo(std::max<int64_t>(c + 1, 0), 1));
    return both(Exact);
  case Op::Select:
    demandCond(node.a);
    demand(node.b, d);
    demand(node.c, d);
    return;
  }
}
