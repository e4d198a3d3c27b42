//===- IrMutator.cpp - changes that leave text a module now and then --------===//
//
// Most changes of single bytes end in the lexer. Half of the time, tokens of the
// input are put in the place of others, so that what comes behind the parser is
// met as well.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

bool belongsToWord(char c) { return std::isalnum(uint8_t(c)) || std::strchr("_.$%#!@^", c); }

/// Words and single other characters; white space belongs to none.
std::vector<std::string_view> tokensOf(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (belongsToWord(text[at]))
      while (end < text.size() && belongsToWord(text[end]))
        ++end;
    if (!std::isspace(uint8_t(text[at])))
      tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

constexpr std::string_view numbers[] = {
    "0", "-1", "3", "65536", "2147483648", "9223372036854775807", "18446744073709551616"};

/// `text` with one token replaced, dropped or written twice.
std::string changeToken(std::string_view text, std::minstd_rand &random) {
  std::vector<std::string_view> tokens = tokensOf(text);
  if (tokens.empty())
    return std::string(text);
  auto any = [&] { return tokens[random() % tokens.size()]; };
  std::string_view from = any(), to;
  switch (random() % 4) {
  case 0: break;
  case 1: to = numbers[random() % std::size(numbers)]; break;
  default: to = any(); break;
  }
  size_t at = size_t(from.data() - text.data());
  return std::string(text.substr(0, at)).append(to).append(text.substr(at + from.size()));
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming): libFuzzer named them.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 2)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<const char *>(data), size);
  for (unsigned changes = 1 + random() % 3; changes; --changes)
    text = changeToken(text, random);
  size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}
// NOLINTEND(readability-identifier-naming)
