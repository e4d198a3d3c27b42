//===- ManifestArgument.cpp -------------------------------------------------===//
#include "runtime/loader/ManifestArgument.h"

#include "runtime/base/File.h"
#include "runtime/loader/FillData.h"

#include <algorithm>
#include <cmath>

namespace tlx {
namespace {

/// No allocation is larger: sizes and byte addresses stay far from overflow.
constexpr int64_t maxExtent = int64_t(1) << 40;

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

/// A number, or one of the names for what JSON lacks.
double readReal(json::Node node) {
  if (node.kind() != json::Kind::String)
    return node.number();
  std::string text = node.string();
  if (text == "nan")
    return std::nan("");
  if (text == "inf" || text == "-inf")
    return text == "inf" ? HUGE_VAL : -HUGE_VAL;
  node.mustBe("a number, \"nan\", \"inf\" or \"-inf\"");
  return 0;
}

/// One element of `type`, rounded as fills are.
uint64_t readElement(json::Node node, DType type) {
  if (node.kind() == json::Kind::Bool)
    return fromDouble(type, node.boolean());
  if (isFloat(type))
    return fillElement(type, readReal(node));
  uint64_t bits = node.integerBits();
  if (type == DType::i1)
    return bits != 0;
  unsigned width = bitWidth(type);
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

void readFill(json::Node node, const std::string &folder, Argument &out) {
  Fill &fill = out.data;
  fill.location = node.location();
  if (auto file = node.find("file")) {
    fill.kind = Fill::Kind::File;
    std::string name = file->string();
    if (name.empty())
      file->fail("must name a .npy file; it is empty");
    fill.path = joinPath(folder, name);
    fill.location = file->location();
    return;
  }
  json::Node kind = node["fill"];
  std::string text = kind.string();
  if (text == "zeros")
    return;
  if (text == "constant") {
    fill.kind = Fill::Kind::Constant;
    json::Node value = node["value"];
    fill.value = value.kind() == json::Kind::Bool ? value.boolean() : readReal(value);
  } else if (text == "values") {
    fill.kind = Fill::Kind::Values;
    json::Node values = node["values"];
    size_t count = values.size();
    if (values.kind() == json::Kind::Array && int64_t(count) != out.numElements())
      values.fail("has " + std::to_string(count) + " elements; the shape " +
                  shapeText(out.dataShape()) + " needs " + std::to_string(out.numElements()));
    else
      for (size_t i = 0; i < count; ++i)
        fill.bits.push_back(readElement(values[i], out.dtype));
  } else if (text == "uniform" || text == "uniform_int") {
    fill.kind = text == "uniform" ? Fill::Kind::Uniform : Fill::Kind::UniformInt;
    fill.seed = node["seed"].unsignedInteger();
    fill.low = node["lo"].number();
    fill.high = node["hi"].number();
    if (fill.low > fill.high)
      node["hi"].fail("must not be less than lo");
  } else {
    kind.mustBe("\"zeros\", \"constant\", \"values\", \"uniform\" or "
                "\"uniform_int\"");
  }
}

/// Whether the views lie within an allocation of sane size.
bool checkExtent(json::Node node, const Argument &argument) {
  int64_t count = 1, last = argument.offset;
  bool bad = false;
  for (int64_t size : argument.dataShape())
    bad = bad || __builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count) ||
          count > maxExtent;
  for (size_t d = 0; d < argument.shape.size(); ++d) {
    int64_t step, size = std::max<int64_t>(argument.shape[d], 1);
    bad = bad || __builtin_mul_overflow(size - 1, argument.strides[d], &step) ||
          __builtin_add_overflow(last, step, &last) || last > maxExtent;
  }
  if (bad)
    node.fail("describes more than 2^40 elements");
  return !bad;
}

void readMemory(json::Node node, const std::string &folder, Argument &out) {
  bool descriptor = out.kind == Argument::Kind::TensorDesc;
  json::Node dtype = node["dtype"];
  std::string text = dtype.string();
  if (auto type = parseDType(text))
    out.dtype = *type;
  else
    dtype.mustBe("an element type such as \"f16\", \"bf16\", \"f8E4M3FN\" or "
                 "\"i32\"");
  out.shape = node["shape"].integers(0, maxExtent);
  json::Node strides = node["strides"];
  out.strides = strides.integers(0, maxExtent);
  if (out.strides.size() != out.shape.size())
    strides.fail("must have one element for each of the " + std::to_string(out.shape.size()) +
                 " of 'shape'; got " + std::to_string(out.strides.size()));
  out.storage = node["storage"].integer(0, 1 << 20);
  out.offset = node["offset"].integer(0, maxExtent);
  if (auto base = node.find("base_shape"))
    out.baseShape = base->integers(0, maxExtent);
  if (descriptor) {
    json::Node block = node["block_shape"];
    out.blockShape = block.integers(1, 65536);
    if (out.blockShape.size() != out.shape.size())
      block.fail("must have one element for each of the " + std::to_string(out.shape.size()) +
                 " of 'shape'; got " + std::to_string(out.blockShape.size()));
    if (out.shape.empty() || out.shape.size() > 5)
      node["shape"].fail("of a descriptor must have 1 to 5 dimensions; got " +
                         std::to_string(out.shape.size()));
    if (auto padding = node.find("padding")) {
      std::string text = padding->string();
      out.paddingNan = text == "nan";
      if (text != "nan" && text != "zero")
        padding->mustBe("\"zero\" or \"nan\"");
    }
  }
  if (node.failed() || !checkExtent(node, out))
    return;
  readFill(node["data"], folder, out);
}

void readScalar(json::Node node, Argument &out) {
  json::Node type = node["type"];
  out.type = type.string();
  auto parsed = parseDType(out.type);
  if (!parsed) {
    type.mustBe("a scalar type such as \"i32\", \"i64\", \"u1\" or \"fp32\"");
    return;
  }
  out.scalarType = *parsed;
  json::Node value = node["value"];
  if (isFloat(*parsed) || value.kind() == json::Kind::Bool) {
    out.bits = readElement(value, *parsed);
    return;
  }
  // The front end passes an integer as signed or as unsigned of its width.
  unsigned width = bitWidth(*parsed);
  if (width == 64) {
    out.bits = value.integerBits();
    return;
  }
  int64_t low = isSigned(*parsed) ? -(int64_t(1) << (width - 1)) : 0;
  int64_t high = (int64_t(1) << (width - isSigned(*parsed))) - 1;
  out.bits = uint64_t(value.integer(low, high)) & ((uint64_t(1) << width) - 1);
}

} // namespace

std::vector<int64_t> Argument::dataStrides() const {
  bool whole = baseShape.empty() || baseShape == shape;
  return whole ? strides : std::vector<int64_t>();
}

int64_t Argument::numElements() const {
  int64_t count = 1;
  for (int64_t size : dataShape())
    count *= size;
  return count;
}

/// Elements from a view's first to its last one, both included.
static int64_t span(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides) {
  int64_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0)
      return 0;
    last += (shape[d] - 1) * strides[d];
  }
  return last + 1;
}

