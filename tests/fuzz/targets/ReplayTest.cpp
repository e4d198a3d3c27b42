//===- ReplayTest.cpp - kept inputs of the fuzzers -------------------------===//
#include "tests/fuzz/targets/Targets.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace {

std::string contentsOf(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

class KeptInputs : public testing::TestWithParam<tlx::fuzz::Target> {};

TEST_P(KeptInputs, comeBack) {
  std::filesystem::path folder =
      std::string(TLX_SOURCE_DIR "/tests/fuzz/corpus/") + GetParam().name;
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::string input = contentsOf(entry.path());
    GetParam().run(input);
    // And every prefix of a short one: truncated files are the commonest bad input.
    for (size_t length = 0; input.size() < 4096 && length < input.size(); ++length)
      GetParam().run(std::string_view(input).substr(0, length));
    ++count;
  }
  EXPECT_GT(count, 1u);
}

INSTANTIATE_TEST_SUITE_P(, KeptInputs, testing::ValuesIn(tlx::fuzz::targets),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
