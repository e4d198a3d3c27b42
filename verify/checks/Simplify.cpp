//===- Simplify.cpp - what a form is at this point of the run -------------===//
//
// Closed forms are the same wherever an expression stands. While the program runs
// more is known: the iteration numbers, and what has been decided. A value that a
// loop carries from its last iteration is then what that iteration computed, under
// that iteration's number; a selection is one of its sides; a quotient that is
// known to be less than one is zero. Tasks that come to the same value in different
// ways ask the same question then.
//
//===----------------------------------------------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>
#include <bit>
#include <numeric>

using namespace tlx::verify;

/// Moves a form to iteration `n[depth - 1] + by`, with term `except` left out of
/// account; false when other terms of it stand for this iteration.
bool Machine::moveTo(LinForm &form, int except, int depth, int64_t by, std::vector<int64_t> &n) {
  int64_t c = 0;
  for (auto [t, coef] : form.terms) {
    const LinTerm &term = linears.term(t);
    if (term.kind == LinTerm::Ord && term.value == depth)
      c -= coef * by;
    else if (t != except && linears.facts(t).ords >> depth & 1)
      return false;
  }
  form.c += c;
  n[depth - 1] += by;
  return true;
}

/// The form modulo `modulus`, where that follows from iteration numbers alone: no term of
/// it is anything else, and it is not negative in any iteration. States whose iteration
/// numbers differ by something else than multiples of what this rests on are then
/// different states (groupStrides).
std::optional<int64_t> Machine::periodic(const State &state, int task, LinId id,
                                         const std::vector<int64_t> &n, int64_t modulus) {
  const LinForm form = linears.form(id);
  if (form.c < 0 || modulus < 1 || modulus > MaxPeriod)
    return std::nullopt;
  int64_t sum = form.c % modulus;
  for (auto [t, coef] : form.terms) {
    const LinTerm term = linears.term(t);
    std::optional<int64_t> value;
    if (coef < 0 && linears.range(form).first < 0)
      return std::nullopt;
    if (term.kind == LinTerm::Ord && term.value <= static_cast<int64_t>(n.size())) {
      int depth = static_cast<int>(term.value);
      if (distinguish(state, task, depth, modulus / std::gcd(modulus, coef)))
        value = n[depth - 1] % modulus;
    } else if (term.kind == LinTerm::Operation && term.operands.size() == 2) {
      const LinForm right = linears.form(term.operands[1]);
      int64_t by = right.terms.empty() ? right.c : 0;
      switch (static_cast<Op>(term.value)) {
      case Op::And: by = by & (by + 1) ? 0 : by + 1; [[fallthrough]];
      case Op::Rem: value = periodic(state, task, term.operands[0], n, by); break;
      case Op::Xor:
        if (std::has_single_bit(static_cast<uint64_t>(modulus)) && by >= 0 && by < modulus)
          value = periodic(state, task, term.operands[0], n, modulus);
        if (value)
          value = *value ^ by;
        break;
      case Op::Div:
        if (by >= 1 && by <= MaxPeriod)
          value = periodic(state, task, term.operands[0], n, modulus * by);
        if (value)
          value = *value / by;
        break;
      default: break;
      }
    }
    if (!value)
      return std::nullopt;
    sum = (sum + coef % modulus * (*value % modulus)) % modulus;
  }
  return (sum + modulus) % modulus;
}

