//===- SimKernel.cpp ------------------------------------------------------===//
#include "runtime/backends/sim/SimKernel.h"

namespace tlx::device {

using sim::TypeKind;

SimKernel::SimKernel(std::shared_ptr<sim::Program> given, std::string path)
    : program(std::move(given)), path(std::move(path)) {
  int32_t next = 0;
  for (sim::Parameter &parameter : program->parameters) {
    if (parameter.argument < 0)
      continue; // takes no value
    parameter.argument = next++;
    descriptorFields.push_back(parameter.field != sim::Parameter::Field::Value);
    parameter.field = sim::Parameter::Field::Value;
    parameter.dimension = 0;
  }
}

static std::string shapeText(const sim::Shape &shape) {
  std::string out;
  for (int64_t size : shape)
    out += std::to_string(size) + "x";
  return out;
}

static ParameterType describe(const std::string &name, const sim::Type &type) {
  ParameterType out;
  out.name = name;
  out.element = type.elem;
  std::string element = tlx::name(type.elem);
  if (type.kind == TypeKind::Scalar && type.pointer) {
    out.kind = ParameterType::Kind::Pointer;
    out.spelling = "!tt.ptr<" + element + ">";
  } else if (type.kind == TypeKind::Scalar) {
    out.kind = ParameterType::Kind::Scalar;
    out.spelling = element;
  } else if (type.kind == TypeKind::TensorDesc) {
    out.kind = ParameterType::Kind::TensorDesc;
    out.block = type.shape;
    out.spelling = "!tt.tensordesc<" + shapeText(type.shape) + element + ">";
  }
  return out;
}

std::optional<std::vector<ParameterType>> SimKernel::parameters() const {
  std::vector<ParameterType> out;
  for (const sim::Parameter &parameter : program->parameters) {
    if (parameter.argument < 0)
      continue;
    out.push_back(describe(parameter.name, program->types[parameter.type]));
    out.back().location = {path, 0, 0};
    out.back().divisibility = parameter.divisibility;
  }
  return out;
}

SourceLocation SimKernel::location(sim::LocId loc) const {
  if (loc < 0 || size_t(loc) >= program->locations.size())
    return {path, 0, 0};
  const sim::Location &place = program->locations[loc];
  if (place.file.empty() || place.line <= 0)
    return {path, 0, 0};
  return {place.file, unsigned(place.line), unsigned(place.column)};
}

} // namespace tlx::device
