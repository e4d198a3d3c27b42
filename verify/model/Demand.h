//===- Demand.h - how exactly must a variable be known? -------------------===//
//
// A ring counter is used as `cnt % S` and `(cnt / S) & 1`, so everything that
// the kernel does depends on cnt modulo 2S only. This analysis walks from uses
// (slots, phases, counts, conditions) back to variables and finds, for each, an
// ultimately periodic view that loses nothing:
//
//     reduce(v) = v                          when v < threshold
//                 threshold + (v - threshold) mod period   otherwise
//
// The threshold keeps comparisons with constants exact. A variable that nothing
// asks for is not stored at all; one that must be exact is kept exactly (fine
// when its range is finite; otherwise the exploration does not end and says so).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Code.h"

#include <array>
#include <set>

namespace tlx::verify {

struct Demand {
  bool any = false;
  bool exact = false;
  int64_t threshold = 0, period = 1;
  /// The threshold of what is asked for modulo the period whatever its sign, as masks do.
  static constexpr int64_t AnySign = INT64_MIN;
  int64_t reduce(int64_t v) const {
    if (exact || v < threshold)
      return v;
    if (threshold == AnySign)
      return (v % period + period) % period;
    return threshold + (v - threshold) % period;
  }
};

class Demands {
public:
  explicit Demands(const Program &program) : program(program) {}

  /// Looks at all tasks; call once.
  void analyse(const std::vector<const Code *> &codes);

  const Demand &of(VarId var) const { return vars[var]; }

  /// True when the value depends on constants and on variables that do, so that
  /// it is a known integer whenever the program runs.
  bool isInteger(ExprId expr) const;

  /// May a condition be read off the variables' values? They are kept only as far as
  /// something asks for them, and a condition that is no integer asks through its
  /// closed form, but for a remainder.
  bool isKeptFor(ExprId expr) const;

  /// Does the expression depend on no variable (only on symbols)?
  bool isSymbolic(ExprId expr) const;
  /// The period that all uses of a symbolic expression together ask for; 1 when
  /// nothing does, 0 when it must be exact.
  int64_t periodOf(ExprId expr) const;

  std::map<ExprId, Demand> leaves; ///< symbolic expressions that are asked for

private:
  void demand(ExprId expr, const Demand &d);
  void demandCond(ExprId expr);
  bool isRemainder(ExprId expr) const;
  /// Is no number that the expression is while the program runs below zero?
  /// `evenUnknown`: nor any value for which it has no number.
  bool isNeverNegative(ExprId expr, bool evenUnknown) const;
  bool computesNoNegative(ExprId expr, bool evenUnknown) const;
  bool isNeverKnown(ExprId expr) const;
  enum Question : uint8_t { Integer, KeptFor, NeverKnown, NeverNegative, NoNegativeNumber, Count };
  template <typename Ask> bool asked(Question question, ExprId expr, const Ask &ask) const;
  void assigned(const Assign &assign) { sources[assign.var].push_back(assign.value); }

  const Program &program;
  std::vector<Demand> vars;
  std::vector<char> integerVar;
  std::array<std::vector<char>, 2> negativeVar; ///< see isNeverNegative
  std::vector<std::vector<ExprId>> sources;
  std::map<ExprId, std::pair<Demand, int>> seen; ///< how often it was raised
  std::set<ExprId> conditions;                   ///< that were looked at
  enum class Answer : uint8_t { Open, No, Yes };
  mutable std::array<std::vector<Answer>, Count> known; ///< by question and expression
};

} // namespace tlx::verify
