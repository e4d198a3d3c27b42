//===- Npy.cpp -------------------------------------------------------------===//
#include "runtime/base/Npy.h"

#include "runtime/base/File.h"

#include <cstring>
#include <optional>

namespace tlx::npy {
namespace {

struct Descr {
  const char *text; ///< NumPy's type string, without its byte order
  DType type;
};
constexpr Descr descrs[] = {
    {"b1", DType::i1},  {"i1", DType::i8},  {"i2", DType::i16}, {"i4", DType::i32},
    {"i8", DType::i64}, {"u1", DType::u8},  {"u2", DType::u16}, {"u4", DType::u32},
    {"u8", DType::u64}, {"f2", DType::f16}, {"f4", DType::f32}, {"f8", DType::f64},
};

/// Reads the header's Python dict: the three keys that the format defines, in
/// any order, and nothing else.
class Header {
public:
  Header(std::string_view text, const std::string &file) : text(text), file(file) {}

  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;

  std::optional<Error> parse() {
    if (!eat('{'))
      return error("expected '{' at the beginning of the header");
    bool seen[3] = {};
    while (!eat('}')) {
      std::string key;
      if (!string(key) || !eat(':'))
        return error("expected \"'key':\" in the header");
      static constexpr const char *keys[] = {"descr", "fortran_order", "shape"};
      int which = 0;
      while (which < 3 && key != keys[which])
        ++which;
      if (which == 3)
        return error("unknown key '" + key + "' in the header");
      if (seen[which])
        return error("the key '" + key + "' appears twice in the header");
      seen[which] = true;
      if (auto bad = which == 0 ? parseDescr() : which == 1 ? parseOrder() : parseShape())
        return bad;
      if (!eat(',') && peek() != '}')
        return error("expected ',' or '}' in the header");
    }
    if (!seen[0] || !seen[1] || !seen[2])
      return error("the header must have descr, fortran_order and shape");
    if (peek())
      return error("text after the header's dict");
    return std::nullopt;
  }

private:
  Error error(std::string message) const {
    return Error("not a .npy file that can be read: " + message, {file, 0, 0});
  }

  char peek() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
    return at < text.size() ? text[at] : 0;
  }
  bool eat(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  bool string(std::string &out) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, at + 1);
    if (end == std::string_view::npos)
      return false;
    out = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }

  std::optional<Error> parseDescr() {
    if (!string(descr))
      return error("structured types are not supported");
    return std::nullopt;
  }
  std::optional<Error> parseOrder() {
    (void)peek();
    for (bool value : {false, true}) {
      std::string_view word = value ? "True" : "False";
      if (text.substr(at, word.size()) == word) {
        at += word.size();
        fortran = value;
        return std::nullopt;
      }
    }
    return error("fortran_order must be True or False");
  }
  std::optional<Error> parseShape() {
    if (!eat('('))
      return error("shape must be a tuple");
    while (!eat(')')) {
      int64_t value = 0;
      bool any = false;
      for (char c = peek(); c >= '0' && c <= '9'; c = at < text.size() ? text[at] : 0) {
        if (__builtin_mul_overflow(value, int64_t(10), &value) ||
            __builtin_add_overflow(value, int64_t(c - '0'), &value))
          return error("a size in shape is too large");
        any = true;
        ++at;
      }
      if (!any)
        return error("shape must hold non-negative integers");
      shape.push_back(value);
      if (shape.size() > 32)
        return error("more than 32 dimensions");
      if (!eat(',') && peek() != ')')
        return error("expected ',' or ')' in shape");
    }
    return std::nullopt;
  }

  std::string_view text;
  const std::string &file;
  size_t at = 0;
};

/// Element count of a shape, or nothing when its bytes exceed 2^48.
std::optional<uint64_t> elementCount(const std::vector<int64_t> &shape) {
  uint64_t count = 1;
  for (int64_t size : shape)
    if (size == 0)
      return 0;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(count, uint64_t(size), &count) || count > uint64_t(1) << 45)
      return std::nullopt;
  return count;
}

