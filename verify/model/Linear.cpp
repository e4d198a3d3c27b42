#include "verify/model/Linear.h"

#include <algorithm>
#include <bit>

using namespace tlx::verify;

LinId Linears::intern(LinForm form) {
  std::sort(form.terms.begin(), form.terms.end());
  size_t out = 0;
  for (size_t i = 0; i < form.terms.size();) {
    auto [term, coef] = form.terms[i++];
    while (i < form.terms.size() && form.terms[i].first == term)
      coef += form.terms[i++].second;
    if (coef)
      form.terms[out++] = {term, coef};
  }
  form.terms.resize(out);
  if (cancelQuotient(form))
    return intern(std::move(form));
  auto [it, isNew] = formIds.try_emplace(form, static_cast<LinId>(forms.size()));
  if (isNew)
    forms.push_back(std::move(form));
  return it->second;
}

LinId Linears::add(LinId a, LinId b, int64_t scaleB) {
  LinForm sum = forms[a];
  sum.c += scaleB * forms[b].c;
  for (auto [term, coef] : forms[b].terms)
    sum.terms.emplace_back(term, scaleB * coef);
  return intern(std::move(sum));
}

static int64_t saturatedAdd(int64_t a, int64_t b) {
  if (a == INT64_MIN || b == INT64_MIN)
    return INT64_MIN;
  if (a == INT64_MAX || b == INT64_MAX)
    return INT64_MAX;
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? (a > 0 ? INT64_MAX : INT64_MIN) : sum;
}

std::pair<int64_t, int64_t> Linears::range(const LinForm &form) const {
  int64_t lo = form.c, hi = form.c;
  for (auto [term, coef] : form.terms) {
    const TermFacts &facts = termFacts[term];
    auto scaled = [c = coef](int64_t bound) {
      int64_t product;
      if (bound == INT64_MIN || bound == INT64_MAX || __builtin_mul_overflow(bound, c, &product))
        return (bound > 0) == (c > 0) ? INT64_MAX : INT64_MIN;
      return product;
    };
    lo = saturatedAdd(lo, scaled(coef > 0 ? facts.lo : facts.hi));
    hi = hi == INT64_MAX ? hi : saturatedAdd(hi, scaled(coef > 0 ? facts.hi : facts.lo));
  }
  return {lo, hi};
}

