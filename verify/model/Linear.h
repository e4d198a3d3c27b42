//===- Linear.h - static closed forms of scalars --------------------------===//
//
// When do two tasks decide the same thing? When their conditions have the same
// closed form. Every scalar gets a linear form
//
//     c + sum of coefficient * term
//
// where a term is a symbol, the iteration number Ord(d) of the enclosing loop
// at depth d, or an operation on linear forms that is not linear itself (a
// division, a load, ...), interned so that equal structure is equal identity.
// A loop variable that grows by a constant c from L0 has the form
// L0 + c * Ord(d); a loop or if result is a term over what it was made from.
//
// `k < T` in a producer and in two consumers is then the same form T - Ord(2),
// whatever the loops look like around it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

#include <functional>
#include <optional>
#include <set>

namespace tlx::verify {

using LinId = int32_t;

struct LinForm {
  int64_t c = 0;
  std::vector<std::pair<int, int64_t>> terms; ///< (term, coefficient), sorted
  auto operator<=>(const LinForm &) const = default;
};

struct LinTerm {
  enum Kind : uint8_t {
    Sym,
    Ord,
    Operation,
    Iterate, ///< operands: initial value, next value, Ord
    Delayed, ///< at depth `value`: the first operand, then the second of one iteration ago
    Final,   ///< a loop variable after its loop; operands: its form, the loop's condition
    Private, ///< a variable without closed form: never equal between tasks
  } kind;
  int64_t value = 0; ///< symbol, depth, Op or variable
  int64_t name = 0;  ///< opaque operations: which; Private, Final: loop depth; others: pace
  std::vector<LinId> operands;
  auto key() const { return std::tie(kind, value, name, operands); }
};

/// Facts about a term, derived once.
struct TermFacts {
  uint32_t ords = 0; ///< bit d: the term depends on Ord(d)
  bool launchInvariant = true;
  int64_t lo = INT64_MIN, hi = INT64_MAX;
};

class Linears {
public:
  explicit Linears(const Program &program) : program(program) {}

  /// Learns the closed form of every variable of a task.
  void analyse(const Block &body);

  /// The form of an expression, with its variables' closed forms.
  LinId of(ExprId expr);

  /// Of the loop that a Delayed term belongs to.
  static Pace paceOf(const LinTerm &delayed) {
    return {static_cast<int>(delayed.name / MaxStride), static_cast<int>(delayed.name % MaxStride)};
  }
  static constexpr int MaxStride = 64;
  /// Names of quotients that are always exact: how often a loop with a stride has run, and what
  /// a symbol is a multiple of (Symbol::assumedDivisor).
  static constexpr int64_t ExactTrips = 1, ExactPart = 2;

  const LinForm &form(LinId id) const { return forms[id]; }
  const LinTerm &term(int id) const { return terms[id]; }
  const TermFacts &facts(int id) const { return termFacts[id]; }
  /// The depths of the loops whose iteration numbers a form depends on.
  std::vector<int> depthsOf(LinId id) const;
  /// Made from a variable without a closed form.
  bool isPrivate(int term) const;
  LinId intern(LinForm form);
  LinId add(LinId a, LinId b, int64_t scaleB = 1);
  LinId termForm(LinTerm term);
  LinId quotient(LinId form, int64_t by) { return operation(Op::Div, 0, {form, intern({by, {}})}); }

  /// Values for symbols (index into Exprs::symbols) and iteration numbers.
  struct Numbers {
    std::map<int64_t, int64_t> symbols;
    std::vector<int64_t> iterations;
  };
  /// A form with these; nothing when something else in it is not the launch's.
  std::optional<LinId> at(LinId id, const Numbers &numbers);

  /// Range of a form by interval arithmetic; INT64_MIN / MAX: unbounded.
  std::pair<int64_t, int64_t> range(const LinForm &form) const;
  /// At least this, with minima, maxima and quotients looked into: `N - min(A, N)`, `N - N / 3`.
  int64_t least(LinId form);

