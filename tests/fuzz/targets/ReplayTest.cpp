//===- ReplayTest.cpp - kept inputs of the fuzzers -------------------------===//
#include "tests/fuzz/targets/Targets.h"

#include "runtime/base/File.h"
#include "runtime/base/Json.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace {

/// The inputs of a file: what scripts/fuzz.sh kept of a campaign is a list of
/// strings, one character a byte; any other file is an input itself.
std::vector<std::string> inputsOf(const std::filesystem::path &path) {
  auto text = tlx::readFile(path.string());
  EXPECT_TRUE(text) << path;
  if (!text || path.filename() != "minimised.json")
    return {text ? *text : std::string()};
  auto document = tlx::json::parse(*text, path.string());
  EXPECT_TRUE(document) << path;
  std::vector<std::string> out;
  for (const tlx::json::Value &item : *document->root.items) {
    std::string &bytes = out.emplace_back();
    const std::string &utf8 = *item.text;
    for (size_t at = 0; at < utf8.size(); ++at)
      if (uint8_t(utf8[at]) < 0x80)
        bytes += utf8[at];
      else { // two bytes of UTF-8: U+0080 to U+00FF
        bytes += char((utf8[at] & 3) << 6 | (utf8[at + 1] & 63));
        ++at;
      }
  }
  return out;
}

class KeptInputs : public testing::TestWithParam<tlx::fuzz::Target> {};

TEST_P(KeptInputs, comeBack) {
  const tlx::fuzz::Target &target = GetParam();
  std::string folder = std::string(TLX_SOURCE_DIR "/tests/fuzz/corpus/") + target.folder;
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    for (const std::string &input : inputsOf(entry.path())) {
      target.run(input);
      ++count;
      // And the beginnings of it: truncated files are the commonest bad input.
      if (entry.path().filename() != "minimised.json")
        for (size_t length = 0; length < input.size(); length += target.step)
          target.run(std::string_view(input).substr(0, length));
    }
  EXPECT_GT(count, 1u);
}

std::string nameOf(const testing::TestParamInfo<tlx::fuzz::Target> &info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Formats, KeptInputs, testing::ValuesIn(tlx::fuzz::formatTargets()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Ir, KeptInputs, testing::ValuesIn(tlx::fuzz::irTargets()), nameOf);

} // namespace
