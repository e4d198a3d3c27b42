#include "verify/checks/Feasibility.h"

#include <algorithm>
#include <bit>

using namespace tlx::verify;
using smt::Integers;

namespace {
/// After so many questions in one proof the rest count as feasible.
constexpr int MaxQuestions = 2000;
/// Steps of the solver for one question on the way, and for the last one.
constexpr unsigned Effort = 20'000, EffortToShow = 1'000'000, EffortForSmall = 50'000;
/// An argument that nothing rests on.
constexpr int64_t UnaskedSize = 256;

/// Builds linear forms as solver terms, for given iteration numbers.
class Translator {
public:
  /// Unless `exactly`, a product of two unknowns is any number.
  Translator(Integers &solver, const Linears &linears, const Program &program, bool exactly)
      : solver(solver), linears(linears), program(program), exactly(exactly) {}

  /// What is assumed: the answers, what is known of the questions, and what holds for the
  /// whole launch, asked about or not (preconditions, what the kernel states).
  void assume(const DecisionTable &table, const std::map<DecisionKey, Interval> &decisions,
              const Feasibility::Residues &residues, const std::vector<LinId> &launch) {
    for (LinId fact : launch)
      solver.assertAtLeast(form(linears.form(fact), {}), 1);
    for (const auto &[k, interval] : decisions) {
      const DecisionClass &cls = table.cls(k.first);
      Integers::Term r = form(cls.rest, k.second);
      for (const Interval &known :
           {interval, cls.range, cls.whole >= 0 ? table.cls(cls.whole).range : Interval{}})
        within(r, known.lo, known.hi);
    }
    for (const auto &[id, choice] : residues) {
      Integers::Term rest = lowBits(form(linears.form(id), {}), choice.first).second;
      within(rest, choice.second, choice.second);
    }
    // A program id is one of the launch's.
    for (const auto &[id, idVariable] : variables)
      for (const auto &[count, countVariable] : variables)
        if (axisOf(id.first, "program_id.") &&
            axisOf(id.first, "program_id.") == axisOf(count.first, "num_programs."))
          solver.assertAtLeast(
              solver.add(countVariable, solver.multiply(solver.constant(-1), idVariable)), 1);
  }

  void within(Integers::Term term, int64_t lo, int64_t hi) {
    if (lo != INT64_MIN)
      solver.assertAtLeast(term, lo);
    if (hi != INT64_MAX)
      solver.assertAtMost(term, hi);
  }

  Integers::Term form(const LinForm &f, const std::vector<int64_t> &n) {
    Integers::Term sum = solver.constant(f.c);
    for (auto [t, coef] : f.terms) {
      Integers::Term piece = term(t, n);
      sum = solver.add(sum, coef == 1 ? piece : solver.multiply(solver.constant(coef), piece));
    }
    return sum;
  }

  /// Launches of few programs first: `start + i * programs` is then simple.
  bool pinPrograms(int64_t programs) {
    bool any = false;
    for (const auto &[key, variable] : variables)
      if (axisOf(key.first, "num_programs.")) {
        int64_t count = programs * program.exprs.symbols[linears.term(key.first).value].divisor;
        within(variable, count, count);
        any = true;
      }
    return any;
  }
  /// The numbers that a launch has.
  void pin(const SymbolValues &launch) {
    for (const auto &[key, variable] : variables)
      if (const LinTerm &term = linears.term(key.first); term.kind == LinTerm::Sym)
        if (auto it = launch.find(term.value); it != launch.end())
          within(variable, it->second, it->second);
  }

  /// Everything but what a launch pins is small; arguments are sizes, and not below `least`.
  void limit(int64_t most, int64_t least, const SymbolValues *launch) {
    for (const auto &[key, variable] : variables) {
      const LinTerm &term = linears.term(key.first);
      bool isSymbol = term.kind == LinTerm::Sym;
      if (isSymbol && launch && launch->contains(term.value))
        continue;
      bool isSize = isSymbol && program.exprs.symbols[term.value].parameter >= 0;
      within(variable, isSize ? std::max(least, -most) : -most, most);
    }
  }

