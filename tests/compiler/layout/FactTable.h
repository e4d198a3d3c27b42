//===- FactTable.h - the tables that scripts/layout_facts.py writes -------===//
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace tlx::layout::test {

/// One line, cut at " | ".
struct FactLine {
  bool refused = false; ///< "! ": fbtriton refuses it
  std::vector<std::string> columns;
};

/// The lines of tests/compiler/layout/<name>, comments left out.
std::vector<FactLine> readFacts(const std::string &name);

/// "register=[[0, 1]] lane=[]"
std::vector<std::pair<std::string, Bases>> parseNamedBases(const std::string &text);

} // namespace tlx::layout::test
