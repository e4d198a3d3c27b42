//===- Evaluate.cpp - integers where known, decisions where not -----------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;

Machine::Eval Machine::evaluate(State &state, int task, ExprId expr, int64_t &value) {
  const ExprNode node = program.exprs[expr];
  switch (node.op) {
  case Op::Const: value = node.value; return Eval::Known;
  case Op::Sym:
  case Op::Opaque: return Eval::Unknown;
  case Op::Var:
    value = state.vars[node.value];
    return value == UnknownValue ? Eval::Unknown : Eval::Known;
  case Op::Select: {
    bool cond;
    if (Eval e = decide(state, task, node.a, cond); e != Eval::Known)
      return e;
    return evaluate(state, task, cond ? node.b : node.c, value);
  }
  default: break;
  }
  // Remainders of values that are not known: their residues may be.
  const ExprNode &right = program.exprs[node.b == NoExpr ? expr : node.b];
  bool remainder = node.op == Op::Rem || (node.op == Op::And && right.op == Op::Const &&
                                          (right.value & (right.value + 1)) == 0);
  if (remainder && right.op == Op::Const && right.value > 0) {
    int64_t modulus = node.op == Op::Rem ? right.value : right.value + 1;
    if (Eval e = evaluate(state, task, node.a, value); e == Eval::Forks)
      return e;
    else if (e == Eval::Known)
      return foldBinary(node.op, value, right.value, value) ? e : Eval::Unknown;
    bool negative = false; // division rounds towards zero, masks take the bits
    if (node.op == Op::Rem)
      if (Eval e = isNegative(state, task, node.a, negative); e != Eval::Known)
        return e;
    Eval e = residue(state, task, node.a, modulus, value);
    if (e == Eval::Known && negative && value)
      value -= modulus;
    return e;
  }
  int64_t a, b;
  Eval ea = evaluate(state, task, node.a, a);
  if (ea == Eval::Forks)
    return ea;
  Eval eb = evaluate(state, task, node.b, b);
  if (eb == Eval::Forks)
    return eb;
  if (ea == Eval::Known && eb == Eval::Known)
    return foldBinary(node.op, a, b, value) ? Eval::Known : Eval::Unknown;
  bool compares = node.op == Op::Eq || node.op == Op::Lt || node.op == Op::Le;
  // Of integers that have no value (x / 0) nothing else is known.
  if (compares && !(demands.isInteger(node.a) && demands.isInteger(node.b))) {
    bool holds;
    if (Eval e = decide(state, task, expr, holds); e != Eval::Known)
      return e;
    value = holds;
    return Eval::Known;
  }
  return Eval::Unknown;
}

/// Of a value that is not known, its residue is enough where nothing asks for more: from the
/// threshold on. Below it, as below zero, steps towards zero would not be those of the residue.
Machine::Eval Machine::evaluateFor(State &state, int task, ExprId expr, const Demand &demand,
                                   int64_t &value) {
  Eval e = evaluate(state, task, expr, value);
  bool anySign = demand.threshold == Demand::AnySign, below = false;
  if (e != Eval::Unknown || demand.period < 2 || (!anySign && demand.threshold > demand.period))
    return e;
  if (!anySign)
    if (e = isBelow(state, task, expr, demand.threshold, below); e != Eval::Known)
      return e;
  if (below)
    return Eval::Unknown;
  e = residue(state, task, expr, demand.period, value);
  while (e == Eval::Known && !anySign && value < demand.threshold)
    value += demand.period;
  return e;
}

Machine::Eval Machine::isNegative(State &state, int task, ExprId expr, bool &value) {
  return isBelow(state, task, expr, 0, value);
}

