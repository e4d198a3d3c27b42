//===- Parameters.cpp - does this manifest fit that kernel? ---------------===//
#include "runtime/loader/Arguments.h"

#include <algorithm>

namespace tlx {
namespace {

using Type = ParameterType;
using Value = ParameterValue;

/// Memory holds bits: an integer view of a float of its width is fine, another
/// float format is a mistake.
bool memoryFits(DType argument, DType parameter) {
  if (argument == parameter)
    return true;
  return byteWidth(argument) == byteWidth(parameter) &&
         (isInteger(argument) || isInteger(parameter));
}

bool scalarFits(DType argument, DType parameter) {
  return argument == parameter ||
         (isInteger(argument) && isInteger(parameter) && bitWidth(argument) == bitWidth(parameter));
}

std::string listText(const std::vector<int64_t> &values) {
  std::string out;
  for (int64_t value : values)
    out += (out.empty() ? "" : "x") + std::to_string(value);
  return out;
}

class Binder {
public:
  Binder(const Manifest &manifest, const std::vector<Type> &parameters)
      : manifest(manifest), parameters(parameters) {}

  Result<std::vector<Value>> run() {
    for (size_t i = 0; i < manifest.arguments.size() && !failure; ++i)
      bindArgument(i);
    if (!failure && values.size() < parameters.size())
      fail(Error("the manifest gives " + std::to_string(values.size()) + " parameter values; @" +
                     manifest.kernel + " takes " + std::to_string(parameters.size()),
                 {manifest.file, 0, 0})
               .withNote("no argument for " + shown(values.size()),
                         parameters[values.size()].location));
    if (failure)
      return std::move(*failure);
    return std::move(values);
  }

private:
  void fail(Error error) {
    if (!failure)
      failure = std::move(error);
  }

  std::string shown(size_t position) const {
    const Type &type = parameters[position];
    return "parameter " + std::to_string(position) +
           (type.name.empty() ? "" : " '" + type.name + "'") +
           (type.spelling.empty() ? "" : " of type " + type.spelling);
  }

  /// The next parameter, or null after having failed.
  const Type *next(const Argument &argument, const std::string &what) {
    if (values.size() < parameters.size())
      return &parameters[values.size()];
    fail(Error("@" + manifest.kernel + " takes " + std::to_string(parameters.size()) +
                   " parameters; there is none left for " + what,
               argument.location));
    return nullptr;
  }

  void mismatch(const Argument &argument, const std::string &what) {
    size_t position = values.size();
    fail(Error(what + " does not fit " + shown(position), argument.location)
             .withNote("the parameter is here", parameters[position].location));
  }

  void bindArgument(size_t index) {
    const Argument &argument = manifest.arguments[index];
    std::string label =
        argument.name.empty() ? "args[" + std::to_string(index) + "]" : "'" + argument.name + "'";
    switch (argument.kind) {
    case Argument::Kind::Null: return;
    case Argument::Kind::Scalar:
      return scalar(argument, index, label, argument.scalarType, argument.bits);
    case Argument::Kind::Pointer: return memory(argument, index, label, false);
    case Argument::Kind::TensorDesc: return descriptor(argument, index, label);
    }
  }

  void scalar(const Argument &argument, size_t index, const std::string &label, DType type,
              uint64_t bits) {
    const Type *parameter = next(argument, label);
    if (!parameter)
      return;
    if (parameter->kind != Type::Kind::Scalar || !scalarFits(type, parameter->element))
      return mismatch(argument, label + ", a scalar of type " + name(type) + ",");
    Value value;
    value.argument = index;
    value.type = type;
    value.bits = bits;
    values.push_back(value);
  }

  void memory(const Argument &argument, size_t index, const std::string &label, bool isDescriptor) {
    const Type *parameter = next(argument, label);
    if (!parameter)
      return;
    Type::Kind kind = isDescriptor ? Type::Kind::TensorDesc : Type::Kind::Pointer;
    std::string what = label + (isDescriptor ? ", a descriptor of " : ", a pointer to ") +
                       name(argument.dtype) + ",";
    if (parameter->kind != kind || !memoryFits(argument.dtype, parameter->element))
      return mismatch(argument, what);
    if (isDescriptor && !blockFits(argument.blockShape, parameter->block))
      return mismatch(argument, label + ", whose block is " + listText(argument.blockShape) + ",");
    Value value;
    value.kind = isDescriptor ? Value::Kind::Descriptor : Value::Kind::Pointer;
    value.argument = index;
    value.storage = argument.storage;
    value.byteOffset = argument.offset * byteWidth(argument.dtype);
    if (!isDescriptor && value.byteOffset % parameter->divisibility != 0)
      return mismatch(argument, label + ", whose offset is " + std::to_string(value.byteOffset) +
                                    " bytes, no multiple of " +
                                    std::to_string(parameter->divisibility) +
                                    " (tt.divisibility),");
    values.push_back(value);
  }

  /// The compiler may cut a block between the CTAs of a cluster, into no more parts than those.
  bool blockFits(const std::vector<int64_t> &given, const std::vector<int64_t> &block) const {
    if (block.empty())
      return true;
    if (given.size() != block.size())
      return false;
    int64_t parts = 1;
    for (size_t d = 0; d < block.size(); ++d) {
      if (block[d] <= 0 || given[d] % block[d] != 0)
        return false;
      parts *= given[d] / block[d];
    }
    return parts <= std::max(manifest.numCtas, manifest.clusterSize());
  }

  /// A descriptor is one value with its shape (i32) and strides (i64) behind it;
  /// where the compiler has none (AMD), a pointer, shape and strides (i64) and
  /// two flags, padding and rounding.
  void descriptor(const Argument &argument, size_t index, const std::string &label) {
    const Type *parameter = next(argument, label);
    if (!parameter)
      return;
    bool asPointer = parameter->kind == Type::Kind::Pointer;
    memory(argument, index, label, !asPointer);
    DType sizeType = asPointer ? DType::i64 : DType::i32;
    auto each = [&](const std::vector<int64_t> &list, const char *field, DType type) {
      for (size_t d = 0; d < list.size() && !failure; ++d) {
        uint64_t bits = uint64_t(list[d]);
        if (type == DType::i32)
          bits &= 0xFFFFFFFF;
        scalar(argument, index, label + "." + field + "[" + std::to_string(d) + "]", type, bits);
      }
    };
    each(argument.shape, "shape", sizeType);
    each(argument.strides, "strides", DType::i64);
    if (asPointer && !failure)
      scalar(argument, index, label + ".padding", DType::i1, argument.paddingNan);
    if (asPointer && !failure)
      scalar(argument, index, label + ".round_f32_to_tf32", DType::i1, 0);
  }

  const Manifest &manifest;
  const std::vector<Type> &parameters;
  std::vector<Value> values;
  std::optional<Error> failure;
};

} // namespace

Result<std::vector<Value>> bindParameters(const Manifest &manifest,
                                          const std::vector<Type> &parameters) {
  return Binder(manifest, parameters).run();
}

} // namespace tlx