  std::string print(const LinForm &form) const;
  /// "form >= bound" said as simply as possible: "(K + 63) / 64 >= 1" is
  /// "K >= 1", "(T - id + n - 1) / n >= 3" is "T > 2*n + id".
  std::string printAtLeast(const LinForm &form, int64_t bound) const;
  /// What "form >= bound" compares, and with what, without divisions by constants.
  std::pair<std::string, int64_t> quantityOf(const LinForm &form, int64_t bound) const;

  /// Does "form < bound" say that a size is zero, or that it is less than one
  /// whole block of it: `K < 1`, `N / 128 < 1`? Not `K < 2`.
  bool saysEmpty(const LinForm &form, int64_t bound) const;

  /// Does "form < bound" say that a program lies beyond the data, or at an end of it that
  /// is less than the program's own block: `N - 128 * program_id < 64`? So it does when
  /// the loop runs from the program's block to the end of the data, in steps no longer
  /// than the block; not when it runs over a part that other programs take up where it
  /// ends. `step`: by how much an iteration lowers the form.
  bool saysBeyond(const LinForm &form, int64_t bound, int64_t step) const;

  /// A form that is at least 1 exactly when this one is, without a quotient that other
  /// loops ask about undivided: `(T + 1) / 2 - k` as `T - 2 * k`.
  LinId withoutQuotient(LinId form);

  /// The same value in one of several spellings: minima and maxima as the lesser of a
  /// difference and zero.
  LinId balanced(LinId form);

  /// The value of a form when its symbols have the values that `valueOf` gives
  /// (index into Exprs::symbols); nothing when one is missing or the form
  /// depends on iterations or opaque operations.
  std::optional<int64_t>
  evaluate(const LinForm &form,
           const std::function<std::optional<int64_t>(int64_t)> &valueOf) const;

  /// "form >= bound" without divisions by constants; `blocks`: their product.
  std::pair<LinForm, int64_t> undivided(const LinForm &form, int64_t bound,
                                        int64_t *blocks = nullptr) const;

private:
  /// "form >= bound" as two sides, the first at least the second, without a division by an
  /// unknown that is positive.
  std::pair<LinForm, LinForm> sides(const LinForm &form, int64_t bound) const;
  int internTerm(LinTerm term);
  LinId symbol(int64_t index);
  LinId operation(Op op, int64_t name, std::vector<LinId> operands);
  std::pair<int64_t, LinId> factored(LinId id);
  std::optional<LinId> multipleOf(LinId form, LinId divisor);
  std::optional<LinId> byUnknown(LinId form, LinId divisor);
  std::optional<LinId> byNumber(Op op, LinId form, int64_t divisor);
  bool cancelQuotient(LinForm &form);
  LinId byBlocks(const LinForm &form);
  void keepQuotients(LinId id, bool start, const Pace &pace);
  void block(const Block &body, int depth);
  void loop(const Stmt &stmt, int depth);
  void branch(const Stmt &stmt, int depth);
  void assignResults(const Stmt &loop, const Stmt &assigns, int depth);
  std::optional<LinId> tripsOf(const Stmt &loop, int depth);
  void define(VarId var, LinId form);
  LinId privateForm(VarId var, int depth);
  LinId recurrence(LinId init, LinId next, LinId self, int depth, Pace pace);
  LinId substitute(LinId id, int from, LinId to, std::map<LinId, LinId> &done);
  bool mentionsPrivate(LinId id, int except) const;
  std::string printTerm(int id) const;

  const Program &program;
  std::vector<LinForm> forms;
  std::map<LinForm, LinId> formIds;
  std::vector<LinTerm> terms;
  std::vector<TermFacts> termFacts;
  std::map<std::tuple<LinTerm::Kind, int64_t, int64_t, std::vector<LinId>>, int> termIds;
  std::unordered_map<VarId, LinId> varForms;
  std::unordered_map<ExprId, LinId> cache; ///< only expressions whose variables are final
  std::set<int> kept;                      ///< quotients of which some loop's bound is a multiple
  int provisional = 0;
};

} // namespace tlx::verify
