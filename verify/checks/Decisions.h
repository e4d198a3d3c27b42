//===- Decisions.h - conditions on unknown values, shared by all tasks ----===//
//
// A condition on arguments, program ids or loaded values is not evaluated: it
// is decided, both ways, and the decision is remembered so that every task that
// asks the same question gets the same answer. A question is `R >= t`, where R
// is a linear form without the parts that are known integers while running
// (iteration numbers of the loops around it). Answers are kept as an interval
// for R, so a look-ahead (`k + 1 < T`), a last-iteration test (`k == T - 1`) and
// the loop condition itself never contradict each other.
//
// R of a loop inside a tile loop is kept for each tile: what is remembered of a
// launch-invariant R beyond its tile is only whether it is below `PromoteCap`, and
// likewise, for as long as it lasts, of an R that an outer iteration has loaded.
// Forgetting the rest loses precision, never soundness.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/checks/State.h"
#include "verify/model/Code.h"
#include "verify/model/Demand.h"

namespace tlx::verify {

/// `d >= 1` for a linear form d, split into class and known part.
struct Question {
  int cls = -1; ///< -1: `value` says it
  bool value = false;
  bool negated = false;
  int64_t c = 0; ///< constant part of d
};

/// A question as it stands in the code.
struct DecisionClass {
  LinForm rest;                              ///< R: no term of it is an iteration number
  std::vector<std::pair<int, int64_t>> ords; ///< depth, coefficient: the known part
  int64_t scale = 1;                         ///< the question was about scale * R
  int prefixDepth = 0; ///< iteration numbers 1..prefixDepth are part of the key
  /// Which of several loops of one parent that ask the same question; their
  /// answers are then kept apart.
  int sibling = 0;
  int eldest = -1; ///< of a sibling: the class without that
  bool invariant = false;
  bool varies = false; ///< R depends on iterations
  /// Class with the same R and no iteration numbers but those that R depends on: for the launch,
  /// or for an iteration and all that it does in loops of its own.
  int whole = -1;
  /// Of such a class: the t of the questions R >= t about it.
  std::vector<int64_t> asked;
  std::vector<Question> questions; ///< about a class with iteration numbers
  Interval range;
  /// groups[d]: the loops that iterate this question at depth d.
  std::vector<int> groups;
  auto key() const { return std::tie(rest.terms, ords, scale, prefixDepth); }
};

/// A decision that has to be made before the run can go on.
struct Fork {
  enum Kind : uint8_t {
    Question,  ///< none of the others
    Goes,      ///< whether a loop goes on
    Begins,    ///< whether it runs at all
    OfPart,    ///< about a part of what is asked: which of the two a minimum is
    OfDivided, ///< whether what is divided is not negative; no is what an empty size gives
    Residue,   ///< not a question but a choice: `residueOf` modulo `modulus`
  };
  Kind kind = Question;
  DecisionKey key;
  int64_t threshold = 0; ///< the question: R >= threshold
  int task = -1;
  int pc = -1;
  bool negated = false;
  LinId residueOf = -1;
  int64_t modulus = 0;
};

class DecisionTable {
public:
  DecisionTable(const Program &program, Linears &linears, const Demands &demands)
      : program(program), linears(linears), demands(demands) {}

  Question question(LinId d);
  LinId less(LinId a, LinId b, int64_t slack = 0); ///< b - a - slack
  const DecisionClass &cls(int id) const { return classes[id]; }
  size_t size() const { return classes.size(); }

  /// What is known of the class's R in a task with iteration numbers `n`.
  Interval known(const State &state, int cls, const std::vector<int64_t> &n) const;
  DecisionKey key(int cls, const std::vector<int64_t> &n) const;
  /// The threshold t of `R >= t` that question `q` asks at `n`.
  int64_t threshold(const Question &q, const std::vector<int64_t> &n) const;
  void answer(State &state, const DecisionKey &key, int64_t threshold, bool yes) const;
  /// Whether what is known of R does not answer the question alike in all iterations.
  bool differsByIteration(const Question &q, std::vector<int64_t> n, const Interval &r) const;
  /// All t that R is still compared with from iteration `n` on, of which the first `fixed`
  /// numbers stay.
  Interval stillAsked(int cls, const std::vector<int64_t> &n, int fixed) const;

  /// Assumes that a form is at least `lo` for the whole launch; it must mention no iteration
  /// number.
  void assume(LinForm form, int64_t lo);
  /// Assumes a condition of the same kind.
  void assume(ExprId condition, bool holds = true);
  /// All that is assumed: these forms are at least 1.
  std::vector<LinId> assumed;

  /// Registers all questions that an expression can ask at a place in the code.
  void collect(ExprId expr, bool asCondition, std::vector<int> &out);

  int internClass(DecisionClass cls);
  /// The class of the `sibling`-th loop that asks `cls`.
  int variant(int cls, int sibling);
  /// How many times the class's R a form is, but for a constant; 0: it is no multiple.
  int64_t multipleOf(LinId form, int cls) const;
  /// Whether a form's residue says something of the class's R: it is a multiple of it, or one
  /// divides the other.
  bool bears(LinId form, int cls) const;
  /// Can R of the answered class have its residue and be in its interval?
  bool residueFits(const State &state, const DecisionKey &key) const;

  std::vector<DecisionClass> classes;
  const Program &program;
  Linears &linears;
  const Demands &demands;

private:
  std::map<LinId, Question> cache;
  std::map<std::tuple<LinId, LinId, int64_t>, LinId> differences;
  std::map<std::tuple<std::vector<std::pair<int, int64_t>>, std::vector<std::pair<int, int64_t>>,
                      int64_t, int, int>,
           int>
      ids;
};

} // namespace tlx::verify