  /// What values were asked for: term of the form, and iterations.
  std::map<std::pair<int, std::vector<int64_t>>, Integers::Term> variables;

private:
  /// 'x', 'y' or 'z' when the term is the symbol of that name; else 0.
  char axisOf(int t, std::string_view prefix) const {
    const LinTerm &term = linears.term(t);
    if (term.kind != LinTerm::Sym)
      return 0;
    const std::string &name = program.exprs.symbols[term.value].name;
    return name.starts_with(prefix) && name.size() == prefix.size() + 1 ? name.back() : 0;
  }

  /// 0 for what is no number.
  int64_t numberOf(LinId id) const {
    return linears.form(id).terms.empty() ? linears.form(id).c : 0;
  }

  /// Quotient and remainder rounded down, as bits have them and residues are.
  std::pair<Integers::Term, Integers::Term> lowBits(Integers::Term x, int64_t by) {
    Integers::Term quotient = solver.variable("b" + std::to_string(solver.count()));
    Integers::Term rest = solver.add(x, solver.multiply(solver.constant(-by), quotient));
    within(rest, 0, by - 1);
    return {quotient, rest};
  }

  bool isCondition(LinId id) const {
    return linears.range(linears.form(id)) == std::pair<int64_t, int64_t>(0, 1);
  }

  bool isNumber(const LinForm &f, const std::vector<int64_t> &n) const {
    return std::all_of(f.terms.begin(), f.terms.end(), [&](const auto &piece) {
      const LinTerm &x = linears.term(piece.first);
      return x.kind == LinTerm::Ord && x.value <= static_cast<int64_t>(n.size());
    });
  }

  /// A value of its own for each combination of iterations it depends on.
  Integers::Term fresh(int t, const std::vector<int64_t> &n, int64_t lo, int64_t hi) {
    std::vector<int64_t> own;
    std::string name = "t" + std::to_string(t);
    for (size_t d = 1; d <= n.size(); ++d)
      if (linears.facts(t).ords >> d & 1) {
        own.push_back(n[d - 1]);
        name += "@" + std::to_string(n[d - 1]);
      }
    auto [it, isNew] = variables.try_emplace({t, std::move(own)}, 0);
    if (isNew) {
      it->second = solver.variable(name);
      within(it->second, lo, hi);
    }
    return it->second;
  }

  Integers::Term term(int t, const std::vector<int64_t> &n) {
    const LinTerm &x = linears.term(t);
    const TermFacts &facts = linears.facts(t);
    if (x.kind == LinTerm::Sym) {
      Integers::Term v = fresh(t, n, facts.lo, facts.hi);
      int64_t divisor = program.exprs.symbols[x.value].divisor;
      if (divisor > 1) {
        Integers::Term quotient = solver.variable("q" + std::to_string(t));
        Integers::Term difference =
            solver.add(v, solver.multiply(solver.constant(-divisor), quotient));
        solver.assertAtLeast(difference, 0);
        solver.assertAtMost(difference, 0);
      }
      return v;
    }
    if (x.kind == LinTerm::Ord && x.value <= static_cast<int64_t>(n.size()))
      return solver.constant(n[x.value - 1]);
    if (x.kind == LinTerm::Delayed && x.value <= static_cast<int64_t>(n.size())) {
      std::vector<int64_t> before = n;
      auto [start, stride] = Linears::paceOf(x);
      bool first = before[x.value - 1] == start;
      before[x.value - 1] -= stride;
      return form(linears.form(x.operands[first ? 0 : 1]), first ? n : before);
    }
    if (x.kind == LinTerm::Operation) {
      auto operand = [&](int i) { return form(linears.form(x.operands[i]), n); };
      switch (static_cast<Op>(x.value)) {
      case Op::Mul:
        if (exactly || isNumber(linears.form(x.operands[0]), n) ||
            isNumber(linears.form(x.operands[1]), n))
          return solver.multiply(operand(0), operand(1));
        break;
      case Op::Div:
      case Op::Rem: return division(t, x, n);
      case Op::And:
        if (int64_t mask = numberOf(x.operands[1]); mask > 0 && (mask & (mask + 1)) == 0)
          return lowBits(operand(0), mask + 1).second;
        else if (mask < -1 && std::has_single_bit(static_cast<uint64_t>(-mask)))
          return solver.multiply(solver.constant(-mask), lowBits(operand(0), -mask).first);
        [[fallthrough]];
      case Op::Or:
        if (!isCondition(x.operands[0]) || !isCondition(x.operands[1]))
          break;
        return static_cast<Op>(x.value) == Op::And ? solver.minimum(operand(0), operand(1))
                                                   : solver.maximum(operand(0), operand(1));
      case Op::Shr:
        if (int64_t by = numberOf(x.operands[1]); by > 0 && by < 40)
          return lowBits(operand(0), int64_t(1) << by).first;
        break;
      case Op::Min: return solver.minimum(operand(0), operand(1));
      case Op::Max: return solver.maximum(operand(0), operand(1));
      case Op::Eq: return solver.equal(operand(0), operand(1));
      case Op::Lt: return solver.less(operand(0), operand(1));
      case Op::Le: return solver.less(operand(0), solver.add(operand(1), solver.constant(1)));
      case Op::Select: return solver.select(operand(0), operand(1), operand(2));
      default: break;
      }
    }
    return fresh(t, n, facts.lo, facts.hi);
  }

