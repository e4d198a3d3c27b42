//===- Integers.h - satisfiability of integer constraints ------------------===//
//
// The only door to Z3: a small builder of integer terms and one question, can
// all constraints hold? Terms are numbers that stay valid as long as the object.
// Division and remainder round towards zero, as the IR's do.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tlx::verify::smt {

enum class Answer : uint8_t { Satisfiable, Unsatisfiable, Unknown };

class Integers {
public:
  Integers();
  ~Integers();
  Integers(const Integers &) = delete;

  using Term = int;
  size_t count() const; ///< terms made since the last reset
  Term constant(int64_t value);
  Term variable(const std::string &name);
  Term add(Term a, Term b);
  Term multiply(Term a, Term b);
  Term divide(Term a, Term b);
  Term remainder(Term a, Term b);
  Term minimum(Term a, Term b);
  Term maximum(Term a, Term b);
  /// 1 when the relation holds, else 0.
  Term equal(Term a, Term b);
  Term less(Term a, Term b);
  Term select(Term condition, Term a, Term b); ///< condition != 0

  void assertAtLeast(Term term, int64_t bound);
  void assertAtMost(Term term, int64_t bound);

  /// `effort`: how many of the solver's steps to try, then Unknown. Not a time,
  /// so that a verdict does not depend on the machine; and Z3 4.8's timer can
  /// hang for ever.
  Answer check(unsigned effort);
  /// Seconds that this thread has spent in check().
  static double secondsSpent();
  /// After Satisfiable: the term's value in the solution; nothing when it does
  /// not fit.
  std::optional<int64_t> value(Term term);
  /// Forgets all constraints and terms.
  void reset();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tlx::verify::smt
