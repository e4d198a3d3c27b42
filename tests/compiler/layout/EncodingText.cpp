#include "tests/compiler/layout/EncodingText.h"

#include <cctype>
#include <map>

namespace tlx::layout::test {

namespace {

/// A value of the attribute syntax: a word or number, a list, or a dictionary
/// (with the name of the attribute that it belongs to).
struct Value {
  std::string word;
  std::vector<Value> list;
  std::map<std::string, Value> fields;

  unsigned number() const { return unsigned(std::stoul(word)); }
  std::vector<unsigned> numbers() const {
    std::vector<unsigned> result;
    for (const Value &v : list)
      result.push_back(v.number());
    return result;
  }
  Bases bases() const {
    Bases result;
    for (const Value &v : list) {
      result.emplace_back();
      for (const Value &w : v.list)
        result.back().push_back(std::stoi(w.word));
    }
    return result;
  }
  bool has(const std::string &key) const { return fields.count(key); }
  const Value &operator[](const std::string &key) const {
    static const Value none;
    auto it = fields.find(key);
    return it == fields.end() ? none : it->second;
  }
  unsigned number(const std::string &key, unsigned otherwise) const {
    return has(key) ? (*this)[key].number() : otherwise;
  }
  bool flag(const std::string &key) const { return (*this)[key].word == "true"; }
};

class Reader {
public:
  explicit Reader(const std::string &text) : text(text) {}

  Value value() {
    skip();
    Value v;
    if (eat('[')) {
      while (!eat(']')) {
        v.list.push_back(value());
        eat(',');
      }
      return v;
    }
    if (eat('{')) {
      fieldsUntil(v, '}');
      return v;
    }
    if (peek() == '#') {
      v.word = word();
      eat('<');
      if (eat('{')) {
        fieldsUntil(v, '}');
        if (eat(','))
          fieldsUntil(v, '>');
        else
          eat('>');
      } else {
        fieldsUntil(v, '>');
      }
      return v;
    }
    v.word = word();
    return v;
  }

private:
  /// "[512:+16, ...] {" of padded_shared is not read: tests build that struct.
  void fieldsUntil(Value &v, char close) {
    while (!eat(close) && at < text.size()) {
      const std::string key = word();
      eat('=');
      v.fields[key] = value();
      eat(',');
    }
  }
  void skip() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  char peek() { return at < text.size() ? text[at] : 0; }
  bool eat(char c) {
    skip();
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  std::string word() {
    skip();
    std::string w;
    while (at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' ||
            text[at] == '#' || text[at] == '.' || text[at] == '-'))
      w += text[at++];
    if (w.empty() && at < text.size())
      ++at;
    return w;
  }

  const std::string &text;
  size_t at = 0;
};

EncodingPtr build(const Value &v) {
  const std::string &n = v.word;
  const Bases cga = v["CGALayout"].bases();
  if (n == "#ttg.blocked")
    return makeEncoding(BlockedEncoding{v["sizePerThread"].numbers(), v["threadsPerWarp"].numbers(),
                                        v["warpsPerCTA"].numbers(), v["order"].numbers(), cga});
  if (n == "#ttg.linear" || n == "#ttg.generic_linear")
    return makeEncoding(LinearEncoding{v["register"].bases(), v["lane"].bases(), v["warp"].bases(),
                                       v["block"].bases(), n == "#ttg.generic_linear"});
  if (n == "#ttg.slice")
    return makeEncoding(SliceEncoding{v["dim"].number(), build(v["parent"])});
  if (n == "#ttg.dot_op")
    return makeEncoding(
        DotOperandEncoding{v["opIdx"].number(), build(v["parent"]), v.number("kWidth", 0)});
  if (n == "#ttg.nvidia_mma")
    return makeEncoding(NvidiaMmaEncoding{v["versionMajor"].number(), v["versionMinor"].number(),
                                          v["warpsPerCTA"].numbers(), v["instrShape"].numbers(),
                                          cga});
  if (n == "#ttg.amd_mfma")
    return makeEncoding(AmdMfmaEncoding{
        v["version"].number(), v["warpsPerCTA"].numbers(), v["instrShape"].numbers(),
        v.flag("isTransposed"), v["tilesPerWarp"].numbers(), v.number("elementBitWidth", 32), cga});
  if (n == "#ttg.amd_wmma") {
    AmdWmmaEncoding e{v["version"].number(), v.flag("isTranspose"),
                      v["ctaLayout"]["register"].bases(), v["ctaLayout"]["warp"].bases()};
    if (v.has("instrShape"))
      e.instrShape = v["instrShape"].numbers();
    e.cga = cga;
    return makeEncoding(e);
  }
  if (n == "#ttg.swizzled_shared")
    return makeEncoding(SwizzledSharedEncoding{v["vec"].number(), v["perPhase"].number(),
                                               v["maxPhase"].number(), v["order"].numbers(), cga});
  if (n == "#ttg.amd_rotating_shared")
    return makeEncoding(AmdRotatingSharedEncoding{v["vec"].number(), v["perPhase"].number(),
                                                  v["maxPhase"].number(), v["order"].numbers(),
                                                  cga});
  if (n == "#ttg.nvmma_shared")
    return makeEncoding(NvmmaSharedEncoding{v["swizzlingByteWidth"].number(), v.flag("transposed"),
                                            v["elementBitWidth"].number(), v.flag("fp4Padded"),
                                            v.number("rank", 2), cga});
  if (n == "#ttg.shared_linear")
    return makeEncoding(
        SharedLinearEncoding{v["offset"].bases(), v["block"].bases(), v.number("alignment", 16)});
  if (n == "#ttg.partitioned_shared")
    return makeEncoding(
        PartitionedSharedEncoding{v["numPartitions"].number(), v["numGroups"].number(),
                                  v["partitionDim"].number(), build(v["partitionLayout"])});
  if (n == "#ttng.tensor_memory_encoding") {
    TensorMemoryEncoding e{v["blockM"].number(), v["blockN"].number(), v.number("colStride", 1),
                           v.flag("twoCTAs")};
    if (v["ctaMode"].word == "twocta_lhs")
      e.ctaMode = TensorMemoryCtaMode::TwoCtaLhs;
    if (v["ctaMode"].word == "twocta_rhs")
      e.ctaMode = TensorMemoryCtaMode::TwoCtaRhs;
    e.fp4Padded = v.flag("fp4Padded");
    e.cga = cga;
    return makeEncoding(e);
  }
  if (n == "#ttng.tensor_memory_scales_encoding")
    return makeEncoding(TensorMemoryScalesEncoding{v["blockRepOrder"].word == "kThenMn", cga});
  return nullptr;
}

} // namespace

EncodingPtr parseEncoding(const std::string &text) { return build(Reader(text).value()); }

Bases parseBases(const std::string &text) { return Reader(text).value().bases(); }

std::vector<int64_t> parseShape(const std::string &text) {
  std::vector<int64_t> shape;
  size_t at = 0;
  while (at < text.size()) {
    size_t used = 0;
    shape.push_back(std::stoll(text.substr(at), &used));
    at += used + 1;
  }
  return shape;
}

} // namespace tlx::layout::test