  /// Contract: unknown divisors are positive, and what is divided by an unknown is not
  /// negative.
  Integers::Term division(int t, const LinTerm &x, const std::vector<int64_t> &n) {
    bool quotient = static_cast<Op>(x.value) == Op::Div;
    const LinForm &divisor = linears.form(x.operands[1]);
    Integers::Term a = form(linears.form(x.operands[0]), n), b = form(divisor, n);
    if (divisor.terms.empty() && divisor.c > 0)
      return quotient ? solver.divide(a, b) : solver.remainder(a, b);
    const TermFacts &facts = linears.facts(t);
    Integers::Term result = fresh(t, n, facts.lo, facts.hi);
    solver.assertAtLeast(b, 1);
    if (!quotient)
      solver.assertAtLeast(solver.less(result, b), 1);
    if (!exactly)
      return result;
    Integers::Term other = solver.variable("d" + std::to_string(solver.count()));
    Integers::Term q = quotient ? result : other, r = quotient ? other : result;
    Integers::Term rest =
        solver.add(a, solver.multiply(solver.constant(-1), solver.multiply(q, b)));
    Integers::Term difference = solver.add(rest, solver.multiply(solver.constant(-1), r));
    solver.assertAtLeast(difference, 0);
    solver.assertAtMost(difference, 0);
    solver.assertAtLeast(r, 0);
    solver.assertAtLeast(solver.less(r, b), 1);
    solver.assertAtLeast(a, 0);
    return result;
  }

  Integers &solver;
  const Linears &linears;
  const Program &program;
  bool exactly;
};
} // namespace

const Feasibility::Unknowns &Feasibility::unknownsOf(const LinForm &form) {
  auto [it, isNew] = unknowns.try_emplace(form.terms);
  if (!isNew)
    return it->second;
  Unknowns found;
  auto add = [&](int symbol) { found.repeated |= !found.symbols.insert(symbol).second; };
  for (auto [t, coef] : form.terms) {
    const LinTerm &term = linears.term(t);
    if (term.kind == LinTerm::Sym)
      add(static_cast<int>(term.value));
    for (LinId operand : term.operands) {
      const Unknowns inner = unknownsOf(linears.form(operand));
      found.repeated |= inner.repeated;
      std::for_each(inner.symbols.begin(), inner.symbols.end(), add);
    }
  }
  return unknowns[form.terms] = std::move(found);
}