/// Asked where neither operands nor what is known of the launch says it.
Machine::Eval Machine::isBelow(State &state, int task, ExprId expr, int64_t bound, bool &value) {
  LinId form = linears.of(expr);
  value = false;
  if (linears.range(linears.form(form)).first >= bound)
    return Eval::Known;
  Eval e = ask(state, task, linears.add(form, linears.intern({1 - bound, {}})), value);
  value = !value;
  if (e == Eval::Forks && stop.fork.kind != Fork::Residue && bound == 0)
    stop.fork.kind = Fork::OfDivided;
  return e;
}

Machine::Eval Machine::chooseResidue(const State &state, int task, LinId form, int64_t modulus) {
  stop.fork = {};
  stop.fork.kind = Fork::Residue;
  stop.fork.task = task;
  stop.fork.pc = state.tasks[task].pc;
  stop.fork.residueOf = form;
  stop.fork.modulus = modulus;
  return Eval::Forks;
}

/// The value modulo `modulus`, from 0 on, of an expression that is not known itself. Symbols
/// get a residue by choice.
Machine::Eval Machine::residue(State &state, int task, ExprId expr, int64_t modulus,
                               int64_t &value) {
  const ExprNode node = program.exprs[expr];
  auto reduce = [&](int64_t v) { return ((v % modulus) + modulus) % modulus; };
  if (modulus < 1 || modulus > 4096)
    return Eval::Unknown;
  if (Eval e = evaluate(state, task, expr, value); e != Eval::Unknown) {
    if (e == Eval::Known)
      value = reduce(value);
    return e;
  }
  if (demands.isSymbolic(expr) && demands.leaves.contains(expr)) {
    LinId form = linears.of(expr);
    uint32_t ords = 0;
    for (auto [term, coef] : linears.form(form).terms)
      ords |= linears.facts(term).ords;
    int64_t period = demands.periodOf(expr);
    if (ords || period < 1 || period % modulus || period > 64)
      return Eval::Unknown;
    // (8 x + 5) % 2 is 1, whatever x.
    const LinForm &whole = linears.form(form);
    if (std::all_of(whole.terms.begin(), whole.terms.end(),
                    [&](const auto &piece) { return piece.second % modulus == 0; })) {
      value = reduce(whole.c);
      return Eval::Known;
    }
    if (auto it = state.residues.find(form); it != state.residues.end()) {
      value = it->second.second % modulus;
      return Eval::Known;
    }
    return chooseResidue(state, task, form, period);
  }
  if (Eval e = residueOfParts(state, task, node, modulus, value); e != Eval::Unknown)
    return e;
  // What the operations hide the closed form may say: (i * P) / P is i.
  auto closed = periodic(state, task, linears.of(expr), state.tasks[task].n, modulus);
  value = closed.value_or(0);
  return closed ? Eval::Known : Eval::Unknown;
}

Machine::Eval Machine::residueOfParts(State &state, int task, const ExprNode &node, int64_t modulus,
                                      int64_t &value) {
  int64_t a, b;
  auto reduce = [&](int64_t v) { return ((v % modulus) + modulus) % modulus; };
  switch (node.op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul: {
    if (Eval e = residue(state, task, node.a, modulus, a); e != Eval::Known)
      return e;
    if (Eval e = residue(state, task, node.b, modulus, b); e != Eval::Known)
      return e;
    foldBinary(node.op, a, b, value);
    value = reduce(value);
    return Eval::Known;
  }
  case Op::Rem:
  case Op::And: {
    const ExprNode &divisor = program.exprs[node.b];
    int64_t inner = divisor.op != Op::Const ? 0
                    : node.op == Op::Rem    ? divisor.value
                                            : divisor.value + 1;
    if (inner < 1 || (inner & (inner - 1) && node.op == Op::And))
      return Eval::Unknown;
    bool negative = false; // a mask takes the bits
    if (node.op == Op::Rem)
      if (Eval e = isNegative(state, task, node.a, negative); e != Eval::Known)
        return e;
    Eval e = residue(state, task, node.a, inner, a);
    if (e == Eval::Known)
      value = reduce(negative && a ? a - inner : a);
    return e;
  }
  case Op::Div: {
    const ExprNode &divisor = program.exprs[node.b];
    if (divisor.op != Op::Const || divisor.value < 1 || divisor.value > 4096)
      return Eval::Unknown;
    bool negative = false;
    if (Eval e = isNegative(state, task, node.a, negative); e != Eval::Known)
      return e;
    int64_t period = modulus * divisor.value;
    Eval e = residue(state, task, node.a, period, a);
    if (e == Eval::Known) // of what is negative the quotient of its opposite, negated
      value = negative ? reduce(-((period - a) % period / divisor.value)) : a / divisor.value;
    return e;
  }
  default: return Eval::Unknown;
  }
}

