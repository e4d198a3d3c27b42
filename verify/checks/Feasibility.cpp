#include "verify/checks/Feasibility.h"

#include <algorithm>

using namespace tlx::verify;
using smt::Integers;

namespace {
/// After so many questions in one proof the rest count as feasible.
constexpr int MaxQuestions = 2000;
/// Steps of the solver for one question on the way, and for the last one.
constexpr unsigned Effort = 20'000, EffortToShow = 5'000'000;

/// Builds linear forms as solver terms, for given iteration numbers.
class Translator {
public:
  /// Unless `exactly`, a product of two unknowns is any number.
  Translator(Integers &solver, const Linears &linears, const Program &program, bool exactly)
      : solver(solver), linears(linears), program(program), exactly(exactly) {}

  Integers::Term form(const LinForm &f, const std::vector<int64_t> &n) {
    Integers::Term sum = solver.constant(f.c);
    for (auto [t, coef] : f.terms) {
      Integers::Term piece = term(t, n);
      sum = solver.add(sum, coef == 1 ? piece : solver.multiply(solver.constant(coef), piece));
    }
    return sum;
  }

private:
  bool isNumber(const LinForm &f, const std::vector<int64_t> &n) const {
    return std::all_of(f.terms.begin(), f.terms.end(), [&](const auto &piece) {
      const LinTerm &x = linears.term(piece.first);
      return x.kind == LinTerm::Ord && x.value <= static_cast<int64_t>(n.size());
    });
  }

  /// A value of its own for each combination of iterations it depends on.
  Integers::Term fresh(int t, const std::vector<int64_t> &n, int64_t lo, int64_t hi) {
    std::string name = "t" + std::to_string(t);
    for (size_t d = 1; d <= n.size(); ++d)
      if (linears.facts(t).ords >> d & 1)
        name += "@" + std::to_string(n[d - 1]);
    Integers::Term v = solver.variable(name);
    if (lo != INT64_MIN)
      solver.assertAtLeast(v, lo);
    if (hi != INT64_MAX)
      solver.assertAtMost(v, hi);
    return v;
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
      bool first = before[x.value - 1]-- == 0;
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

  /// Contract: divisors are not zero, and what is divided by an unknown is not
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

const std::set<int> &Feasibility::symbolsOf(const LinForm &form) {
  auto [it, isNew] = symbols.try_emplace(form.terms);
  if (!isNew)
    return it->second;
  std::set<int> found;
  for (auto [t, coef] : form.terms) {
    const LinTerm &term = linears.term(t);
    if (term.kind == LinTerm::Sym)
      found.insert(static_cast<int>(term.value));
    for (LinId operand : term.operands)
      found.merge(std::set<int>(symbolsOf(linears.form(operand))));
  }
  return symbols[form.terms] = std::move(found);
}

bool Feasibility::possible(const std::map<DecisionKey, Interval> &decisions,
                           const Residues &residues, const LinForm &changed) {
  std::set<int> reached = symbolsOf(changed);
  std::map<DecisionKey, Interval> nearDecisions;
  Residues nearResidues;
  auto meets = [&](const LinForm &form) {
    const std::set<int> &own = symbolsOf(form);
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
  }
  std::set<std::vector<std::pair<int, int64_t>>> forms;
  for (const auto &[key, interval] : nearDecisions)
    forms.insert(table.cls(key.first).rest.terms);
  for (const auto &[form, choice] : nearResidues)
    forms.insert(linears.form(form).terms);
  bool plain = std::all_of(changed.terms.begin(), changed.terms.end(), [&](const auto &piece) {
    return linears.term(piece.first).kind != LinTerm::Operation;
  });
  if (forms.size() < 2 && plain)
    return true; // its interval has been checked on its own
  return judge(nearDecisions, nearResidues, false) != Verdict::No;
}

bool Feasibility::shown(const std::map<DecisionKey, Interval> &decisions,
                        const Residues &residues) {
  cache.clear(); // this question is worth more effort
  asked = 0;
  return decisions.size() + residues.size() < 2 || judge(decisions, residues, true) == Verdict::Yes;
}

Feasibility::Verdict Feasibility::judge(const std::map<DecisionKey, Interval> &decisions,
                                        const Residues &residues, bool exactly) {
  std::string key;
  for (const auto &[k, interval] : decisions) {
    key += std::to_string(k.first);
    for (int64_t n : k.second)
      key += "," + std::to_string(n);
    key += ":" + std::to_string(interval.lo) + ".." + std::to_string(interval.hi) + ";";
  }
  for (const auto &[form, choice] : residues)
    key += "r" + std::to_string(form) + "=" + std::to_string(choice.second);
  auto [it, isNew] = cache.try_emplace(key, Verdict::Open);
  if (!isNew || ++asked > MaxQuestions)
    return it->second;
  if (!solver)
    solver = std::make_unique<Integers>();
  solver->reset();
  Translator translate(*solver, linears, program, exactly);
  for (const auto &[k, interval] : decisions) {
    Integers::Term r = translate.form(table.cls(k.first).rest, k.second);
    // What is assumed of the class, and of the same value for the launch.
    const DecisionClass &cls = table.cls(k.first);
    for (const Interval &known :
         {interval, cls.range, cls.global >= 0 ? table.cls(cls.global).range : Interval{}}) {
      if (known.lo != INT64_MIN)
        solver->assertAtLeast(r, known.lo);
      if (known.hi != INT64_MAX)
        solver->assertAtMost(r, known.hi);
    }
  }
  for (const auto &[form, choice] : residues) {
    Integers::Term value = translate.form(linears.form(form), {});
    solver->assertAtLeast(value, 0); // contract: what is divided is not negative
    Integers::Term rest = solver->remainder(value, solver->constant(choice.first));
    solver->assertAtLeast(rest, choice.second);
    solver->assertAtMost(rest, choice.second);
  }
  switch (solver->check(exactly ? EffortToShow : Effort)) {
  case smt::Answer::Satisfiable: it->second = Verdict::Yes; break;
  case smt::Answer::Unsatisfiable: it->second = Verdict::No; break;
  case smt::Answer::Unknown: break;
  }
  return it->second;
}
