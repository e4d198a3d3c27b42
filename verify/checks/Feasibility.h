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

class Feasibility {
public:
  Feasibility(Linears &linears, const DecisionTable &table, const Program &program)
      : linears(linears), table(table), program(program) {}

  using Residues = std::map<LinId, std::pair<int64_t, int64_t>>;
  /// False only when no values of the symbols give all the answers. `changed`
  /// is the form that was decided last: only what is related to it is looked at.
  bool possible(const std::map<DecisionKey, Interval> &decisions, const Residues &residues,
                const LinForm &changed);
  /// True only when values of the symbols are known to give all the answers.
  bool shown(const std::map<DecisionKey, Interval> &decisions, const Residues &residues);

private:
  enum class Verdict : uint8_t { Yes, No, Open };
  Verdict judge(const std::map<DecisionKey, Interval> &decisions, const Residues &residues,
                bool exactly);
  const std::set<int> &symbolsOf(const LinForm &form);
  Linears &linears;
  const DecisionTable &table;
  const Program &program;
  std::map<std::string, Verdict> cache;
  std::map<std::vector<std::pair<int, int64_t>>, std::set<int>> symbols; ///< by terms
  std::unique_ptr<smt::Integers> solver; ///< made when the first question needs it
  int asked = 0;
};

} // namespace tlx::verify
