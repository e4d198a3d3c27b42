//===- SimKernel.h - a loaded program and its parameters ------------------===//
#pragma once

#include "runtime/device/Device.h"
#include "sim/program/Program.h"

#include <memory>
#include <vector>

namespace tlx::device {

class SimKernel : public Kernel {
public:
  SimKernel(std::shared_ptr<sim::Program> program, std::string path);

  const std::string &name() const override { return program->kernelName; }
  std::optional<std::vector<ParameterType>> parameters() const override;

  /// Its parameters are numbered so that parameter i takes argument i of a
  /// launch; shapes and strides of descriptors are scalars of their own.
  const sim::Program &code() const { return *program; }
  std::shared_ptr<const sim::Program> shared() const { return program; }
  const std::string &file() const { return path; }
  /// Whether a parameter is a size or stride of a descriptor before it.
  bool isDescriptorField(size_t parameter) const { return descriptorFields[parameter]; }
  /// Where an instruction is, for messages.
  SourceLocation location(sim::LocId loc) const;

private:
  std::shared_ptr<sim::Program> program;
  std::string path;
  std::vector<bool> descriptorFields; ///< by parameter that takes a value
};

} // namespace tlx::device
