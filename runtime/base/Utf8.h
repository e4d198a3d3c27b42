//===- Utf8.h - well-formed UTF-8 -----------------------------------------===//
//
// Which bytes are text. Table 3-7 of the Unicode standard: overlong forms,
// surrogates and what lies above U+10FFFF are not.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tlx {

/// Length of the valid UTF-8 sequence that starts at `text[at]`, 0 if invalid
/// (overlong, surrogate, above U+10FFFF or cut short).
inline size_t utf8Length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> unsigned {
    return at + i < text.size() ? uint8_t(text[at + i]) : 0;
  };
  auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  unsigned first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first < 0xE0)
    return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    if (!tail(1) || !tail(2) || (first == 0xE0 && byte(1) < 0xA0) ||
        (first == 0xED && byte(1) >= 0xA0))
      return 0;
    return 3;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if (!tail(1) || !tail(2) || !tail(3) || (first == 0xF0 && byte(1) < 0x90) ||
        (first == 0xF4 && byte(1) >= 0x90))
      return 0;
    return 4;
  }
  return 0;
}

} // namespace tlx