bool Feasibility::possible(const std::map<DecisionKey, Interval> &decisions,
                           const Residues &residues, const LinForm &changed) {
  std::set<int> reached = unknownsOf(changed).symbols;
  std::map<DecisionKey, Interval> nearDecisions;
  Residues nearResidues;
  std::set<LinId> nearFacts;
  auto meets = [&](const LinForm &form) {
    const std::set<int> &own = unknownsOf(form).symbols;
    if (std::none_of(own.begin(), own.end(), [&](int s) { return reached.contains(s); }))
      return false;
    reached.insert(own.begin(), own.end());
    return true;
  };
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto &entry : decisions)
      if (!nearDecisions.contains(entry.first) && meets(table.cls(entry.first.first).rest))
        grew = nearDecisions.insert(entry).second;
    for (const auto &entry : residues)
      if (!nearResidues.contains(entry.first) && meets(linears.form(entry.first)))
        grew = nearResidues.insert(entry).second;
    for (LinId fact : table.assumed)
      if (!nearFacts.contains(fact) && meets(linears.form(fact)))
        grew = nearFacts.insert(fact).second;
  }
  std::set<std::vector<std::pair<int, int64_t>>> forms;
  for (const auto &[key, interval] : nearDecisions)
    forms.insert(table.cls(key.first).rest.terms);
  for (const auto &[form, choice] : nearResidues)
    forms.insert(linears.form(form).terms);
  for (LinId fact : nearFacts)
    forms.insert(linears.form(fact).terms);
  if (forms.size() < 2 && !unknownsOf(changed).repeated)
    return true; // its interval has been checked on its own
  return judge(nearDecisions, nearResidues, {nearFacts.begin(), nearFacts.end()}) != Verdict::No;
}

bool Feasibility::someLaunch(LinId also) {
  std::vector<LinId> launch = table.assumed;
  if (launch.empty())
    return true;
  if (also >= 0)
    launch.push_back(also);
  Translator translate(freshSolver(), linears, program, true);
  translate.assume(table, {}, {}, launch);
  return solver->check(EffortForSmall) != smt::Answer::Unsatisfiable;
}

Integers &Feasibility::freshSolver() {
  if (!solver)
    solver = std::make_unique<Integers>();
  solver->reset();
  return *solver;
}

std::vector<int64_t> Assignment::restrict(uint32_t depths, const std::vector<int64_t> &iteration) {
  std::vector<int64_t> own;
  for (size_t d = 1; d <= iteration.size(); ++d)
    if (depths >> d & 1)
      own.push_back(iteration[d - 1]);
  return own;
}

std::optional<int64_t> Assignment::valueOf(ExprId leaf,
                                           const std::vector<int64_t> &iteration) const {
  auto it = terms.find(leaf);
  if (it == terms.end())
    return std::nullopt;
  const Term &term = known.at(it->second);
  auto value = term.values.find(restrict(term.iterations, iteration));
  return value == term.values.end() ? term.otherwise : value->second;
}

void Assignment::choose(int64_t symbol, ExprId leaf, int64_t value) {
  int term = static_cast<int>(-1 - symbol);
  known[term].otherwise = value;
  terms[leaf] = term;
  symbols[symbol] = leaf;
}

std::optional<int64_t> Assignment::valueOfSymbol(int64_t symbol) const {
  auto it = symbols.find(symbol);
  return it == symbols.end() ? std::nullopt : valueOf(it->second, {});
}

/// A value for a symbol that no answer rests on: the launch's, or a size with whole tiles.
int64_t Feasibility::unasked(int64_t symbol, const TermFacts &facts) const {
  const Symbol &of = program.exprs.symbols[symbol];
  int64_t value = of.parameter >= 0 ? std::max(UnaskedSize, of.divisor) : 0;
  if (!launches.empty())
    if (auto it = launches.front().find(symbol); it != launches.front().end())
      value = it->second;
  return std::clamp(value, facts.lo, facts.hi);
}

