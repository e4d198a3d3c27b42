#include "verify/checks/Decisions.h"

#include <algorithm>
#include <bit>
#include <numeric>

using namespace tlx::verify;

/// How much of a value is remembered from one of its tiles to the next: whether it is below this.
static constexpr int64_t PromoteCap = 1;
/// ... and where it lies among so many numbers that it is compared with outside of them.
static constexpr size_t MostThresholds = 8;

static int64_t ceilDiv(int64_t a, int64_t b) { return -floorDiv(-a, b); }

int DecisionTable::internClass(DecisionClass cls) {
  auto key = std::make_tuple(cls.rest.terms, cls.ords, cls.scale, cls.prefixDepth, cls.sibling);
  if (auto it = ids.find(key); it != ids.end())
    return it->second;
  uint32_t ords = 0;
  cls.invariant = true;
  for (auto [term, coef] : cls.rest.terms) {
    ords |= linears.facts(term).ords;
    cls.invariant &= linears.facts(term).launchInvariant;
  }
  cls.varies = ords != 0;
  int innermost = static_cast<int>(std::bit_width(ords)) - 1;
  if (innermost = std::max(innermost, 0); cls.prefixDepth > innermost || !cls.ords.empty()) {
    DecisionClass whole;
    whole.rest = cls.rest;
    whole.prefixDepth = innermost;
    cls.whole = internClass(std::move(whole));
  }
  auto [lo, hi] = linears.range(cls.rest);
  cls.range = {lo, hi};
  int id = static_cast<int>(classes.size());
  classes.push_back(std::move(cls));
  ids.emplace(std::move(key), id);
  return id;
}

int DecisionTable::variant(int cls, int sibling) {
  if (sibling == 0)
    return cls;
  DecisionClass copy = classes[cls];
  copy.sibling = sibling;
  copy.eldest = cls;
  copy.whole = -1;
  return internClass(std::move(copy));
}

int64_t DecisionTable::multipleOf(LinId form, int cls) const {
  const auto &terms = linears.form(form).terms, &rest = classes[cls].rest.terms;
  if (rest.empty() || terms.size() != rest.size() || terms[0].second % rest[0].second)
    return 0;
  int64_t times = terms[0].second / rest[0].second;
  for (size_t i = 0; i < terms.size(); ++i)
    if (terms[i].first != rest[i].first || terms[i].second != rest[i].second * times)
      return 0;
  return std::max<int64_t>(times, 0);
}

bool DecisionTable::bears(LinId form, int cls) const {
  auto divides = [&](const LinForm &whole, const LinForm &part) {
    return std::any_of(whole.terms.begin(), whole.terms.end(), [&](const auto &piece) {
      const LinTerm &term = linears.term(piece.first);
      Op op = term.kind == LinTerm::Operation ? static_cast<Op>(term.value) : Op::Const;
      return (op == Op::Div || op == Op::Rem) && linears.form(term.operands[1]).terms.empty() &&
             linears.form(term.operands[0]).terms == part.terms;
    });
  };
  const LinForm &asked = linears.form(form), &rest = classes[cls].rest;
  return multipleOf(form, cls) || divides(asked, rest) || divides(rest, asked);
}

bool DecisionTable::residueFits(const State &state, const DecisionKey &key) const {
  for (const auto &[form, choice] : state.residues) {
    int64_t times = multipleOf(form, key.first), c = linears.form(form).c;
    if (!times)
      continue;
    Interval interval = known(state, key.first, key.second);
    if (interval.lo == INT64_MIN || interval.hi == INT64_MAX)
      continue;
    auto [modulus, residue] = choice;
    auto fits = [&, m = modulus, r = residue](int64_t value) {
      return ((times * value + c) % m + m) % m == r;
    };
    int64_t value = interval.lo, last = std::min(interval.hi, interval.lo + modulus - 1);
    while (value <= last && !fits(value))
      ++value;
    if (value > last)
      return false;
  }
  return true;
}

void DecisionTable::assume(LinForm form, int64_t lo) {
  LinForm atLeastOne = form;
  atLeastOne.c += 1 - lo;
  assumed.push_back(linears.intern(std::move(atLeastOne)));
  Question q = question(assumed.back());
  Interval &range = classes[q.cls].range;
  if (q.negated)
    range.hi = std::min(range.hi, threshold(q, {}) - 1);
  else
    range.lo = std::max(range.lo, threshold(q, {}));
  // Of so many blocks at least one: so many at least.
  if (auto [whole, least] = linears.undivided(form, lo); whole.terms != form.terms)
    assume(whole, least);
}

