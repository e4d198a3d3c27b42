//===- JsonParser.cpp - text to json::Value -------------------------------===//
#include "runtime/base/File.h"
#include "runtime/base/Json.h"
#include "runtime/base/Utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tlx::json {
namespace {

void appendUtf8(std::string &out, uint32_t point) {
  if (point < 0x80) {
    out += char(point);
  } else if (point < 0x800) {
    out += char(0xC0 | point >> 6);
    out += char(0x80 | (point & 63));
  } else if (point < 0x10000) {
    out += char(0xE0 | point >> 12);
    out += char(0x80 | (point >> 6 & 63));
    out += char(0x80 | (point & 63));
  } else {
    out += char(0xF0 | point >> 18);
    out += char(0x80 | (point >> 12 & 63));
    out += char(0x80 | (point >> 6 & 63));
    out += char(0x80 | (point & 63));
  }
}

class Parser {
public:
  Parser(std::string_view text, std::string file, Limits limits)
      : text(text), file(std::move(file)), limits(limits) {}

  Result<Document> run() {
    if (text.size() > limits.maxBytes)
      return Error("larger than " + std::to_string(limits.maxBytes >> 20) + " MiB", {file, 0, 0});
    skipSpace();
    if (at == text.size())
      return Error("expected JSON, but the file is empty", {file, 1, 1});
    Document document;
    if (parseValue(document.root, 0)) {
      skipSpace();
      if (at != text.size())
        fail("expected the end of the file; got " + shown());
    }
    if (failure)
      return std::move(*failure);
    document.file = std::move(file);
    return document;
  }

private:
  unsigned column(size_t position) const { return unsigned(position - lineStart + 1); }

  bool fail(std::string message, std::string hint = {}) {
    return failAt(line, column(at), std::move(message), std::move(hint));
  }
  bool failAt(unsigned line, unsigned column, std::string message, std::string hint = {}) {
    if (!failure)
      failure = Error(std::move(message), {file, line, column}, std::move(hint));
    return false;
  }

  /// What stands at the cursor, for messages.
  std::string shown() const {
    if (at >= text.size())
      return "the end of the file";
    size_t length = utf8Length(text, at);
    auto byte = uint8_t(text[at]);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      static constexpr char digits[] = "0123456789abcdef";
      return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
    }
    return "'" + std::string(text.substr(at, length)) + "'";
  }

  void skipSpace() {
    for (; at < text.size(); ++at) {
      char c = text[at];
      if (c == '\n')
        ++line, lineStart = at + 1;
      else if (c != ' ' && c != '\t' && c != '\r')
        break;
    }
  }

  bool parseValue(Value &out, unsigned depth) {
    out.line = line;
    out.column = column(at);
    if (at == text.size())
      return fail("expected a value; got the end of the file");
    if (depth > limits.maxDepth)
      return fail("nested deeper than " + std::to_string(limits.maxDepth) + " levels");
    switch (text[at]) {
    case '{': return parseObject(out, depth);
    case '[': return parseArray(out, depth);
    case '"': {
      out.kind = Kind::String;
      std::string string;
      if (!parseString(string))
        return false;
      out.text = std::make_shared<const std::string>(std::move(string));
      return true;
    }
    case 't': return parseWord(out, "true", Kind::Bool, true);
    case 'f': return parseWord(out, "false", Kind::Bool, false);
    case 'n': return parseWord(out, "null", Kind::Null, false);
    default: return parseNumber(out);
    }
  }

  bool parseWord(Value &out, std::string_view word, Kind kind, bool value) {
    if (text.substr(at, word.size()) != word)
      return fail("expected a value; got " + shown());
    at += word.size();
    out.kind = kind;
    out.boolean = value;
    return true;
  }

