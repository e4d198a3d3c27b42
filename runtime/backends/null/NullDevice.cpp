//===- NullDevice.cpp -------------------------------------------------------===//
#include "runtime/backends/null/NullDevice.h"

#include "runtime/device/HostMemory.h"

namespace tlx::device {
namespace {

class NullKernel : public Kernel {
public:
  explicit NullKernel(std::string name) : kernelName(std::move(name)) {}
  const std::string &name() const override { return kernelName; }
  std::optional<std::vector<ParameterType>> parameters() const override { return std::nullopt; }

private:
  std::string kernelName;
};

class NullDevice : public HostMemoryDevice {
public:
  std::string name() const override { return "null"; }
  Result<std::unique_ptr<Kernel>> load(const KernelSource &source) override {
    return std::unique_ptr<Kernel>(std::make_unique<NullKernel>(source.kernel));
  }
  Result<LaunchReport> launch(Kernel &, const LaunchRequest &) override {
    LaunchReport report;
    report.notes.push_back("nothing was executed");
    return report;
  }
};

} // namespace

std::unique_ptr<Device> makeNullDevice() { return std::make_unique<NullDevice>(); }

} // namespace tlx::device
