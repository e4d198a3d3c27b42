//===- JsonReader.cpp - typed, located access to a json::Document ---------===//
#include "runtime/base/Json.h"

#include <algorithm>

namespace tlx::json {

Node Reader::root() { return Node(*this, document.root, ""); }

SourceLocation Node::location() const {
  return {reader->document.file, value->line, value->column};
}

void Node::fail(const std::string &requirement) const {
  std::string subject = path.empty() ? "the file" : "'" + path + "'";
  reader->fail(Error(subject + " " + requirement, location()));
}

void Node::mustBe(const std::string &expected) const {
  fail("must be " + expected + "; got " + shown());
}

std::string Node::shown() const {
  switch (value->kind) {
  case Kind::Null: return "null";
  case Kind::Bool: return value->boolean ? "true" : "false";
  case Kind::Integer: return (value->negative ? "-" : "") + std::to_string(value->magnitude);
  case Kind::Real: return Writer().value(value->real).str();
  case Kind::String:
    return value->text->size() > 60 ? quoted(value->text->substr(0, 57)) + "..."
                                    : quoted(*value->text);
  case Kind::Array: return "an array";
  case Kind::Object: return "an object";
  }
  return "?";
}

/// Stands for what a failed access would have given.
Node Node::dead() const {
  static const Value null;
  return Node(*reader, null, path);
}

Node Node::operator[](std::string_view key) const {
  if (value->kind != Kind::Object) {
    mustBe("an object");
    return dead();
  }
  for (const auto &[name, member] : *value->members)
    if (name == key)
      return Node(*reader, member, path.empty() ? std::string(key) : path + "." + std::string(key));
  fail("has no key '" + std::string(key) + "'");
  return dead();
}

std::optional<Node> Node::find(std::string_view key) const {
  if (value->kind != Kind::Object) {
    mustBe("an object");
    return std::nullopt;
  }
  for (const auto &[name, member] : *value->members)
    if (name == key && member.kind != Kind::Null)
      return (*this)[key];
  return std::nullopt;
}

std::vector<std::string> Node::keys() const {
  std::vector<std::string> out;
  if (value->kind != Kind::Object) {
    mustBe("an object");
    return out;
  }
  for (const auto &member : *value->members)
    out.push_back(member.first);
  return out;
}

void Node::onlyKeys(std::initializer_list<std::string_view> known) const {
  for (const std::string &key : keys())
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      (*this)[std::string_view(key)].fail("is not a key that is known here");
      return;
    }
}

size_t Node::size() const {
  if (value->kind != Kind::Array) {
    mustBe("an array");
    return 0;
  }
  return value->items->size();
}

Node Node::operator[](size_t index) const {
  size_t count = size();
  if (index >= count) {
    if (value->kind == Kind::Array)
      fail("must have at least " + std::to_string(index + 1) + " elements; got " +
           std::to_string(count));
    return dead();
  }
  return Node(*reader, (*value->items)[index], path + "[" + std::to_string(index) + "]");
}

int64_t Node::integer(int64_t low, int64_t high) const {
  auto expected = [&]() -> std::string {
    bool lowest = low == std::numeric_limits<int64_t>::min();
    bool highest = high == std::numeric_limits<int64_t>::max();
    if (lowest && highest)
      return "an integer";
    if (highest)
      return "an integer of at least " + std::to_string(low);
    if (lowest)
      return "an integer of at most " + std::to_string(high);
    return "an integer from " + std::to_string(low) + " to " + std::to_string(high);
  };
  bool representable =
      value->kind == Kind::Integer && (value->negative || value->magnitude <= uint64_t(INT64_MAX));
  if (representable) {
    auto bits = value->negative ? 0 - value->magnitude : value->magnitude;
    auto number = int64_t(bits);
    if (number >= low && number <= high)
      return number;
  }
  mustBe(expected());
  return low > 0 ? low : 0;
}

uint64_t Node::unsignedInteger(uint64_t high) const {
  bool fits = value->kind == Kind::Integer && (!value->negative || value->magnitude == 0) &&
              value->magnitude <= high;
  if (fits)
    return value->magnitude;
  mustBe(high == std::numeric_limits<uint64_t>::max()
             ? "a non-negative integer"
             : "an integer from 0 to " + std::to_string(high));
  return 0;
}

uint64_t Node::integerBits() const {
  if (value->kind == Kind::Integer)
    return value->negative ? 0 - value->magnitude : value->magnitude;
  mustBe("an integer of at most 64 bits");
  return 0;
}

double Node::number() const {
  if (value->kind == Kind::Integer || value->kind == Kind::Real)
    return value->real;
  mustBe("a number");
  return 0;
}

bool Node::boolean() const {
  if (value->kind == Kind::Bool)
    return value->boolean;
  mustBe("true or false");
  return false;
}

std::string Node::string() const {
  if (value->kind == Kind::String)
    return *value->text;
  mustBe("a string");
  return {};
}

std::vector<int64_t> Node::integers(int64_t low, int64_t high) const {
  std::vector<int64_t> out;
  for (size_t i = 0, count = size(); i < count && !reader->failed(); ++i)
    out.push_back((*this)[i].integer(low, high));
  return out;
}

} // namespace tlx::json
