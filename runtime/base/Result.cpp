//===- Result.cpp ----------------------------------------------------------===//
#include "runtime/base/Result.h"

namespace tlx {

std::string SourceLocation::str() const {
  std::string out = file;
  if (line) {
    if (!out.empty())
      out += ':';
    out += std::to_string(line);
    if (column)
      out += ':' + std::to_string(column);
  }
  return out;
}

static std::string prefixed(const SourceLocation &location, const char *kind,
                            const std::string &message) {
  // What is quoted from the input may be of any length.
  constexpr size_t longest = 4096;
  std::string place = location.str();
  std::string out = place.empty() ? "" : place + ": ";
  out += std::string(kind) + ": ";
  if (message.size() <= longest)
    return out + message;
  size_t end = longest;
  while ((message[end] & 0xC0) == 0x80) // within a character
    --end;
  return out + message.substr(0, end) + "...";
}

std::string Error::str() const {
  std::string out = prefixed(location, "error", message);
  for (const ErrorNote &note : notes)
    out += '\n' + prefixed(note.location, "note", note.message);
  if (!hint.empty())
    out += "\nhint: " + hint;
  return out;
}

} // namespace tlx