int Linears::internTerm(LinTerm term) {
  auto [it, isNew] = termIds.try_emplace(term.key(), static_cast<int>(terms.size()));
  if (!isNew)
    return it->second;
  TermFacts facts;
  switch (term.kind) {
  case LinTerm::Sym: {
    const Symbol &symbol = program.exprs.symbols[term.value];
    facts = {0, symbol.launchInvariant, symbol.lo, symbol.hi};
    for (int d = 1; d <= symbol.perIterationDepth; ++d)
      facts.ords |= 1u << d;
    break;
  }
  case LinTerm::Ord: facts = {1u << term.value, false, 0, INT64_MAX}; break;
  case LinTerm::Private:
    facts.launchInvariant = false;
    for (int d = 1; d <= term.name; ++d)
      facts.ords |= 1u << d;
    break;
  case LinTerm::Delayed:
    facts.lo = std::min(range(forms[term.operands[0]]).first, range(forms[term.operands[1]]).first);
    facts.hi =
        std::max(range(forms[term.operands[0]]).second, range(forms[term.operands[1]]).second);
    facts.ords = 1u << term.value;
    facts.launchInvariant = false;
    [[fallthrough]];
  case LinTerm::Iterate:
  case LinTerm::Final:
  case LinTerm::Operation: {
    for (LinId operand : term.operands)
      for (auto [t, coef] : forms[operand].terms) {
        facts.ords |= termFacts[t].ords;
        facts.launchInvariant &= termFacts[t].launchInvariant;
      }
    if (term.kind == LinTerm::Final)
      facts.ords &= (1u << term.value) - 1;
    if (term.kind != LinTerm::Operation)
      break;
    Op op = static_cast<Op>(term.value);
    if (op == Op::Opaque) {
      const Function &function = program.exprs.opaques[term.name];
      facts.lo = function.lo, facts.hi = function.hi;
      facts.launchInvariant &= !function.sequence;
    }
    auto rangeOf = [&](int i) { return range(forms[term.operands[i]]); };
    if (op == Op::Eq || op == Op::Lt || op == Op::Le) {
      facts.lo = 0, facts.hi = 1;
    } else if (op == Op::Rem) {
      auto [dlo, dhi] = rangeOf(1);
      int64_t most = dlo == dhi && dlo > 0 ? dlo - 1 : INT64_MAX;
      auto [nlo, nhi] = rangeOf(0);
      bool divides = dlo == dhi; // contract: what an unknown divides is not negative
      facts.lo = nlo >= 0 || !divides ? 0 : most == INT64_MAX ? INT64_MIN : -most;
      facts.hi = nhi <= 0 ? 0 : most;
    } else if (op == Op::And) {
      auto [dlo, dhi] = rangeOf(1);
      if (dlo == dhi && dlo >= 0)
        facts.lo = 0, facts.hi = dlo;
    } else if (op == Op::Xor) {
      auto [alo, ahi] = rangeOf(0);
      auto [blo, bhi] = rangeOf(1);
      if (alo >= 0 && blo >= 0 && ahi != INT64_MAX && bhi != INT64_MAX) {
        facts.lo = 0;
        facts.hi = static_cast<int64_t>(std::bit_ceil(uint64_t(std::max(ahi, bhi)) + 1) - 1);
      }
    } else if (op == Op::Div) {
      auto [dlo, dhi] = rangeOf(1);
      auto [nlo, nhi] = rangeOf(0);
      if (dlo > 0 && nlo >= 0)
        facts.lo = 0;
      else if (dlo > 1 && nlo > -dlo)
        facts.lo = 0;
      else if (dlo != dhi)
        facts.lo = 0; // contract: unknown divisors are positive, what they divide is not negative
      if (dlo == dhi && dlo > 0 && nhi != INT64_MAX && nhi >= 0)
        facts.hi = nhi / dlo;
    } else if (op == Op::Max || op == Op::Min) {
      auto [alo, ahi] = rangeOf(0);
      auto [blo, bhi] = rangeOf(1);
      facts.lo = op == Op::Max ? std::max(alo, blo) : std::min(alo, blo);
      facts.hi = op == Op::Max ? std::max(ahi, bhi) : std::min(ahi, bhi);
    } else if (op == Op::Mul) {
      auto [alo, ahi] = rangeOf(0);
      auto [blo, bhi] = rangeOf(1);
      if (alo >= 0 && blo >= 0)
        facts.lo = 0;
    }
    break;
  }
  }
  int id = it->second;
  terms.push_back(std::move(term));
  termFacts.push_back(facts);
  // A quotient comes with its remainder: what cancels does not depend on what came before.
  LinTerm twin = terms[id];
  Op op = twin.kind == LinTerm::Operation ? static_cast<Op>(twin.value) : Op::Const;
  if ((op == Op::Div || op == Op::Rem) && !twin.name && forms[twin.operands[1]].terms.empty() &&
      forms[twin.operands[1]].c > 1) {
    twin.value = static_cast<int64_t>(op == Op::Div ? Op::Rem : Op::Div);
    internTerm(std::move(twin));
  }
  return id;
}

LinId Linears::termForm(LinTerm term) {
  int id = internTerm(std::move(term));
  return intern({0, {{id, 1}}});
}

LinId Linears::privateForm(VarId var, int depth) {
  return termForm({LinTerm::Private, var, depth, {}});
}

