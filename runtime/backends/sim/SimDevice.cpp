//===- SimDevice.cpp ------------------------------------------------------===//
#include "runtime/backends/sim/SimDevice.h"

#include "runtime/backends/sim/SimLaunch.h"
#include "runtime/backends/sim/SimReplay.h"
#include "runtime/base/Package.h"
#include "runtime/loader/CompilerLibrary.h"
#include "sim/chips/Targets.h"

namespace tlx::device {
namespace {

class SimDevice : public HostMemoryDevice {
public:
  explicit SimDevice(sim::Chip chip) : chip(std::move(chip)) {}

  std::string name() const override { return "sim"; }
  Result<std::unique_ptr<Kernel>> load(const KernelSource &source) override {
    if (isPackage(source.text))
      return Error("a package holds machine code, which is not simulated", {source.path, 0, 0},
                   "simulate the kernel's IR");
    auto library = CompilerLibrary::open();
    if (!library)
      return std::move(library).error();
    auto program = library->load(requestFor(source), source.kernelLocation);
    if (!program)
      return std::move(program).error();
    return std::unique_ptr<Kernel>(std::make_unique<SimKernel>(std::move(*program), source.path));
  }

  Result<LaunchReport> launch(Kernel &kernel, const LaunchRequest &request) override {
    return launchOnSim(static_cast<SimKernel &>(kernel), memory, request, &chip);
  }

  Result<LaunchReport> replay(Kernel &kernel, const replay::Trace &trace) override {
    return replayOnSim(static_cast<SimKernel &>(kernel), trace);
  }

private:
  sim::Chip chip;
};

} // namespace

Result<std::unique_ptr<Device>> makeSimDevice(const DeviceOptions &options) {
  const sim::TargetChip *row = sim::chipOfTarget(options.target);
  if (!row)
    return Error("target '" + options.target + "' cannot be simulated", options.targetLocation)
        .withHint("targets: " + sim::targetNames());
  auto chip = sim::Chip::load(options.chip.empty() ? row->chip : options.chip);
  if (!chip)
    return std::move(chip).error();
  if (chip->arch() != row->arch)
    return Error("chip " + chip->name() + " cannot run target '" + options.target + "'",
                 options.targetLocation)
        .withHint("without --chip, " + std::string(row->chip) + " is simulated");
  for (const std::string &assignment : options.whatIf)
    if (auto changed = chip->whatIf(assignment); !changed)
      return std::move(changed).error();
  return std::unique_ptr<Device>(std::make_unique<SimDevice>(std::move(*chip)));
}

} // namespace tlx::device
