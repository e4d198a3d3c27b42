//===- Json.h - JSON with places ------------------------------------------===//
//
// Manifests, replay files and reports are JSON. Files that people write must
// be answered with "file:line:col", so every value remembers where it began.
// The parser is strict (RFC 8259): duplicate keys, NaN, comments, invalid
// UTF-8 and trailing text are errors, and nesting and size are bounded.
//
// Reading goes through Node, whose first failed access is remembered and whose
// later ones give defaults, so that a reader is a list of assignments:
//
//   json::Reader reader(document);
//   launch.kernel = reader.root()["kernel"].string();
//   launch.gridX = reader.root()["grid"][0].integer(1, 65535);
//   if (reader.failed()) return reader.error();
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/File.h"
#include "runtime/base/Result.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tlx::json {

enum class Kind : uint8_t { Null, Bool, Integer, Real, String, Array, Object };

/// One value of a parsed document. Immutable; copies share their contents.
class Value {
public:
  using Items = std::vector<Value>;
  using Members = std::vector<std::pair<std::string, Value>>;

  Kind kind = Kind::Null;
  bool boolean = false;
  bool negative = false; ///< of an Integer
  unsigned line = 0, column = 0;
  uint64_t magnitude = 0; ///< of an Integer
  double real = 0;        ///< of an Integer or Real
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const Items> items;
  std::shared_ptr<const Members> members; ///< in the order of the file
};

struct Document {
  std::string file;
  Value root;
};

struct Limits {
  uint64_t maxBytes = maxTextBytes;
  unsigned maxDepth = 100;
};

/// Parses a whole text; `file` is for messages.
Result<Document> parse(std::string_view text, std::string file, Limits limits = {});
Result<Document> parseFile(const std::string &path, Limits limits = {});

class Node;

/// Reads a document and keeps the first error.
class Reader {
public:
  explicit Reader(const Document &document) : document(document) {}
  Node root();
  bool failed() const { return firstError.has_value(); }
  const Error &error() const { return *firstError; }
  void fail(Error error) {
    if (!firstError)
      firstError = std::move(error);
  }

private:
  friend class Node;
  const Document &document;
  std::optional<Error> firstError;
};

/// A value seen through a Reader. Accessors of the wrong kind fail the reader
/// with "'path' must be …; got …" and return a default.
class Node {
public:
  Node(Reader &reader, const Value &value, std::string path)
      : reader(&reader), value(&value), path(std::move(path)) {}

  Kind kind() const { return value->kind; }
  bool isNull() const { return value->kind == Kind::Null; }
  /// Whether the reader has failed, here or elsewhere.
  bool failed() const { return reader->failed(); }
  SourceLocation location() const;
  /// Where in the document, e.g. "args[2].shape"; "" for the root.
  const std::string &where() const { return path; }
  /// Fails the reader at this place; `message` follows the path.
  void fail(const std::string &requirement) const;
  /// Fails with "'path' must be `expected`; got <this value>".
  void mustBe(const std::string &expected) const;
  /// The value as a message shows it: -4, "abc", an array, …
  std::string shown() const;

  /// A member that has to be there.
  Node operator[](std::string_view key) const;
  Node operator[](const char *key) const { return (*this)[std::string_view(key)]; }
  /// A member that may be missing; null counts as missing.
  std::optional<Node> find(std::string_view key) const;
  /// Keys of an object, in order.
  std::vector<std::string> keys() const;
  /// Fails on the first key that is not one of `known`.
  void onlyKeys(std::initializer_list<std::string_view> known) const;

  /// Elements of an array; 0 and a failure for anything else.
  size_t size() const;
  Node operator[](size_t index) const;
  Node operator[](int index) const { return (*this)[size_t(index)]; }

  int64_t integer(int64_t low = std::numeric_limits<int64_t>::min(),
                  int64_t high = std::numeric_limits<int64_t>::max()) const;
  uint64_t unsignedInteger(uint64_t high = std::numeric_limits<uint64_t>::max()) const;
  /// An integer in [-2^63, 2^64), as the 64 bits it has in memory.
  uint64_t integerBits() const;
  double number() const;
  bool boolean() const;
  std::string string() const;
  std::vector<int64_t> integers(int64_t low = std::numeric_limits<int64_t>::min(),
                                int64_t high = std::numeric_limits<int64_t>::max()) const;

private:
  Node dead() const;
  Reader *reader;
  const Value *value;
  std::string path;
};

/// Writes JSON as a stream. Keys keep the order in which they are written.
///
///   Writer out;
///   out.beginObject().key("cycles").value(812).endObject();
///   std::string text = std::move(out).str();
class Writer {
public:
  /// With `pretty`, two spaces of indentation; short arrays of plain values
  /// stay on one line when begun with beginRow.
  explicit Writer(bool pretty = false) : pretty(pretty) {}

  Writer &beginObject();
  Writer &endObject();
  Writer &beginArray();
  Writer &endArray();
  Writer &beginRow(); ///< an array on one line; ended by endArray
  Writer &key(std::string_view name);

  Writer &value(std::string_view text);
  Writer &value(const std::string &text) { return value(std::string_view(text)); }
  Writer &value(const char *text) { return value(std::string_view(text)); }
  Writer &value(bool flag);
  Writer &value(int number) { return value(int64_t(number)); }
  Writer &value(unsigned number) { return value(uint64_t(number)); }
  Writer &value(int64_t number);
  Writer &value(uint64_t number);
  /// Shortest form that reads back as the same double. NaN and infinities,
  /// which JSON lacks, become the strings "nan", "inf", "-inf".
  Writer &value(double number);
  Writer &null();
  template <typename T> Writer &row(const std::vector<T> &values) {
    beginRow();
    for (const T &item : values)
      value(item);
    return endArray();
  }

  const std::string &str() const & { return out; }
  std::string str() && { return std::move(out); }

private:
  void separate();
  void newLine();
  Writer &raw(std::string_view text);
  struct Level {
    bool isRow, empty;
  };
  std::string out;
  std::vector<Level> levels;
  bool pretty;
  bool afterKey = false;
};

/// `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
std::string quoted(std::string_view text);

} // namespace tlx::json