LinId Linears::operation(Op op, int64_t name, std::vector<LinId> operands) {
  auto isConst = [&](LinId id) { return forms[id].terms.empty(); };
  if (operands.size() == 2 && isConst(operands[0]) && isConst(operands[1])) {
    int64_t folded;
    if (foldBinary(op, forms[operands[0]].c, forms[operands[1]].c, folded))
      return intern({folded, {}});
  }
  bool commutes = op == Op::Mul || op == Op::And || op == Op::Or || op == Op::Xor || op == Op::Eq ||
                  op == Op::Min || op == Op::Max;
  if (commutes && !isConst(operands[1]) && (isConst(operands[0]) || operands[0] > operands[1]))
    std::swap(operands[0], operands[1]);
  if (op == Op::Mul) {
    for (int i : {0, 1})
      if (isConst(operands[i])) {
        LinId zero = intern({0, {}});
        int64_t scale = forms[operands[i]].c;
        return add(zero, operands[1 - i], scale);
      }
    auto [timesA, a] = factored(operands[0]);
    auto [timesB, b] = factored(operands[1]);
    if (timesA > 1 || timesB > 1) // 2 a * b = 2 (a * b): even, whatever a and b are
      return add(intern({0, {}}), operation(op, name, {a, b}), timesA * timesB);
  }
  if (op == Op::Div)
    if (std::optional<LinId> nested = byUnknown(operands[0], operands[1]))
      return *nested;
  if (op == Op::Div || op == Op::Rem)
    if (std::optional<LinId> multiple = multipleOf(operands[0], operands[1]))
      return op == Op::Div ? *multiple : intern({0, {}});
  if (operands.size() == 2 && isConst(operands[1]) && name == 0)
    if (std::optional<LinId> parts = byNumber(op, operands[0], forms[operands[1]].c))
      return *parts;
  // All bits that a value may have, inverted: a phase and its inverse are one question.
  if (op == Op::Xor)
    for (int i : {0, 1}) {
      int64_t mask = isConst(operands[i]) ? forms[operands[i]].c : 0;
      auto [lo, hi] = range(forms[operands[1 - i]]);
      if (mask > 0 && (mask & (mask + 1)) == 0 && lo >= 0 && hi <= mask)
        return add(operands[i], operands[1 - i], -1);
    }
  if (op == Op::Shl && isConst(operands[1]) && forms[operands[1]].c >= 0 &&
      forms[operands[1]].c < 40)
    return add(intern({0, {}}), operands[0], int64_t(1) << forms[operands[1]].c);
  return termForm({LinTerm::Operation, static_cast<int64_t>(op), name, std::move(operands)});
}

LinId Linears::symbol(int64_t index) {
  LinId whole = termForm({LinTerm::Sym, index, 0, {}});
  int64_t by = program.exprs.symbols[index].assumedDivisor;
  if (by == 1)
    return whole;
  LinId part = operation(Op::Div, ExactPart, {whole, intern({by, {}})});
  return add(intern({0, {}}), part, by);
}

LinId Linears::of(ExprId expr) {
  if (auto it = cache.find(expr); it != cache.end())
    return it->second;
  const ExprNode node = program.exprs[expr];
  LinId result;
  switch (node.op) {
  case Op::Const: result = intern({node.value, {}}); break;
  case Op::Sym: result = symbol(node.value); break;
  case Op::Var: {
    auto it = varForms.find(static_cast<VarId>(node.value));
    return it != varForms.end() ? it->second : privateForm(static_cast<VarId>(node.value), 8);
  }
  case Op::Add: result = add(of(node.a), of(node.b)); break;
  case Op::Sub: result = add(of(node.a), of(node.b), -1); break;
  case Op::Select: result = operation(node.op, 0, {of(node.a), of(node.b), of(node.c)}); break;
  case Op::Opaque: {
    std::vector<LinId> operands;
    for (ExprId e : {node.a, node.b, node.c})
      if (e != NoExpr)
        operands.push_back(of(e));
    result = operation(node.op, node.value, std::move(operands));
    break;
  }
  default: result = operation(node.op, 0, {of(node.a), of(node.b)}); break;
  }
  if (!provisional)
    cache.emplace(expr, result);
  return result;
}

void Linears::define(VarId var, LinId form) { varForms[var] = form; }

void Linears::analyse(const Block &body) { block(body, 0); }

void Linears::block(const Block &body, int depth) {
  const Stmt *previous = nullptr;
  for (size_t i = 0; i < body.size(); ++i) {
    const Stmt &stmt = body[i];
    if (stmt.kind == Stmt::AssignStmt && previous && previous->kind == Stmt::LoopStmt) {
      assignResults(*previous, stmt, depth + 1);
    } else if (stmt.kind == Stmt::AssignStmt) {
      std::vector<std::pair<VarId, LinId>> values;
      for (const Assign &assign : stmt.inits)
        values.emplace_back(assign.var, of(assign.value));
      for (auto [var, form] : values)
        define(var, form);
    } else if (stmt.kind == Stmt::LoopStmt) {
      // One that hands nothing on says nothing of the variables of those around it.
      bool handsOn = i + 1 < body.size() && body[i + 1].kind == Stmt::AssignStmt;
      if (!provisional || handsOn)
        loop(stmt, depth + 1);
    } else if (stmt.kind == Stmt::IfStmt) {
      branch(stmt, depth);
    }
    previous = &stmt;
  }
}

