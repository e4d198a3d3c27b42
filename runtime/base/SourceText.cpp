#include "runtime/base/SourceText.h"

#include "runtime/base/File.h"
#include "runtime/base/Utf8.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>
#include <unordered_map>

namespace tlx {
namespace {

bool isWord(char c) { return std::isalnum(uint8_t(c)) || c == '_' || c == '$' || c == '.'; }

/// What an alias stands for, written out.
struct Written {
  uint64_t parts = 1;
  unsigned depth = 0;
};

class Scan {
public:
  Scan(std::string_view text, const std::string &path) : text(text), path(path) {}

  Result<void> run() {
    while (at < text.size() && token()) {
    }
    if (failure)
      return std::move(*failure);
    return {};
  }

private:
  bool fail(std::string message) {
    failure = Error(std::move(message), {path, line, unsigned(at - lineStart + 1)});
    return false;
  }

  bool startsWith(std::string_view prefix) const {
    return text.substr(at, prefix.size()) == prefix;
  }

  /// Checks one character and steps over it.
  bool step() {
    unsigned char c = text[at];
    size_t length = c < 0x80 ? 1 : utf8Length(text, at);
    if (!length || (c < 0x20 && c != '\n' && c != '\t' && c != '\r')) {
      char shown[8];
      std::snprintf(shown, sizeof shown, "0x%02X", unsigned(c));
      return fail(std::string("not a text file; got byte ") + shown);
    }
    at += length;
    if (c == '\n') {
      ++line;
      lineStart = at;
    }
    return true;
  }

  bool token() {
    char c = text[at];
    if (c == '"')
      return string();
    if (startsWith("//"))
      return comment();
    if (std::isdigit(uint8_t(c)))
      return number();
    if (isWord(c)) {
      skipWord();
      return true;
    }
    if (c == '#' || c == '!')
      return alias();
    if (startsWith("->")) {
      at += 2;
      return true;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > maxSourceNesting)
        return tooDeep();
      defined.depth = std::max(defined.depth, depth);
    } else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth) {
      --depth;
    } else if (c == '\n' && depth == 0 && !name.empty()) {
      bool begun =
          at > valueAt &&
          text.substr(valueAt, at - valueAt).find_first_not_of(" \t\r\n") != std::string_view::npos;
      if (begun)
        define();
    }
    return step();
  }

  /// The definition that was being read is complete.
  void define() {
    if (!name.empty())
      aliases[name] = defined;
    name = {};
    defined = {};
  }

  bool tooDeep() {
    return fail("nesting deeper than " + std::to_string(maxSourceNesting) + " levels");
  }

  void skipWord() {
    while (at < text.size() && isWord(text[at]))
      ++at;
  }

  /// Steps over a string, from its opening quote; a line's end ends it too,
  /// and is the parser's to report.
  bool string() {
    bool escaped = false;
    do {
      escaped = !escaped && text[at] == '\\';
      if (!step())
        return false;
    } while (at < text.size() && text[at] != '\n' && (escaped || text[at] != '"'));
    return at >= text.size() || text[at] == '\n' || step();
  }

  bool comment() {
    while (at < text.size() && text[at] != '\n')
      if (!step())
        return false;
    return true;
  }

  bool number() {
    size_t end = at;
    while (end < text.size() && std::isxdigit(uint8_t(text[end])))
      ++end;
    if (end - at > maxSourceDigits)
      return fail("a number of more than " + std::to_string(maxSourceDigits) + " digits");
    at = end;
    return true;
  }

  /// A use of an alias, or the beginning of its definition: `#name = `.
  bool alias() {
    size_t start = at++;
    while (at < text.size() && (isWord(text[at]) || text[at] == '-'))
      ++at;
    std::string_view word = text.substr(start, at - start);
    size_t next = text.find_first_not_of(" \t\r\n", at);
    if (depth == 0 && next != std::string_view::npos && text[next] == '=') {
      define();
      name = word;
      valueAt = next + 1;
      return true;
    }
    auto known = aliases.find(word);
    if (known == aliases.end())
      return true;
    defined.parts += known->second.parts;
    defined.depth = std::max(defined.depth, depth + known->second.depth);
    at = start; // for the error
    if (depth + known->second.depth > maxSourceNesting)
      return tooDeep();
    if (!name.empty() && defined.parts > maxSourceParts)
      return fail("an alias that stands for more than " + std::to_string(maxSourceParts) +
                  " others");
    at += word.size();
    return true;
  }

  std::string_view text;
  const std::string &path;
  size_t at = 0;
  unsigned line = 1;
  size_t lineStart = 0;
  unsigned depth = 0;
  std::string_view name; ///< of the alias whose definition this is; empty: none
  size_t valueAt = 0;    ///< behind its equals sign
  Written defined;
  std::unordered_map<std::string_view, Written> aliases;
  std::optional<Error> failure;
};

} // namespace

Result<void> checkSourceText(std::string_view text, const std::string &path) {
  if (text.substr(0, 4) == "ML\xEFR")
    return Error("MLIR bytecode is not read; print the module as text", {path, 1, 1});
  return Scan(text, path).run();
}

Result<std::string> readSourceText(const std::string &path) {
  Result<std::string> contents = path == "-" ? readStandardInput() : readFile(path);
  if (!contents)
    return std::move(contents).error();
  if (path.ends_with(".py"))
    return Error("this is a Python program, not IR", {path, 1, 1},
                 "`tlx verify` and `tlx run` record what it launches, `tlx record` keeps the IR");
  std::string text = std::move(*contents);
  if (text.starts_with("\xEF\xBB\xBF")) // a byte order mark, which some editors write
    text.erase(0, 3);
  if (Result<void> checked = checkSourceText(text, path == "-" ? "<stdin>" : path); !checked)
    return std::move(checked).error();
  return text;
}

} // namespace tlx
