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

class NullDevice : public Device {
public:
  std::string name() const override { return "null"; }
  Result<Address> allocate(size_t bytes) override { return memory.allocate(bytes); }
  Result<Address> adopt(HostBuffer buffer) override { return memory.adopt(std::move(buffer)); }
  Result<void> release(Address address) override { return memory.release(address); }
  Result<void> write(Address to, const void *from, size_t bytes) override {
    return memory.write(to, from, bytes);
  }
  Result<void> read(Address from, void *to, size_t bytes) override {
    return memory.read(from, to, bytes);
  }
  const uint8_t *view(Address address, size_t bytes) const override {
    return memory.find(address, bytes);
  }
  Result<std::unique_ptr<Kernel>> load(const KernelSource &source) override {
    return std::unique_ptr<Kernel>(std::make_unique<NullKernel>(source.kernel));
  }
  Result<LaunchReport> launch(Kernel &, const LaunchRequest &) override {
    LaunchReport report;
    report.notes.push_back("nothing was executed");
    return report;
  }

private:
  HostMemory memory;
};

} // namespace

std::unique_ptr<Device> makeNullDevice() { return std::make_unique<NullDevice>(); }

} // namespace tlx::device