/// A variable that both branches assign is a selection between the two forms.
void Linears::branch(const Stmt &stmt, int depth) {
  LinId cond = of(stmt.cond);
  block(stmt.body, depth);
  std::map<VarId, LinId> thenForms;
  auto last = [](const Block &body) -> const Stmt * {
    return !body.empty() && body.back().kind == Stmt::AssignStmt ? &body.back() : nullptr;
  };
  if (const Stmt *assign = last(stmt.body))
    for (const Assign &a : assign->inits)
      thenForms[a.var] = varForms[a.var];
  block(stmt.orElse, depth);
  if (const Stmt *assign = last(stmt.orElse))
    for (const Assign &a : assign->inits)
      if (auto it = thenForms.find(a.var); it != thenForms.end()) {
        LinId thenForm = it->second, elseForm = varForms[a.var];
        define(a.var, thenForm == elseForm ? thenForm
                                           : operation(Op::Select, 0, {cond, thenForm, elseForm}));
      }
}

LinId Linears::substitute(LinId id, int from, LinId to, std::map<LinId, LinId> &done) {
  if (auto it = done.find(id); it != done.end())
    return it->second;
  const LinForm form = forms[id];
  LinId result = intern({form.c, {}});
  for (auto [t, coef] : form.terms) {
    LinId piece;
    if (t == from) {
      piece = to;
    } else {
      LinTerm term = terms[t];
      for (LinId &operand : term.operands)
        operand = substitute(operand, from, to, done);
      piece = termForm(std::move(term));
    }
    result = add(result, piece, coef);
  }
  done.emplace(id, result);
  return result;
}

/// Does a form depend on a variable without a closed form?
bool Linears::mentionsPrivate(LinId id, int except) const {
  for (auto [t, coef] : forms[id].terms) {
    // A negative one is the place that an iterate's body has for its last value.
    if (terms[t].kind == LinTerm::Private && terms[t].value >= 0 && t != except)
      return true;
    for (LinId operand : terms[t].operands)
      if (mentionsPrivate(operand, except))
        return true;
  }
  return false;
}

std::vector<int> Linears::depthsOf(LinId id) const {
  uint32_t ords = 0;
  for (auto [t, coef] : forms[id].terms)
    ords |= termFacts[t].ords;
  std::vector<int> depths;
  for (int depth = 1; depth < 32; ++depth)
    if (ords >> depth & 1)
      depths.push_back(depth);
  return depths;
}

bool Linears::isPrivate(int id) const {
  const LinTerm &term = terms[id];
  return (term.kind == LinTerm::Private && term.value >= 0) ||
         std::any_of(term.operands.begin(), term.operands.end(),
                     [&](LinId operand) { return mentionsPrivate(operand, -1); });
}

/// The form of a loop variable in iteration Ord(depth), or -1: `init` before
/// the first iteration, then `next`, which names the variable as `self`.
LinId Linears::recurrence(LinId init, LinId next, LinId self, int depth, Pace pace) {
  LinId ord = termForm({LinTerm::Ord, depth, 0, {}});
  LinId step = add(next, self, -1);
  LinId passed = add(ord, intern({-pace.first, {}})); // since the first iteration
  int64_t paceName = int64_t(pace.first) * MaxStride + pace.stride;
  if (forms[step].terms.empty() && forms[step].c % pace.stride == 0)
    return add(init, passed, forms[step].c / pace.stride);
  LinId trips = passed;
  if (pace.stride > 1)
    trips = operation(Op::Div, ExactTrips, {passed, intern({pace.stride, {}})});
  if (forms[step].terms.empty())
    return add(init, trips, forms[step].c);
  int selfTerm = forms[self].terms[0].first;
  if (mentionsPrivate(next, selfTerm))
    return -1;
  uint32_t inside = 0;
  for (auto [t, coef] : forms[step].terms)
    inside |= termFacts[t].ords;
  if (!(inside >> depth & 1) && !mentionsPrivate(step, -1))
    return add(init, operation(Op::Mul, 0, {step, trips}));
  if (!mentionsPrivate(next, -1)) // x' = f(n): what was computed one iteration ago
    return termForm({LinTerm::Delayed, depth, paceName, {init, next}});
  // x' = f(x, n): the n-th iterate, equal in every task that computes it so.
  LinId placeholder = termForm({LinTerm::Private, -depth, depth, {}});
  std::map<LinId, LinId> done;
  LinId body = substitute(next, selfTerm, placeholder, done);
  return termForm({LinTerm::Iterate, depth, paceName, {init, body, ord}});
}