/// The value of an expression whose closed form has a small range: decided
/// value by value.
Machine::Eval Machine::pinDown(State &state, int task, ExprId expr, int64_t &value) {
  if (Eval e = evaluate(state, task, expr, value); e != Eval::Unknown)
    return e;
  LinId form = linears.of(expr);
  auto [lo, hi] = linears.range(linears.form(form));
  if (lo == INT64_MIN || hi == INT64_MAX || hi - lo > 64)
    return Eval::Unknown;
  for (int64_t v = lo; v < hi; ++v) {
    bool above;
    // value >= v + 1  <=>  form - v >= 1
    LinId shifted = linears.add(form, linears.intern({v, {}}), -1);
    if (Eval e = ask(state, task, shifted, above); e != Eval::Known)
      return e;
    if (!above) {
      value = v;
      return Eval::Known;
    }
  }
  value = hi;
  return Eval::Known;
}

/// Is the form at least 1?
Machine::Eval Machine::ask(State &state, int task, LinId form, bool &value) {
  return askAt(state, task, form, state.tasks[task].n, true, value);
}

Machine::Eval Machine::askAt(State &state, int task, LinId form, std::vector<int64_t> n,
                             bool mayFork, bool &value) {
  LinId simple = form;
  if (Eval e = simplify(state, task, simple, n, mayFork); e == Eval::Forks)
    return e;
  if (linears.form(simple).terms.empty()) {
    value = linears.form(simple).c >= 1;
    return Eval::Known;
  }
  Question q = table.question(simple);
  if (options.splitSiblings && !table.cls(q.cls).ords.empty()) {
    size_t depth = static_cast<size_t>(table.cls(q.cls).ords.back().first);
    if (depth <= n.size() && depth <= state.tasks[task].loops.size())
      if (auto it = siblingOf.find({q.cls, task, state.tasks[task].loops[depth - 1]});
          it != siblingOf.end())
        q.cls = table.variant(q.cls, it->second);
  }
  const DecisionClass &cls = table.cls(q.cls);
  if (cls.prefixDepth > static_cast<int>(n.size()) ||
      (!cls.ords.empty() && cls.ords.back().first > static_cast<int>(n.size())))
    return Eval::Unknown; // about an iteration of a loop that is not running
  Interval interval = table.known(state, q.cls, n);
  int64_t t = table.threshold(q, n);
  if (interval.lo >= t || interval.hi < t) {
    value = (interval.lo >= t) != q.negated;
    // Iteration numbers alone, within a form: another form, but the same value.
    bool isSpelling = !mayFork && cls.rest.terms.empty();
    if (!isSpelling && table.differsByIteration(q, n, interval))
      learn(state, task, q.cls, n);
    return Eval::Known;
  }
  if (!mayFork)
    return Eval::Unknown;
  // What asks for a residue of R gets it before R's interval may be forgotten.
  for (const auto &[leaf, demand] : demands.leaves) {
    if (!demand.any || demand.exact || demand.period < 2 || demand.period > 64)
      continue;
    LinId asked = linears.of(leaf);
    if (!table.bears(asked, q.cls) || state.residues.contains(asked))
      continue;
    return chooseResidue(state, task, asked, demand.period);
  }
  learn(state, task, q.cls, n);
  stop.fork = {};
  stop.fork.key = table.key(q.cls, n);
  stop.fork.threshold = t;
  stop.fork.task = task;
  stop.fork.pc = state.tasks[task].pc;
  stop.fork.negated = q.negated;
  return Eval::Forks;
}

