//===- SourceTextTest.cpp - what may reach a parser -----------------------===//
#include "runtime/base/SourceText.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <fstream>

using namespace tlx;

namespace {

std::string refusal(std::string_view text) {
  Result<void> checked = checkSourceText(text, "k.ttir");
  return checked ? "" : checked.error().str();
}

std::string repeat(std::string_view piece, unsigned times) {
  std::string text;
  while (times--)
    text += piece;
  return text;
}

TEST(SourceText, KernelsPass) {
  EXPECT_EQ(refusal(""), "");
  EXPECT_EQ(refusal("module {\n\ttt.func @k() {\r\n  }\n}\n"), "");
  EXPECT_EQ(refusal("loc(\"\xC3\xA9.py\":1:1)"), "");
}

TEST(SourceText, AByteOrderMarkIsSkippedAtTheBeginningOnly) {
  auto readBack = [](const std::string &text) {
    std::string path = testing::TempDir() + "mark.ttir";
    std::ofstream(path, std::ios::binary) << text;
    Result<std::string> read = readSourceText(path);
    return read ? *read : read.error().str();
  };
  EXPECT_EQ(readBack("\xEF\xBB\xBFmodule {}"), "module {}");
  EXPECT_EQ(readBack("module \xEF\xBB\xBF{}"), "module \xEF\xBB\xBF{}");
}

TEST(SourceText, NestingIsCountedOverAllBrackets) {
  std::string most = repeat("({[<", maxSourceNesting / 4);
  EXPECT_EQ(refusal(most), "");
  EXPECT_EQ(refusal(most + "\n ("), "k.ttir:2:2: error: nesting deeper than 256 levels");
  EXPECT_EQ(refusal(most + ")("), "");
}

TEST(SourceText, ClosingBracketsAndArrowsDoNotAddUp) {
  EXPECT_EQ(refusal(repeat("() -> (i32)\n", 1000)), "");
  EXPECT_EQ(refusal(repeat(")>]}", 1000) + repeat("(", maxSourceNesting)), "");
  // An arrow closes nothing: each line leaves one bracket open.
  EXPECT_NE(refusal(repeat("< -> \n", maxSourceNesting + 1)), "");
}

TEST(SourceText, StringsAndCommentsAreNoNesting) {
  EXPECT_EQ(refusal("\"" + repeat("(", 1000) + "\""), "");
  EXPECT_EQ(refusal("\"a\\\"" + repeat("(", 1000) + "\""), "");
  EXPECT_EQ(refusal("\"a\\\\\"" + repeat("(", 1000)),
            "k.ttir:1:262: error: nesting deeper than 256 levels");
  EXPECT_EQ(refusal("//" + repeat("(", 1000) + "\n("), "");
  EXPECT_NE(refusal("// comment\n" + repeat("(", 1000)), "");
  EXPECT_EQ(refusal("\"\"" + repeat("(", 257)),
            "k.ttir:1:259: error: nesting deeper than 256 levels");
}

TEST(SourceText, NumbersEnd) {
  EXPECT_EQ(refusal("x " + repeat("1", maxSourceDigits)), "");
  EXPECT_EQ(refusal("x " + repeat("1", maxSourceDigits + 1)),
            "k.ttir:1:3: error: a number of more than 1024 digits");
  EXPECT_EQ(refusal("dense<\"0x" + repeat("1", 5000) + "\">"), "");
  EXPECT_EQ(refusal(repeat("12 ", 5000)), "");
}

/// `levels` aliases, each made of `form` with the one before it for every `@`.
std::string chain(unsigned levels, std::string_view form) {
  std::string text = "#a0 = i32\n";
  for (unsigned i = 1; i <= levels; ++i) {
    text += "#a" + std::to_string(i) + " = ";
    for (char c : form)
      text += c == '@' ? "#a" + std::to_string(i - 1) : std::string(1, c);
    text += "\n";
  }
  return text;
}

TEST(SourceText, AliasesAreWrittenOut) {
  EXPECT_EQ(refusal(chain(15, "[@, @]")), "");
  EXPECT_EQ(refusal(chain(64, "[@, @]")),
            "k.ttir:17:15: error: an alias that stands for more than 65536 others");
  EXPECT_EQ(refusal(chain(200, "[@]")), "");
  EXPECT_EQ(refusal(chain(300, "[@]")), "k.ttir:258:10: error: nesting deeper than 256 levels");
  EXPECT_EQ(refusal(chain(200, "[@]") + "x {a = (" + repeat("[", 54) + "#a200"), "");
  EXPECT_NE(refusal(chain(200, "[@]") + "x {a = (" + repeat("[", 55) + "#a200"), "");
  // However it is spread over lines.
  EXPECT_EQ(refusal("#a = i32 #b = [#a, #a]\n"), "");
  std::string spread = chain(64, "[@, @]"), oneLine = spread;
  std::replace(oneLine.begin(), oneLine.end(), '\n', ' ');
  EXPECT_NE(refusal(oneLine), "");
  std::replace(spread.begin(), spread.end(), ' ', '\n');
  EXPECT_NE(refusal(spread), "");
  std::string dashes = chain(64, "[@, @]");
  std::replace(dashes.begin(), dashes.end(), 'a', '-');
  EXPECT_NE(refusal(dashes), "");
  // Uses add up in a definition only.
  EXPECT_EQ(refusal(chain(15, "[@, @]") + "x {a = [" + repeat("#a15, ", 100)), "");
  EXPECT_EQ(refusal(chain(10, "[@, @, @]")).substr(0, 10), "k.ttir:11:");
}

TEST(SourceText, OtherFilesAreNamedForWhatTheyAre) {
  EXPECT_EQ(refusal(std::string_view("mod\0ule", 7)),
            "k.ttir:1:4: error: not a text file; got byte 0x00");
  EXPECT_EQ(refusal("\x7F\x45LF\x02"), "k.ttir:1:5: error: not a text file; got byte 0x02");
  EXPECT_EQ(refusal("a\n\"b\xFF\""), "k.ttir:2:3: error: not a text file; got byte 0xFF");
  EXPECT_EQ(refusal("// \xC3(\n"), "k.ttir:1:4: error: not a text file; got byte 0xC3");
  EXPECT_NE(refusal("ML\xEFR\x0D").find("bytecode"), std::string::npos);
}

TEST(SourceText, UnreadableFiles) {
  EXPECT_FALSE(readSourceText(TLX_BINARY_DIR));
  Result<std::string> absent = readSourceText(TLX_BINARY_DIR "/no-such-file");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().location.file, TLX_BINARY_DIR "/no-such-file");
}

} // namespace