void DecisionTable::assume(ExprId condition, bool holds) {
  const ExprNode node = program.exprs[condition];
  auto atLeast = [&](ExprId a, ExprId b, int64_t by) { // a - b >= by
    assume(linears.form(linears.add(linears.of(a), linears.of(b), -1)), by);
  };
  bool negates = node.op == Op::Eq && program.exprs.isConst(node.b) &&
                 program.exprs[node.b].value == 0 && program.exprs.isCondition(node.a);
  if (negates)
    return assume(node.a, !holds);
  if (node.op == Op::Lt || node.op == Op::Le) {
    int64_t apart = node.op == Op::Lt;
    return holds ? atLeast(node.b, node.a, apart) : atLeast(node.a, node.b, 1 - apart);
  }
  if (node.op == Op::Eq && holds) {
    atLeast(node.a, node.b, 0);
    return atLeast(node.b, node.a, 0);
  }
  LinForm truth = linears.form(linears.of(condition)), untruth{1, {}};
  for (auto [term, coef] : truth.terms)
    untruth.terms.emplace_back(term, -coef);
  untruth.c -= truth.c;
  assume(holds ? truth : untruth, 1);
}

Question DecisionTable::question(LinId d) {
  if (auto it = cache.find(d); it != cache.end())
    return it->second;
  const LinForm form = linears.form(linears.withoutQuotient(d));
  Question q;
  q.c = form.c;
  DecisionClass cls;
  int linearMin = 0;
  uint32_t inside = 0;
  for (auto [term, coef] : form.terms) {
    const LinTerm &t = linears.term(term);
    if (t.kind == LinTerm::Ord) {
      int depth = static_cast<int>(t.value);
      cls.ords.emplace_back(depth, coef);
      linearMin = linearMin ? std::min(linearMin, depth) : depth;
    } else {
      cls.rest.terms.emplace_back(term, coef);
      inside |= linears.facts(term).ords;
    }
  }
  std::sort(cls.ords.begin(), cls.ords.end());
  if (!cls.rest.terms.empty() && cls.rest.terms[0].second < 0) {
    q.negated = true;
    for (auto &[term, coef] : cls.rest.terms)
      coef = -coef;
  }
  int64_t divisor = 0;
  for (auto [term, coef] : cls.rest.terms)
    divisor = std::gcd(divisor, coef);
  cls.scale = std::max<int64_t>(divisor, 1);
  if (cls.scale > 1)
    for (auto &[term, coef] : cls.rest.terms)
      coef /= cls.scale;
  int deepest = 0;
  for (int depth = 1; depth < 32; ++depth)
    if (inside >> depth & 1)
      deepest = depth;
  cls.prefixDepth = std::max(linearMin ? linearMin - 1 : 0, deepest);
  // The same R under the other sign moves the other way with the iterations.
  if (q.negated)
    for (auto &[depth, coef] : cls.ords)
      coef = -coef;
  q.cls = internClass(std::move(cls));
  if (DecisionClass &asked = classes[q.cls]; !asked.ords.empty())
    asked.questions.push_back(q);
  else if (asked.whole < 0 && asked.asked.size() < MostThresholds)
    asked.asked.push_back(threshold(q, {}));
  cache.emplace(d, q);
  return q;
}

LinId DecisionTable::less(LinId a, LinId b, int64_t slack) {
  auto [it, isNew] = differences.try_emplace({a, b, slack});
  if (isNew)
    it->second = linears.add(linears.add(b, a, -1), linears.intern({slack, {}}), -1);
  return it->second;
}

DecisionKey DecisionTable::key(int cls, const std::vector<int64_t> &n) const {
  DecisionKey key{cls, {}};
  int depth = std::min<int>(classes[cls].prefixDepth, static_cast<int>(n.size()));
  key.second.assign(n.begin(), n.begin() + depth);
  return key;
}

Interval DecisionTable::known(const State &state, int cls, const std::vector<int64_t> &n) const {
  Interval interval = classes[cls].range;
  auto meet = [&](const Interval &other) {
    interval.lo = std::max(interval.lo, other.lo);
    interval.hi = std::min(interval.hi, other.hi);
  };
  if (auto it = state.decisions.find(key(cls, n)); it != state.decisions.end())
    meet(it->second);
  if (int whole = classes[cls].whole; whole >= 0) {
    meet(classes[whole].range);
    if (auto it = state.decisions.find(key(whole, n)); it != state.decisions.end())
      meet(it->second);
  }
  return interval;
}