  bool digit() const { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

  bool parseNumber(Value &out) {
    size_t start = at;
    out.negative = text[at] == '-';
    if (out.negative)
      ++at;
    if (!digit()) {
      std::string_view rest = text.substr(at);
      if (rest.substr(0, 3) == "NaN" || rest.substr(0, 8) == "Infinity")
        return fail("NaN and Infinity are not JSON numbers");
      return fail(out.negative ? "expected a digit after '-'; got " + shown()
                               : "expected a value; got " + shown());
    }
    bool whole = true;
    if (text[at] == '0') {
      ++at;
      if (digit())
        return fail("a number must not begin with 0");
    }
    while (digit())
      ++at;
    if (at < text.size() && text[at] == '.') {
      whole = false;
      ++at;
      if (!digit())
        return fail("expected a digit after '.'; got " + shown());
      while (digit())
        ++at;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
      whole = false;
      ++at;
      if (at < text.size() && (text[at] == '+' || text[at] == '-'))
        ++at;
      if (!digit())
        return fail("expected a digit of the exponent; got " + shown());
      while (digit())
        ++at;
    }
    const char *begin = text.data() + start, *end = text.data() + at;
    auto number = std::from_chars(begin, end, out.real);
    // Too small to represent is zero; too large is an error.
    if (number.ec == std::errc::result_out_of_range) {
      std::string copy(begin, end);
      out.real = std::strtod(copy.c_str(), nullptr);
      if (std::isinf(out.real))
        return failAt(out.line, out.column, "the number is too large");
    }
    out.kind = Kind::Real;
    if (whole) {
      auto integer = std::from_chars(begin + out.negative, end, out.magnitude);
      bool fits =
          integer.ec == std::errc() && (!out.negative || out.magnitude <= uint64_t(1) << 63);
      if (fits)
        out.kind = Kind::Integer;
    }
    return true;
  }

  bool parseHex4(uint32_t &out) {
    out = 0;
    for (int i = 0; i < 4; ++i, ++at) {
      char c = at < text.size() ? text[at] : 0;
      if (c >= '0' && c <= '9')
        out = out * 16 + uint32_t(c - '0');
      else if ((c | 32) >= 'a' && (c | 32) <= 'f')
        out = out * 16 + uint32_t((c | 32) - 'a' + 10);
      else
        return fail("expected four hexadecimal digits after \\u; got " + shown());
    }
    return true;
  }

  bool parseEscape(std::string &out) {
    ++at; // the backslash
    char c = at < text.size() ? text[at] : 0;
    static constexpr std::string_view plain = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (c != 'u') {
      size_t which = c ? plain.find(c) : std::string_view::npos;
      if (which == std::string_view::npos)
        return fail("unknown escape; got " + shown());
      out += meant[which];
      ++at;
      return true;
    }
    ++at;
    uint32_t point;
    if (!parseHex4(point))
      return false;
    if (point >= 0xD800 && point < 0xDC00) {
      uint32_t low;
      if (text.substr(at, 2) != "\\u")
        return fail("half of a surrogate pair");
      at += 2;
      if (!parseHex4(low))
        return false;
      if (low < 0xDC00 || low > 0xDFFF)
        return fail("half of a surrogate pair");
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    } else if (point >= 0xDC00 && point < 0xE000) {
      return fail("half of a surrogate pair");
    }
    appendUtf8(out, point);
    return true;
  }

  bool parseString(std::string &out) {
    unsigned startColumn = column(at);
    ++at; // the quote
    for (;;) {
      if (at == text.size())
        return failAt(line, startColumn, "the string does not end");
      char c = text[at];
      if (c == '"') {
        ++at;
        return true;
      }
      if (c == '\\') {
        if (!parseEscape(out))
          return false;
        continue;
      }
      if (uint8_t(c) < 0x20)
        return fail(c == '\n' ? "the string does not end on its line"
                              : "a control character in a string must be "
                                "written as \\u00XX; got " +
                                    shown());
      size_t length = utf8Length(text, at);
      if (length == 0)
        return fail("not UTF-8: " + shown());
      out.append(text, at, length);
      at += length;
    }
  }

  bool parseArray(Value &out, unsigned depth) {
    out.kind = Kind::Array;
    Value::Items items;
    ++at;
    skipSpace();
    if (at < text.size() && text[at] == ']') {
      ++at;
    } else {
      for (;;) {
        items.emplace_back();
        if (!parseValue(items.back(), depth + 1))
          return false;
        skipSpace();
        char c = at < text.size() ? text[at] : 0;
        if (c != ',' && c != ']')
          return fail("expected ',' or ']'; got " + shown());
        ++at;
        if (c == ']')
          break;
        skipSpace();
      }
    }
    out.items = std::make_shared<const Value::Items>(std::move(items));
    return true;
  }

  bool parseObject(Value &out, unsigned depth) {
    out.kind = Kind::Object;
    Value::Members members;
    struct KeyPlace {
      unsigned line, column;
    };
    std::vector<KeyPlace> places;
    ++at;
    skipSpace();
    if (at < text.size() && text[at] == '}') {
      ++at;
    } else {
      for (;;) {
        if (at == text.size() || text[at] != '"')
          return fail("expected a key in double quotes; got " + shown());
        places.push_back({line, column(at)});
        members.emplace_back();
        if (!parseString(members.back().first))
          return false;
        skipSpace();
        if (at == text.size() || text[at] != ':')
          return fail("expected ':'; got " + shown());
        ++at;
        skipSpace();
        if (!parseValue(members.back().second, depth + 1))
          return false;
        skipSpace();
        char c = at < text.size() ? text[at] : 0;
        if (c != ',' && c != '}')
          return fail("expected ',' or '}'; got " + shown());
        ++at;
        if (c == '}')
          break;
        skipSpace();
      }
    }
    std::vector<unsigned> order(members.size());
    for (unsigned i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      int which = members[a].first.compare(members[b].first);
      return which ? which < 0 : a < b;
    });
    for (size_t i = 1; i < order.size(); ++i)
      if (members[order[i]].first == members[order[i - 1]].first)
        return failAt(places[order[i]].line, places[order[i]].column,
                      "the key '" + members[order[i]].first + "' appears twice");
    out.members = std::make_shared<const Value::Members>(std::move(members));
    return true;
  }

  std::string_view text;
  std::string file;
  Limits limits;
  size_t at = 0, lineStart = 0;
  unsigned line = 1;
  std::optional<Error> failure;
};

} // namespace

Result<Document> parse(std::string_view text, std::string file, Limits limits) {
  return Parser(text, std::move(file), limits).run();
}

Result<Document> parseFile(const std::string &path, Limits limits) {
  Result<std::string> text = readFile(path, limits.maxBytes);
  if (!text)
    return std::move(text).error();
  return parse(*text, path, limits);
}

} // namespace tlx::json