Machine::Eval Machine::simplifyTerm(State &state, int task, int t, LinForm &form,
                                    std::vector<int64_t> &n, bool mayFork, LinId &by) {
  const LinTerm term = linears.term(t);
  bool known;
  if (term.kind == LinTerm::Delayed) {
    int depth = static_cast<int>(term.value);
    if (depth > static_cast<int>(n.size()))
      return Eval::Unknown;
    auto [start, stride] = Linears::paceOf(term);
    bool first = n[depth - 1] == start;
    if (!first && !moveTo(form, t, depth, -stride, n))
      return Eval::Unknown;
    by = term.operands[first ? 0 : 1];
    return Eval::Known;
  }
  if (term.kind != LinTerm::Operation)
    return Eval::Unknown;
  auto compared = [&](Op op, LinId a, LinId b) {
    return compare(state, task, op, a, b, n, false, known) == Eval::Known;
  };
  switch (static_cast<Op>(term.value)) {
  case Op::Select: {
    Eval e = truth(state, task, term.operands[0], n, mayFork, known);
    if (e == Eval::Known)
      by = term.operands[known ? 1 : 2];
    return e;
  }
  case Op::Min:
  case Op::Max: {
    // At most a small number, as of a ring that is filled first: few values to tell apart.
    const LinForm most = linears.form(term.operands[1]);
    bool ofNumber = static_cast<Op>(term.value) == Op::Min && most.terms.empty() && most.c > 0 &&
                    most.c < MaxPeriod && !linears.facts(t).ords;
    Eval e = compare(state, task, Op::Le, term.operands[0], term.operands[1], n,
                     mayFork && ofNumber, known);
    if (e != Eval::Known)
      return e;
    by = term.operands[known == (static_cast<Op>(term.value) == Op::Min) ? 0 : 1];
    return Eval::Known;
  }
  case Op::Div: {
    LinId beyond = linears.add(term.operands[0], term.operands[1]); // the opposite divisor
    // Contract: what an unknown divides is not negative.
    bool byUnknown = !linears.form(term.operands[1]).terms.empty();
    if (compared(Op::Lt, term.operands[0], term.operands[1]) && known &&
        (byUnknown || (compared(Op::Lt, linears.intern({0, {}}), beyond) && known))) {
      by = linears.intern({0, {}});
      return Eval::Known;
    }
    // (A - 1) / 64 is (A + 63) / 64 - 1 where A is known to be 1 at least.
    const LinForm divided = linears.form(term.operands[0]), number = linears.form(term.operands[1]);
    if (term.name || !number.terms.empty() || number.c < 2 || linears.range(divided).first >= 0 ||
        !compared(Op::Le, linears.intern({0, {}}), term.operands[0]) || !known)
      return Eval::Unknown;
    by = linears.add(linears.quotient(beyond, number.c), linears.intern({1, {}}), -1);
    return linears.range(linears.form(beyond)).first >= 0 ? Eval::Known : Eval::Unknown;
  }
  case Op::Rem:
  case Op::And:
  case Op::Xor:
    if (const TermFacts &facts = linears.facts(t);
        (facts.lo == 0 || static_cast<Op>(term.value) == Op::Rem) && facts.hi < MaxPeriod)
      if (auto value = periodic(state, task, linears.termForm(term), n, facts.hi + 1)) {
        by = linears.intern({*value, {}});
        return Eval::Known;
      }
    if (auto chosen = state.residues.find(term.operands[0]);
        chosen != state.residues.end() && static_cast<Op>(term.value) == Op::Rem) {
      int64_t divisor = linears.form(term.operands[1]).c;
      if (linears.form(term.operands[1]).terms.empty() && divisor > 0 &&
          chosen->second.first % divisor == 0) {
        int64_t rest = chosen->second.second % divisor;
        if (rest && linears.range(linears.form(term.operands[0])).first < 0) {
          if (!compared(Op::Lt, term.operands[0], linears.intern({0, {}})))
            return Eval::Unknown;
          rest -= known ? divisor : 0;
        }
        by = linears.intern({rest, {}});
        return Eval::Known;
      }
    }
    return Eval::Unknown;
  case Op::Opaque: {
    if (!program.exprs.opaques[term.name].sequence)
      return Eval::Unknown;
    // The element that the outermost loop asks for in its iteration n is the n-th.
    const LinForm index = linears.form(term.operands[0]);
    LinId ord = linears.termForm({LinTerm::Ord, 1, 0, {}});
    bool shifted = index.c && index.terms == linears.form(ord).terms && !n.empty();
    if (shifted ? !moveTo(form, t, 1, index.c, n) : !index.terms.empty())
      return Eval::Unknown;
    if (!shifted) {
      if (n.empty())
        n.push_back(0);
      if (!moveTo(form, t, 1, index.c - n[0], n))
        return Eval::Unknown;
    }
    by = linears.termForm({LinTerm::Operation, term.value, term.name, {ord}});
    return Eval::Known;
  }
  default: return Eval::Unknown;
  }
}

