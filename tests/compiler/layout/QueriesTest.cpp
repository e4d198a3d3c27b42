#include "compiler/layout/Queries.h"
#include "tests/compiler/layout/EncodingText.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace tlx::layout;
using namespace tlx::layout::test;

namespace {

LinearLayout of(const std::string &text, const std::string &shape) {
  EncodingPtr encoding = parseEncoding(text);
  EXPECT_TRUE(encoding) << text;
  auto layout = toLinearLayout(*encoding, parseShape(shape));
  EXPECT_TRUE(layout.ok()) << text;
  return layout.ok() ? *layout : LinearLayout();
}

/// The accesses that fbtriton counts: as wide as the layouts allow.
TEST(BankConflicts, areThoseOfFbtriton) {
  std::ifstream file(TLX_SOURCE_DIR "/tests/compiler/layout/bank_facts.txt");
  std::string line;
  int count = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line.rfind("# ", 0) == 0)
      continue;
    std::vector<std::string> parts;
    size_t at = 0, next;
    while ((next = line.find(" | ", at)) != std::string::npos) {
      parts.push_back(line.substr(at, next - at));
      at = next + 3;
    }
    parts.push_back(line.substr(at));
    SCOPED_TRACE(line);
    auto access = registersToShared(of(parts[0], parts[2]), of(parts[1], parts[2]));
    ASSERT_TRUE(access.ok());
    const unsigned bits = unsigned(std::stoul(parts[3]));
    const unsigned vector = maxVectorElements(*access, bits);
    EXPECT_EQ(bankCost(*access, bits, vector).conflicts(),
              unsigned(std::stoul(parts[4])))
        << "vector of " << vector;
    ++count;
  }
  EXPECT_GT(count, 300);
}

} // namespace