std::string toRowMajor(const Array &array, std::string_view data) {
  size_t width = byteWidth(array.type), rank = array.shape.size();
  std::vector<int64_t> index(rank, 0);
  std::string out(data.size(), '\0');
  std::vector<uint64_t> stride(rank, 1);
  for (size_t d = 1; d < rank; ++d)
    stride[d] = stride[d - 1] * uint64_t(array.shape[d - 1]);
  for (size_t to = 0; to < data.size(); to += width) {
    uint64_t from = 0;
    for (size_t d = 0; d < rank; ++d)
      from += uint64_t(index[d]) * stride[d];
    std::memcpy(out.data() + to, data.data() + from * width, width);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < array.shape[d])
        break;
      index[d] = 0;
    }
  }
  return out;
}

} // namespace

DType storedType(DType type) {
  switch (type) {
  case DType::bf16: return DType::u16;
  case DType::f8E4M3FN:
  case DType::f8E5M2:
  case DType::f8E4M3FNUZ:
  case DType::f8E5M2FNUZ:
  case DType::f8E4M3B11FNUZ:
  case DType::f8E8M0FNU:
  case DType::f4E2M1: return DType::u8;
  default: return type;
  }
}

Result<Array> parse(std::string_view contents, const std::string &file) {
  auto error = [&](std::string message) {
    return Error("not a .npy file that can be read: " + std::move(message), {file, 0, 0});
  };
  constexpr std::string_view magic("\x93NUMPY", 6);
  if (contents.substr(0, magic.size()) != magic)
    return error("it does not begin with \\x93NUMPY");
  if (contents.size() < 10)
    return error("cut short in its header");
  auto byte = [&](size_t at) { return uint64_t(uint8_t(contents[at])); };
  unsigned major = unsigned(byte(6));
  if (major < 1 || major > 3)
    return error("unknown version " + std::to_string(major));
  size_t start = major == 1 ? 10 : 12;
  if (contents.size() < start)
    return error("cut short in its header");
  uint64_t length = byte(8) | byte(9) << 8;
  if (major > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  if (length > contents.size() - start)
    return error("cut short in its header");
  Header header(contents.substr(start, length), file);
  if (auto bad = header.parse())
    return std::move(*bad);

  Array array;
  const std::string &descr = header.descr;
  const Descr *found = nullptr;
  bool order = !descr.empty() && std::string_view("<|=").find(descr[0]) != std::string_view::npos;
  for (const Descr &candidate : descrs)
    if (order && descr.substr(1) == candidate.text)
      found = &candidate;
  if (!found)
    return error("elements of type '" + descr + "' are not supported" +
                 (!descr.empty() && descr[0] == '>' ? " (big-endian)" : ""));
  array.type = found->type;
  array.shape = std::move(header.shape);
  auto count = elementCount(array.shape);
  std::string_view data = contents.substr(start + length);
  if (!count || data.size() != *count * byteWidth(array.type))
    return error(
        "its header announces " +
        (count ? std::to_string(*count * byteWidth(array.type)) : std::string("too many")) +
        " bytes of data; it has " + std::to_string(data.size()));
  if (header.fortran && array.shape.size() > 1)
    array.bytes = toRowMajor(array, data);
  else
    array.bytes = std::string(data);
  return array;
}

Result<Array> read(const std::string &path) {
  Result<std::string> contents = readFile(path, uint64_t(1) << 32);
  if (!contents)
    return std::move(contents).error();
  return parse(*contents, path);
}

static std::string header(DType type, const std::vector<int64_t> &shape) {
  const char *text = "u1";
  for (const Descr &descr : descrs)
    if (descr.type == storedType(type))
      text = descr.text;
  std::string dict = "{'descr': '";
  dict += byteWidth(type) == 1 ? '|' : '<';
  dict += text;
  dict += "', 'fortran_order': False, 'shape': (";
  for (int64_t size : shape)
    dict += std::to_string(size) + ", ";
  if (shape.size() == 1)
    dict.pop_back(); // "(4,)"
  else if (!shape.empty())
    dict.resize(dict.size() - 2); // "(4, 5)"
  dict += "), }";
  // The data begins at a multiple of 64.
  size_t length = (10 + dict.size() + 1 + 63) / 64 * 64 - 10;
  dict.append(length - 1 - dict.size(), ' ');
  dict += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += char(length & 255);
  out += char(length >> 8);
  return out + dict;
}

std::string print(DType type, const std::vector<int64_t> &shape, std::string_view bytes) {
  return header(type, shape).append(bytes);
}

Result<void> write(const std::string &path, DType type, const std::vector<int64_t> &shape,
                   std::string_view bytes) {
  return writeFile(path, print(type, shape, bytes));
}

} // namespace tlx::npy
