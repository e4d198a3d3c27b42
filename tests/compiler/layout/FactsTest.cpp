// Every conversion that scripts/layout_facts.py asked fbtriton about.
#include "compiler/layout/Print.h"
#include "tests/compiler/layout/EncodingText.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

using namespace tlx::layout;
using namespace tlx::layout::test;

namespace {

struct Fact {
  bool refused = false;
  std::string encoding, shape, dump;
  std::vector<std::pair<std::string, Bases>> bases;
};

std::vector<std::string> split(const std::string &line, const std::string &by) {
  std::vector<std::string> parts;
  size_t at = 0, next;
  while ((next = line.find(by, at)) != std::string::npos) {
    parts.push_back(line.substr(at, next - at));
    at = next + by.size();
  }
  parts.push_back(line.substr(at));
  return parts;
}

std::vector<Fact> facts() {
  std::ifstream file(TLX_SOURCE_DIR "/tests/compiler/layout/facts.txt");
  std::vector<Fact> all;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.rfind("# ", 0) == 0)
      continue;
    Fact fact;
    fact.refused = line.rfind("! ", 0) == 0;
    auto parts = split(fact.refused ? line.substr(2) : line, " | ");
    fact.encoding = parts[0];
    fact.shape = parts[1];
    if (!fact.refused) {
      // "register=[[..]] lane=[..]": a list ends before the next letter.
      const std::string &text = parts[2];
      size_t at = 0;
      while (at < text.size()) {
        const size_t equals = text.find('=', at);
        size_t end = equals + 1;
        while (end < text.size() && !std::isalpha((unsigned char)text[end]))
          ++end;
        fact.bases.emplace_back(text.substr(at, equals - at),
                                parseBases(text.substr(equals + 1, end - equals - 1)));
        at = end;
      }
      fact.dump = parts[3];
    }
    all.push_back(fact);
  }
  return all;
}

TEST(LayoutFacts, conversionsAreThoseOfFbtriton) {
  std::map<std::string, int> converted;
  for (const Fact &fact : facts()) {
    SCOPED_TRACE(fact.encoding + " " + fact.shape);
    EncodingPtr encoding = parseEncoding(fact.encoding);
    ASSERT_TRUE(encoding);
    auto layout = toLinearLayout(*encoding, parseShape(fact.shape));
    if (fact.refused) {
      EXPECT_FALSE(layout.ok()) << "fbtriton refuses it";
      continue;
    }
    ASSERT_TRUE(layout.ok()) << layout.error().str();
    for (const auto &[dim, bases] : fact.bases)
      EXPECT_EQ(layout->bases(dim), bases) << dim;
    ++converted[name(*encoding)];
  }
  // The table must not shrink unnoticed.
  for (const char *encoding :
       {"blocked", "linear", "slice", "dot_op", "nvidia_mma", "amd_mfma", "amd_wmma",
        "swizzled_shared", "amd_rotating_shared", "nvmma_shared", "shared_linear",
        "partitioned_shared", "tensor_memory_encoding", "tensor_memory_scales_encoding"})
    EXPECT_GT(converted[encoding], 0) << encoding;
}

TEST(LayoutFacts, dumpsAreThoseOfFbtriton) {
  int cute = 0, linear = 0;
  for (const Fact &fact : facts()) {
    if (fact.refused || fact.dump == "-")
      continue;
    SCOPED_TRACE(fact.encoding + " " + fact.shape);
    auto text = dumpLayout(*parseEncoding(fact.encoding), parseShape(fact.shape));
    ASSERT_TRUE(text.ok());
    if (fact.dump == "linear") {
      EXPECT_EQ(text->rfind("(not representable", 0), 0u) << *text;
      ++linear;
    } else {
      EXPECT_EQ(*text, "cute: " + fact.dump + "\n");
      ++cute;
    }
  }
  EXPECT_GT(cute, 300);
  EXPECT_GT(linear, 50);
}

} // namespace