int64_t Argument::extent() const {
  int64_t data = dataStrides().empty() ? numElements() : span(shape, strides);
  return offset + std::max(data, span(shape, strides));
}

void readArgument(json::Node node, const std::string &name, const std::string &folder,
                  std::vector<Argument> &out) {
  Argument argument;
  argument.location = node.location();
  argument.name = name;
  if (auto given = node.find("name"))
    argument.name = given->string();
  json::Node kind = node["kind"];
  std::string text = kind.string();
  if (text == "tuple") {
    json::Node items = node["items"];
    for (size_t i = 0, count = items.size(); i < count && !node.failed(); ++i)
      readArgument(items[i], argument.name + "." + std::to_string(i), folder, out);
    return;
  }
  bool scalar = text == "scalar";
  if (!scalar)
    if (auto type = node.find("type"))
      argument.type = type->string();
  if (text == "pointer" || text == "tensordesc") {
    argument.kind = text == "pointer" ? Argument::Kind::Pointer : Argument::Kind::TensorDesc;
    readMemory(node, folder, argument);
  } else if (scalar) {
    argument.kind = Argument::Kind::Scalar;
    readScalar(node, argument);
  } else if (text != "null") {
    kind.mustBe("\"pointer\", \"tensordesc\", \"scalar\", \"tuple\" or "
                "\"null\"");
  }
  out.push_back(std::move(argument));
}

} // namespace tlx