Machine::Eval Machine::decide(State &state, int task, ExprId expr, bool &value) {
  const ExprNode node = program.exprs[expr];
  auto sub = [&](ExprId e, bool &v) { return decide(state, task, e, v); };
  auto isBoolean = [&](ExprId e) {
    auto [lo, hi] = linears.range(linears.form(linears.of(e)));
    return program.exprs.isCondition(e) || (lo >= 0 && hi <= 1);
  };
  // A variable beside a comparison is one that was carried.
  auto areBoolean = [&](ExprId a, ExprId b) {
    auto goesWith = [&](ExprId e, ExprId other) {
      return isBoolean(e) || (program.exprs[e].op == Op::Var && program.exprs.isCondition(other));
    };
    return goesWith(a, b) && goesWith(b, a);
  };
  switch (node.op) {
  case Op::Const: value = node.value != 0; return Eval::Known;
  case Op::And:
  case Op::Or: {
    if (!areBoolean(node.a, node.b))
      break;
    bool a = false, b = false; // without a meaning unless known
    Eval ea = sub(node.a, a);
    if (ea == Eval::Forks || (ea == Eval::Known && a == (node.op == Op::Or))) {
      value = a;
      return ea;
    }
    Eval eb = sub(node.b, b);
    if (eb == Eval::Known && b == (node.op == Op::Or)) {
      value = b;
      return eb;
    }
    if (ea == Eval::Unknown)
      return ea;
    value = b;
    return eb;
  }
  case Op::Xor: {
    if (!areBoolean(node.a, node.b))
      break;
    bool a, b;
    if (Eval e = sub(node.a, a); e != Eval::Known)
      return e;
    if (Eval e = sub(node.b, b); e != Eval::Known)
      return e;
    value = a != b;
    return Eval::Known;
  }
  case Op::Select: {
    bool c;
    if (Eval e = sub(node.a, c); e != Eval::Known)
      return e;
    return sub(c ? node.b : node.c, value);
  }
  case Op::Eq:
  case Op::Lt:
  case Op::Le: {
    if (demands.isInteger(node.a) && demands.isInteger(node.b))
      break;
    if (node.op == Op::Eq && program.exprs.isConst(node.b) && isBoolean(node.a)) {
      int64_t c = program.exprs[node.b].value;
      bool a;
      if (Eval e = sub(node.a, a); e != Eval::Known)
        return e;
      value = c == 0 ? !a : c == 1 ? a : false;
      return Eval::Known;
    }
    // What variables say that are kept exactly is no question.
    int64_t a, b;
    auto hasValue = [&](ExprId e) {
      auto isExact = [&](const ExprNode &part) {
        return part.op != Op::Var || demands.of(static_cast<VarId>(part.value)).exact;
      };
      return program.exprs.isConst(e) ||
             (!demands.isSymbolic(e) && program.exprs.every(e, isExact));
    };
    if (hasValue(node.a) && hasValue(node.b)) {
      Eval ea = evaluate(state, task, node.a, a), eb = ea;
      if (ea == Eval::Known)
        eb = evaluate(state, task, node.b, b);
      if (eb == Eval::Forks)
        return eb;
      int64_t holds;
      if (eb == Eval::Known && foldBinary(node.op, a, b, holds)) {
        value = holds != 0;
        return eb;
      }
    }
    return compare(state, task, node.op, linears.of(node.a), linears.of(node.b),
                   state.tasks[task].n, true, value);
  }
  default: break;
  }
  int64_t v;
  if (demands.isKeptFor(expr))
    if (Eval e = evaluate(state, task, expr, v); e != Eval::Unknown) {
      value = v != 0;
      return e;
    }
  return truth(state, task, linears.of(expr), state.tasks[task].n, true, value);
}