std::optional<Assignment> Feasibility::assign(const std::map<DecisionKey, Interval> &decisions,
                                              const Residues &residues) {
  Assignment out;
  for (ExprId leaf = 0; leaf < static_cast<ExprId>(program.exprs.size()); ++leaf) {
    const ExprNode &node = program.exprs[leaf];
    if (node.op != Op::Sym && node.op != Op::Opaque)
      continue;
    // As a whole, also where its form counts in what it is a multiple of. A copy: forms move.
    LinForm form =
        linears.form(node.op == Op::Sym ? linears.termForm({LinTerm::Sym, node.value, 0, {}})
                                        : linears.of(leaf));
    if (form.c || form.terms.size() != 1 || form.terms[0].second != 1)
      continue;
    int t = form.terms[0].first;
    out.terms[leaf] = t;
    if (node.op == Op::Sym)
      out.symbols[node.value] = leaf;
    Assignment::Term &term = out.known[t];
    const TermFacts &facts = linears.facts(t);
    term.iterations = facts.ords;
    term.otherwise = node.op == Op::Sym      ? unasked(node.value, facts)
                     : facts.lo != INT64_MIN ? facts.lo
                                             : std::min<int64_t>(1, facts.hi);
  }
  auto take = [&](const Translator &translate) {
    for (const auto &[key, variable] : translate.variables)
      if (auto value = solver->value(variable))
        out.known[key.first].values[key.second] = *value;
  };
  bool any;
  {
    Translator translate(freshSolver(), linears, program, true);
    translate.assume(table, decisions, residues, table.assumed);
    smt::Answer answer = solver->check(EffortToShow);
    if (answer == smt::Answer::Unsatisfiable)
      return std::nullopt; // under any limit
    any = answer == smt::Answer::Satisfiable;
    if (any)
      take(translate);
  }
  // The first launch that is given says most. Of others short runs are easier to follow, and small
  // values easier to find.
  auto holds = [&](const SymbolValues *launch, int64_t least, int64_t most, int64_t programs) {
    Translator translate(freshSolver(), linears, program, true);
    translate.assume(table, decisions, residues, table.assumed);
    if (programs && !translate.pinPrograms(programs))
      return false;
    if (launch)
      translate.pin(*launch);
    translate.limit(most, least, launch);
    if (solver->check(EffortForSmall) != smt::Answer::Satisfiable)
      return false;
    take(translate);
    return true;
  };
  auto find = [&](const SymbolValues *launch, int64_t least) {
    if (!holds(launch, least, INT32_MAX, 0))
      return false;
    for (int64_t most : {8, 64, 512, 4096, 1 << 20})
      for (int64_t programs : {1, 2, 0})
        if (!(programs && launch) && holds(launch, least, most, programs)) // it says how many
          return true;
    return true;
  };
  if ((!launches.empty() && find(&launches.front(), INT64_MIN)) || find(nullptr, 1) ||
      find(nullptr, INT64_MIN))
    return out;
  return any ? std::optional(out) : std::nullopt;
}

Feasibility::Verdict Feasibility::judge(const std::map<DecisionKey, Interval> &decisions,
                                        const Residues &residues,
                                        const std::vector<LinId> &launch) {
  // What depends on no iteration has one value, whenever it was asked about.
  std::map<DecisionKey, Interval> facts;
  std::map<std::vector<std::pair<int, int64_t>>, DecisionKey> same;
  for (const auto &[k, interval] : decisions) {
    const DecisionClass &cls = table.cls(k.first);
    DecisionKey key = k;
    if (!cls.varies)
      key = same.try_emplace(cls.rest.terms, DecisionKey{k.first, {}}).first->second;
    Interval &meet = facts[key];
    for (const Interval &known :
         {interval, cls.range, cls.whole >= 0 ? table.cls(cls.whole).range : Interval{}}) {
      meet.lo = std::max(meet.lo, known.lo);
      meet.hi = std::min(meet.hi, known.hi);
    }
    if (meet.lo > meet.hi)
      return Verdict::No;
  }
  std::string key;
  for (const auto &[k, interval] : facts) {
    key += std::to_string(k.first);
    for (int64_t n : k.second)
      key += "," + std::to_string(n);
    key += ":" + std::to_string(interval.lo) + ".." + std::to_string(interval.hi) + ";";
  }
  for (const auto &[form, choice] : residues)
    key += "r" + std::to_string(form) + "=" + std::to_string(choice.second);
  for (LinId fact : launch)
    key += "f" + std::to_string(fact);
  auto [it, isNew] = cache.try_emplace(key, Verdict::Open);
  if (!isNew || ++asked > MaxQuestions)
    return it->second;
  Translator translate(freshSolver(), linears, program, false);
  translate.assume(table, facts, residues, launch);
  switch (solver->check(Effort)) {
  case smt::Answer::Satisfiable: it->second = Verdict::Yes; break;
  case smt::Answer::Unsatisfiable: it->second = Verdict::No; break;
  case smt::Answer::Unknown: break;
  }
  return it->second;
}
