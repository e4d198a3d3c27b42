//===- Feasibility.h - can these answers all be given? ---------------------===//
//
// Decisions are made one at a time; that `(K + 63) / 64 = 1` and that
// `max((K + 63) / 64 - 1, 0)` is odd exclude each other shows only when the
// arithmetic is looked at. Z3 does. What it cannot decide counts as feasible.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/checks/Decisions.h"
#include "verify/smt/Integers.h"

#include <set>

namespace tlx::verify {

/// Values of everything unknown that give a run's answers.
class Assignment {
public:
  /// Of a symbol or an opaque function, in given iterations of the loops around.
  std::optional<int64_t> valueOf(ExprId leaf, const std::vector<int64_t> &iteration) const;
  /// Fixes a symbol, which is the leaf `leaf`.
  void choose(int64_t symbol, ExprId leaf, int64_t value);
  /// Of a symbol that is the same for the whole launch.
  std::optional<int64_t> valueOfSymbol(int64_t symbol) const;
  /// What is only read lies in memory as Exprs::contentAt says.
  bool contents = false;

private:
  friend class Feasibility;
  struct Term {
    uint32_t iterations = 0; ///< bit d: differs by the iteration at depth d
    int64_t otherwise = 0;
    std::map<std::vector<int64_t>, int64_t> values;
  };
  static std::vector<int64_t> restrict(uint32_t depths, const std::vector<int64_t> &iteration);
  std::map<ExprId, int> terms; ///< leaves -> Term
  std::map<int64_t, ExprId> symbols;
  std::map<int, Term> known; ///< below 0: chosen
};

/// Numbers for symbols (index into Exprs::symbols).
using SymbolValues = std::map<int64_t, int64_t>;

class Feasibility {
public:
  /// `launches`: what those given have, which is what runs are shown with if it can be.
  Feasibility(Linears &linears, const DecisionTable &table, const Program &program,
              const std::vector<SymbolValues> &launches)
      : linears(linears), table(table), program(program), launches(launches) {}

  using Residues = std::map<LinId, std::pair<int64_t, int64_t>>;
  /// False only when no values of the symbols give all the answers. `changed`
  /// is the form that was decided last: only what is related to it is looked at.
  bool possible(const std::map<DecisionKey, Interval> &decisions, const Residues &residues,
                const LinForm &changed);
  /// Values that give all the answers: those of a given launch if they do, else small
  /// positive ones, else any; nothing when none are found.
  std::optional<Assignment> assign(const std::map<DecisionKey, Interval> &decisions,
                                   const Residues &residues);

  /// False only when no launch has what is assumed for all of it, and `also` at least 1.
  bool someLaunch(LinId also = -1);

private:
  enum class Verdict : uint8_t { Yes, No, Open };
  Verdict judge(const std::map<DecisionKey, Interval> &decisions, const Residues &residues,
                const std::vector<LinId> &launch);
  smt::Integers &freshSolver();
  struct Unknowns {
    std::set<int> symbols;
    bool repeated = false; ///< one of them stands in several places
  };
  const Unknowns &unknownsOf(const LinForm &form);
  int64_t unasked(int64_t symbol, const TermFacts &facts) const;
  Linears &linears;
  const DecisionTable &table;
  const Program &program;
  const std::vector<SymbolValues> &launches;
  std::map<std::string, Verdict> cache;
  std::map<std::vector<std::pair<int, int64_t>>, Unknowns> unknowns; ///< by terms
  std::unique_ptr<smt::Integers> solver; ///< made when the first question needs it
  int asked = 0;
};

} // namespace tlx::verify
