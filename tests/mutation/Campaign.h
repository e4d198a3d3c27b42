//===- Campaign.h - the mutants of one file and what the judges say --------===//
//
// Every mutant is encoded and proved as tlx-verify does it. What the prover lets
// pass goes to the explorer, which tries all interleavings at small sizes:
//
//   caught      the prover says BUG, or excludes sizes that were fine before
//   same        the model is the unmutated one: nothing that synchronises changed
//   equivalent  PROVED, and the explorer finds nothing at any of the sizes
//   undecided   PROVED, and the explorer cannot tell
//   unknown     the prover says UNKNOWN
//   MISSED      PROVED, but the explorer has a violation: an unsound proof
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tlx::mutation {

struct Request {
  std::string file, manifest;
  int sample = 0; ///< mutants to try, spread over operators; 0: all
  uint64_t seed = 1;
  std::string only;     ///< operators, with commas; empty: all
  std::string writeTo;  ///< the first mutant's IR goes here
  double timeout = 20;  ///< seconds for each proof
  size_t states = 6000; ///< steps of the explorer, for each size
};

struct Mutant {
  std::string op, place; ///< operator and file:line of the operation
  int operation = 0, variant = 0;
  std::string outcome; ///< as above
  std::string detail;  ///< class and message, or what the explorer saw
  double seconds = 0;
};

/// Calls `report` for each mutant. False: the file cannot be used; says why.
bool campaign(const Request &request, const std::function<void(const Mutant &)> &report,
              std::string &why);

/// Names and descriptions of all operators.
std::vector<std::pair<std::string, std::string>> operatorNames();

} // namespace tlx::mutation
