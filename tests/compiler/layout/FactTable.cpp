#include "tests/compiler/layout/FactTable.h"
#include "tests/compiler/layout/EncodingText.h"

#include <cctype>
#include <fstream>

namespace tlx::layout::test {

std::vector<FactLine> readFacts(const std::string &name) {
  std::ifstream file(TLX_SOURCE_DIR "/tests/compiler/layout/" + name);
  std::vector<FactLine> facts;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.rfind("# ", 0) == 0)
      continue;
    FactLine fact;
    fact.refused = line.rfind("! ", 0) == 0;
    size_t at = fact.refused ? 2 : 0, next;
    while ((next = line.find(" | ", at)) != std::string::npos) {
      fact.columns.push_back(line.substr(at, next - at));
      at = next + 3;
    }
    fact.columns.push_back(line.substr(at));
    facts.push_back(std::move(fact));
  }
  return facts;
}

std::vector<std::pair<std::string, Bases>> parseNamedBases(const std::string &text) {
  std::vector<std::pair<std::string, Bases>> result;
  size_t at = 0;
  while (at < text.size()) {
    // A list ends before the next letter.
    const size_t equals = text.find('=', at);
    size_t end = equals + 1;
    while (end < text.size() && !std::isalpha(static_cast<unsigned char>(text[end])))
      ++end;
    result.emplace_back(text.substr(at, equals - at),
                        parseBases(text.substr(equals + 1, end - equals - 1)));
    at = end;
  }
  return result;
}

} // namespace tlx::layout::test
