//===- Contracts.h - what the verdicts rest on ----------------------------===//
//
// Facts about the compiler below the IR and about launches that the IR does not
// show. Each has a name, is printed with --explain contracts and with every
// verdict it may matter to, and is one row here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <vector>

namespace tlx::verify {

struct Contract {
  const char *name;
  const char *text;
};

/// All contracts, in order.
const std::vector<Contract> &contracts();

} // namespace tlx::verify