/// d = s * scale * R + ords + c with s = -1 when negated; `ords` of the class
/// carry the sign of s. Returns t such that the question is R >= t, or, when
/// negated, not (R >= t).
int64_t DecisionTable::threshold(const Question &q, const std::vector<int64_t> &n) const {
  const DecisionClass &cls = classes[q.cls];
  int64_t known = 0;
  for (auto [depth, coef] : cls.ords)
    known += coef * (depth <= static_cast<int>(n.size()) ? n[depth - 1] : 0);
  if (!q.negated) // scale * R + known + c >= 1
    return ceilDiv(1 - q.c - known, cls.scale);
  // -(scale * R + known) + c >= 1  <=>  R <= (c - 1 - known) / scale
  return floorDiv(q.c - 1 - known, cls.scale) + 1;
}

Interval DecisionTable::stillAsked(int id, const std::vector<int64_t> &n, int fixed) const {
  const DecisionClass &cls = classes[classes[id].eldest >= 0 ? classes[id].eldest : id];
  Interval asked{INT64_MAX, INT64_MIN};
  for (const Question &q : cls.questions) {
    int64_t t = threshold(q, n);
    asked = {std::min(asked.lo, t), std::max(asked.hi, t)};
  }
  for (auto [depth, coef] : cls.ords)
    if (depth > fixed)
      (coef > 0 ? asked.lo : asked.hi) = coef > 0 ? INT64_MIN : INT64_MAX;
  return asked;
}

bool DecisionTable::differsByIteration(const Question &q, std::vector<int64_t> n,
                                       const Interval &r) const {
  const auto &ords = classes[q.cls].ords;
  bool falls = true, rises = true; // the threshold, from iteration to iteration
  for (auto [depth, coef] : ords) {
    n[depth - 1] = 0;
    falls &= coef > 0;
    rises &= coef < 0;
  }
  int64_t t = threshold(q, n);
  return !(falls && r.lo >= t) && !(rises && r.hi < t);
}

void DecisionTable::answer(State &state, const DecisionKey &key, int64_t t, bool yes) const {
  Interval &interval = state.decisions[key];
  if (yes)
    interval.lo = std::max(interval.lo, t);
  else
    interval.hi = std::min(interval.hi, t - 1);
  int whole = classes[key.first].whole;
  if (whole < 0)
    return;
  // Weakened to within the cap on both sides, so that it does not grow.
  Interval &shared = state.decisions[this->key(whole, key.second)];
  for (int64_t asked : classes[whole].asked)
    if (yes && asked <= t)
      shared.lo = std::max(shared.lo, asked);
    else if (!yes && asked >= t)
      shared.hi = std::min(shared.hi, asked - 1);
  if (yes && t >= -PromoteCap)
    shared.lo = std::max(shared.lo, std::min(t, PromoteCap));
  else if (!yes && t - 1 <= PromoteCap)
    shared.hi = std::min(shared.hi, std::max(t - 1, -PromoteCap));
}

void DecisionTable::collect(ExprId expr, bool asCondition, std::vector<int> &out) {
  if (expr == NoExpr)
    return;
  const ExprNode node = program.exprs[expr];
  auto ask = [&](const Question &q) {
    if (q.cls >= 0)
      out.push_back(q.cls);
  };
  switch (node.op) {
  case Op::Const:
  case Op::Var:
  case Op::Sym:
  case Op::Opaque:
    if (!demands.isInteger(expr))
      ask(question(linears.of(expr)));
    return;
  case Op::Eq:
  case Op::Lt:
  case Op::Le:
    if (demands.isInteger(node.a) && demands.isInteger(node.b))
      break;
    ask(question(less(linears.of(node.a), linears.of(node.b), node.op == Op::Lt ? 0 : -1)));
    if (node.op == Op::Eq) {
      ask(question(less(linears.of(node.b), linears.of(node.a), -1)));
      collect(node.a, true, out);
    }
    return;
  default: break;
  }
  if (!asCondition && !demands.isInteger(expr))
    ask(question(linears.of(expr)));
  collect(node.a, asCondition, out);
  collect(node.b, asCondition, out);
  collect(node.c, asCondition, out);
}