void Linears::loop(const Stmt &stmt, int depth) {
  size_t count = stmt.inits.size();
  std::vector<LinId> inits(count), selves(count), closed(count, -1);
  for (size_t i = 0; i < count; ++i) {
    inits[i] = of(stmt.inits[i].value);
    selves[i] = privateForm(stmt.inits[i].var, depth);
  }
  auto walk = [&] {
    for (size_t i = 0; i < count; ++i)
      define(stmt.inits[i].var, closed[i] >= 0 ? closed[i] : selves[i]);
    block(stmt.before, depth);
    block(stmt.body, depth);
  };
  // Again while it helps: what has a closed form after one look serves the next.
  ++provisional;
  for (bool more = true; more;) {
    walk();
    std::vector<LinId> found = closed;
    for (size_t i = 0; i < count; ++i)
      for (const Assign &next : stmt.nexts)
        if (next.var == stmt.inits[i].var && closed[i] < 0)
          found[i] = recurrence(inits[i], of(next.value), selves[i], depth, stmt.pace);
    more = found != closed;
    closed = std::move(found);
  }
  --provisional;
  walk();
  if (const ExprNode cond = program.exprs[stmt.cond]; cond.op == Op::Lt) {
    keepQuotients(add(of(cond.b), of(cond.a), -1), false, stmt.pace);
    if (program.exprs[cond.a].op == Op::Var)
      for (size_t i = 0; i < count; ++i)
        if (stmt.inits[i].var == program.exprs[cond.a].value)
          keepQuotients(inits[i], true, stmt.pace);
  }
}

/// What the variables of a loop are after it: its iteration number no longer
/// exists there. Only assignments that follow the loop directly may read them.
void Linears::assignResults(const Stmt &loop, const Stmt &assigns, int depth) {
  LinId cond = of(loop.cond), ord = termForm({LinTerm::Ord, depth, 0, {}});
  std::optional<LinId> trips = tripsOf(loop, depth);
  auto isOfLoop = [&](LinId id) {
    const LinForm &form = forms[id];
    return std::any_of(form.terms.begin(), form.terms.end(),
                       [&](const auto &piece) { return termFacts[piece.first].ords >> depth; });
  };
  for (const Assign &assign : assigns.inits) {
    LinId inside = of(assign.value), after = inside;
    for (auto [t, coef] : LinForm(forms[inside]).terms)
      if (trips && t == forms[ord].terms[0].first)
        after = add(add(after, ord, -coef), *trips, coef);
    define(assign.var,
           isOfLoop(after) ? termForm({LinTerm::Final, depth, depth, {inside, cond}}) : after);
  }
}

/// How many iterations a loop that counts up to a bound has; nothing where that may be
/// below zero.
std::optional<LinId> Linears::tripsOf(const Stmt &loop, int depth) {
  const ExprNode cond = program.exprs[loop.cond];
  if (cond.op != Op::Lt || !(loop.pace == Pace{}))
    return std::nullopt;
  LinId ord = termForm({LinTerm::Ord, depth, 0, {}}), left = add(of(cond.b), of(cond.a), -1);
  int64_t step = 0;
  for (auto [t, coef] : forms[left].terms)
    if (t == forms[ord].terms[0].first)
      step = -coef;
  LinId trips = add(left, ord, step);
  bool varies = step < 1 || least(trips) < 0;
  if (step > 1)
    trips = operation(Op::Div, 0, {add(trips, intern({step - 1, {}})), intern({step, {}})});
  for (auto [t, coef] : forms[trips].terms)
    varies |= termFacts[t].ords >> depth != 0;
  return varies ? std::nullopt : std::optional(trips);
}