Machine::Eval Machine::simplify(State &state, int task, LinId &form, std::vector<int64_t> &n,
                                bool mayFork) {
  auto mayBecome = [&](const auto &piece) {
    LinTerm::Kind kind = linears.term(piece.first).kind;
    return kind == LinTerm::Delayed || kind == LinTerm::Operation;
  };
  for (bool again = true; again;) {
    again = false;
    if (const auto &terms = linears.form(form).terms;
        std::none_of(terms.begin(), terms.end(), mayBecome))
      break;
    LinForm rest = linears.form(form);
    for (size_t i = 0; i < rest.terms.size() && !again; ++i) {
      auto [t, coef] = rest.terms[i];
      LinId by;
      Eval e = simplifyTerm(state, task, t, rest, n, mayFork, by);
      if (e == Eval::Forks) {
        if (stop.fork.kind == Fork::Question)
          stop.fork.kind = Fork::OfPart;
        return e;
      }
      if (e == Eval::Unknown)
        continue;
      rest.terms.erase(rest.terms.begin() + static_cast<long>(i));
      form = linears.add(linears.intern(rest), by, coef);
      again = true;
    }
  }
  return Eval::Known;
}

/// A comparison of two forms in iteration `n`.
Machine::Eval Machine::compare(State &state, int task, Op op, LinId a, LinId b,
                               const std::vector<int64_t> &n, bool mayFork, bool &value) {
  LinId less = table.less(a, b, op == Op::Lt ? 0 : -1);
  Eval e = askAt(state, task, less, n, mayFork, value);
  if (op != Op::Eq || e != Eval::Known || !value)
    return e;
  return askAt(state, task, table.less(b, a, -1), n, mayFork, value);
}

/// Is a form other than zero? Comparisons within it are decided as such.
Machine::Eval Machine::truth(State &state, int task, LinId id, const std::vector<int64_t> &n,
                             bool mayFork, bool &value) {
  const LinForm form = linears.form(id);
  if (form.terms.size() == 1 && form.c == 1 && form.terms[0].second == -1 &&
      linears.range(form) == std::pair<int64_t, int64_t>(0, 1)) { // a negation
    Eval e = truth(state, task, linears.add(linears.intern({1, {}}), id, -1), n, mayFork, value);
    value = !value;
    return e;
  }
  if (form.terms.size() == 1 && form.c == 0 && form.terms[0].second == 1) {
    const LinTerm term = linears.term(form.terms[0].first);
    Op op = term.kind == LinTerm::Operation ? static_cast<Op>(term.value) : Op::Const;
    if (op == Op::Eq || op == Op::Lt || op == Op::Le)
      return compare(state, task, op, term.operands[0], term.operands[1], n, mayFork, value);
    auto boolean = [&](LinId operand) {
      return linears.range(linears.form(operand)) == std::pair<int64_t, int64_t>(0, 1);
    };
    if ((op == Op::And || op == Op::Or) && boolean(term.operands[0]) && boolean(term.operands[1])) {
      Eval e = truth(state, task, term.operands[0], n, mayFork, value);
      if (e != Eval::Known || value == (op == Op::Or))
        return e;
      return truth(state, task, term.operands[1], n, mayFork, value);
    }
  }
  Eval e = askAt(state, task, id, n, mayFork, value);
  if (e != Eval::Known || value || linears.range(form).first >= 0)
    return e;
  LinId negative = linears.add(linears.intern({0, {}}), id, -1);
  return askAt(state, task, negative, n, mayFork, value);
}
