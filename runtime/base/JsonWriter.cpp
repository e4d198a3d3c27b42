//===- JsonWriter.cpp - JSON out -------------------------------------------===//
#include "runtime/base/Json.h"
#include "runtime/base/Utf8.h"

#include <charconv>
#include <cmath>

namespace tlx::json {

void Writer::newLine() {
  if (!pretty)
    return;
  out += '\n';
  out.append(2 * levels.size(), ' ');
}

/// Puts the comma and the line break that belong before the next value.
void Writer::separate() {
  if (afterKey) {
    afterKey = false;
    return;
  }
  if (levels.empty())
    return;
  Level &level = levels.back();
  if (!level.empty)
    out += level.isRow && pretty ? ", " : ",";
  if (!level.isRow)
    newLine();
  level.empty = false;
}

Writer &Writer::raw(std::string_view text) {
  separate();
  out += text;
  return *this;
}

Writer &Writer::beginObject() {
  raw("{");
  levels.push_back({false, true});
  return *this;
}

Writer &Writer::endObject() {
  bool empty = levels.back().empty;
  levels.pop_back();
  if (!empty)
    newLine();
  out += '}';
  return *this;
}

Writer &Writer::beginArray() {
  raw("[");
  levels.push_back({false, true});
  return *this;
}

Writer &Writer::beginRow() {
  raw("[");
  levels.push_back({true, true});
  return *this;
}

Writer &Writer::endArray() {
  Level level = levels.back();
  levels.pop_back();
  if (!level.empty && !level.isRow)
    newLine();
  out += ']';
  return *this;
}

Writer &Writer::key(std::string_view name) {
  separate();
  out += quoted(name);
  out += pretty ? ": " : ":";
  afterKey = true;
  return *this;
}

Writer &Writer::value(std::string_view text) { return raw(quoted(text)); }
Writer &Writer::value(bool flag) { return raw(flag ? "true" : "false"); }
Writer &Writer::value(int64_t number) { return raw(std::to_string(number)); }
Writer &Writer::value(uint64_t number) { return raw(std::to_string(number)); }
Writer &Writer::null() { return raw("null"); }

Writer &Writer::value(double number) {
  if (std::isnan(number))
    return value("nan");
  if (std::isinf(number))
    return value(number < 0 ? "-inf" : "inf");
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return raw(std::string_view(buffer, size_t(end - buffer)));
}

std::string quoted(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    size_t length = utf8Length(text, i);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (uint8_t(c) < 0x20)
      ((out += "\\u00") += digits[uint8_t(c) >> 4]) += digits[c & 15];
    else
      out.append(text, i, length);
    i += length;
  }
  return out += '"';
}

} // namespace tlx::json
