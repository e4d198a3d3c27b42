#include "compiler/ingest/ParserErrors.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace tlx {

/// The line of `location`, up to its column.
static StringRef lineBefore(Location location, StringRef text, StringRef file) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place || place.getFilename() != file)
    return "";
  for (unsigned line = 1; line < place.getLine() && !text.empty(); ++line)
    text = text.split('\n').second;
  return text.split('\n').first.take_front(place.getColumn() - 1);
}

/// The last string of `line` without its quotes: a generic operation's name.
static StringRef lastString(StringRef line) {
  size_t end = line.rfind('"');
  size_t start = end == StringRef::npos ? end : line.rfind('"', end);
  return start == StringRef::npos ? "" : line.slice(start + 1, end);
}

std::string parserMessage(Diagnostic &diagnostic, std::string_view text, std::string_view file) {
  std::string original = diagnostic.str();
  StringRef message = original;
  if (message.starts_with("operation being parsed with an unregistered dialect")) {
    StringRef name = lastString(lineBefore(diagnostic.getLocation(), {text.data(), text.size()},
                                           {file.data(), file.size()}));
    return ("unknown operation '" + name + "'").str();
  }
  if (StringRef name = message.split("not found for custom op '").second;
      message.starts_with("Dialect `") && !name.empty())
    return ("unknown operation '" + name.split('\'').first + "'").str();
  auto [subject, rest] = message.split(" created with unregistered dialect");
  if (rest.empty())
    return original;
  subject.consume_back(" attribute");
  subject.consume_back(" type");
  subject.consume_back(" : 'none'");
  subject = subject.trim('`');
  return ((subject.starts_with("#") ? "unknown attribute " : "unknown type ") + subject).str();
}

} // namespace tlx
