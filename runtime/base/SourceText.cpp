#include "runtime/base/SourceText.h"

#include "runtime/base/File.h"
#include "runtime/base/Utf8.h"

#include <cstdio>
#include <iostream>
#include <iterator>

namespace tlx {
namespace {

/// Where the scan is, and how deep.
struct Scan {
  std::string_view text;
  const std::string &path;
  size_t at = 0;
  unsigned line = 1;
  size_t lineStart = 0;
  unsigned depth = 0;

  Error error(std::string message) const {
    return Error(std::move(message), {path, line, unsigned(at - lineStart + 1)});
  }

  bool startsWith(std::string_view prefix) const {
    return text.substr(at, prefix.size()) == prefix;
  }

  /// Checks one character and steps over it.
  Result<void> step() {
    unsigned char c = text[at];
    size_t length = utf8Length(text, at);
    if (!length || (c < 0x20 && c != '\n' && c != '\t' && c != '\r')) {
      char shown[8];
      std::snprintf(shown, sizeof shown, "0x%02X", unsigned(c));
      return error(std::string("not a text file; got byte ") + shown);
    }
    at += length;
    if (c == '\n') {
      ++line;
      lineStart = at;
    }
    return {};
  }

  /// Steps over a string, from its opening quote; a line's end ends it too,
  /// and is the parser's to report.
  Result<void> string() {
    bool escaped = false;
    do {
      escaped = !escaped && text[at] == '\\';
      if (Result<void> stepped = step(); !stepped)
        return stepped;
    } while (at < text.size() && text[at] != '\n' && (escaped || text[at] != '"'));
    return at < text.size() ? step() : Result<void>();
  }

  Result<void> comment() {
    while (at < text.size() && text[at] != '\n')
      if (Result<void> stepped = step(); !stepped)
        return stepped;
    return {};
  }

  Result<void> run() {
    while (at < text.size()) {
      char c = text[at];
      if (c == '"' || startsWith("//")) {
        if (Result<void> skipped = c == '"' ? string() : comment(); !skipped)
          return skipped;
        continue;
      }
      if (startsWith("->")) {
        at += 2;
        continue;
      }
      if (c == '(' || c == '[' || c == '{' || c == '<') {
        if (++depth > maxSourceNesting)
          return error("nesting deeper than " + std::to_string(maxSourceNesting) + " levels");
      } else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth) {
        --depth;
      }
      if (Result<void> stepped = step(); !stepped)
        return stepped;
    }
    return {};
  }
};

} // namespace

Result<void> checkSourceText(std::string_view text, const std::string &path) {
  if (text.substr(0, 4) == "ML\xEFR")
    return Error("MLIR bytecode is not read; print the module as text", {path, 1, 1});
  return Scan{text, path}.run();
}

Result<std::string> readSourceText(const std::string &path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    Result<std::string> contents = readFile(path);
    if (!contents)
      return std::move(contents).error();
    text = std::move(*contents);
  }
  if (Result<void> checked = checkSourceText(text, path == "-" ? "<stdin>" : path); !checked)
    return std::move(checked).error();
  return text;
}

} // namespace tlx