std::string Linears::print(const LinForm &form) const {
  std::string text;
  for (bool negative : {false, true}) // what counts comes before what is taken off
    for (auto [t, coef] : form.terms) {
      if (coef < 0 != negative)
        continue;
      if (!text.empty())
        text += negative ? " - " : " + ";
      else if (negative)
        text += "-";
      // A multiple of what a symbol is a multiple of, as people write it.
      const LinTerm &term = terms[t];
      bool part = term.kind == LinTerm::Operation && static_cast<Op>(term.value) == Op::Div &&
                  term.name == ExactPart;
      int64_t by = part ? forms[term.operands[1]].c : 1, times = std::abs(coef);
      bool whole = part && times % by == 0;
      times = whole ? times / by : times;
      if (times != 1)
        text += std::to_string(times) + "*";
      text += whole ? print(forms[term.operands[0]]) : printTerm(t);
    }
  if (form.c || text.empty()) {
    if (text.empty())
      return std::to_string(form.c);
    text += (form.c < 0 ? " - " : " + ") + std::to_string(std::abs(form.c));
  }
  return text;
}

std::string Linears::printTerm(int id) const {
  const LinTerm &term = terms[id];
  auto operand = [&](int i) {
    const LinForm &form = forms[term.operands[i]];
    std::string text = print(form);
    bool leaf = form.terms.size() + (form.c != 0) <= 1;
    return leaf ? text : "(" + text + ")";
  };
  switch (term.kind) {
  case LinTerm::Sym: return program.exprs.symbols[term.value].name;
  case LinTerm::Ord: return "iteration" + std::to_string(term.value);
  case LinTerm::Private:
    return term.value >= 0 ? program.varNames[term.value] : std::string("previous");
  case LinTerm::Iterate: return "iterate(" + operand(0) + ", " + operand(1) + ")";
  case LinTerm::Delayed: return "previous(" + operand(1) + ")";
  case LinTerm::Final: return "last(" + operand(0) + ")";
  case LinTerm::Operation: break;
  }
  static const std::map<Op, const char *> signs = {
      {Op::Mul, " * "}, {Op::Div, " / "}, {Op::Rem, " % "},  {Op::And, " & "},
      {Op::Or, " | "},  {Op::Xor, " ^ "}, {Op::Shl, " << "}, {Op::Shr, " >> "},
      {Op::Eq, " == "}, {Op::Lt, " < "},  {Op::Le, " <= "}};
  Op op = static_cast<Op>(term.value);
  if (auto it = signs.find(op); it != signs.end())
    return operand(0) + it->second + operand(1);
  std::string text = op == Op::Opaque   ? program.exprs.opaques[term.name].name
                     : op == Op::Min    ? "min"
                     : op == Op::Max    ? "max"
                     : op == Op::Select ? "select"
                                        : "op";
  if (term.operands.empty())
    return text;
  text += "(";
  for (size_t i = 0; i < term.operands.size(); ++i)
    text += (i ? ", " : "") + print(forms[term.operands[i]]);
  return text + ")";
}

std::string Linears::printAtLeast(const LinForm &form, int64_t bound) const {
  auto [bare, least] = undivided(form, bound);
  auto [more, less] = sides(bare, least);
  bool over = less.c == 1 && !less.terms.empty();
  less.c -= over;
  return print(more) + (over ? " > " : " >= ") + print(less);
}

std::pair<std::string, int64_t> Linears::quantityOf(const LinForm &form, int64_t bound) const {
  auto [bare, least] = undivided(form, bound);
  return {print(bare), least};
}

bool Linears::saysEmpty(const LinForm &form, int64_t bound) const {
  int64_t blocks = 1;
  auto [bare, least] = undivided(form, bound, &blocks);
  bool grows = std::any_of(bare.terms.begin(), bare.terms.end(),
                           [](const auto &piece) { return piece.second > 0; });
  return grows && (least <= 1 || least == blocks);
}

bool Linears::saysBeyond(const LinForm &form, int64_t bound, int64_t step) const {
  int64_t blocks = 1, share = 0;
  auto [bare, least] = undivided(form, bound, &blocks);
  bool data = false;
  for (auto [t, coef] : bare.terms) {
    bool id = terms[t].kind == LinTerm::Sym && !termFacts[t].launchInvariant &&
              program.exprs.symbols[terms[t].value].ofLaunch;
    if (id && coef < 0 && !share)
      share = -coef;
    else if (!id && coef > 0 && termFacts[t].launchInvariant)
      data = true;
    else
      return false;
  }
  return data && least <= share && step > 0 && step * blocks <= share;
}
