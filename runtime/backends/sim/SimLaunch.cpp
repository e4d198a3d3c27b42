//===- SimLaunch.cpp - from a launch request to the two machines ----------===//
#include "runtime/backends/sim/SimLaunch.h"

#include "runtime/base/File.h"
#include "sim/functional/Launch.h"
#include "sim/functional/Prepared.h"
#include "sim/timing/Launch.h"
#include "sim/views/Html.h"
#include "sim/views/Summary.h"
#include "sim/views/Trace.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace tlx::device {
namespace {

/// Grids up to this size are checked for races unless told otherwise.
constexpr int64_t raceCheckedCtas = 32;

/// Larger grids are a mistake, or would take days.
constexpr int64_t mostCtas = int64_t(1) << 24;

/// Behind an address of the recorded process, where no other follows sooner.
constexpr size_t mostBehindAddress = size_t(64) << 20;

/// Addresses in one table; larger ones are data.
constexpr size_t mostRecorded = 4096;

sim::Argument functionalArgument(const Argument &from, DType element) {
  switch (from.kind) {
  case Argument::Kind::Pointer: return sim::Argument::pointer(from.address);
  case Argument::Kind::Descriptor:
    return sim::Argument::desc(from.address, element, from.shape, from.strides, from.paddingNan);
  case Argument::Kind::Scalar: break;
  }
  if (isFloat(from.type))
    return sim::Argument::ofFloat(toDouble(from.type, from.bits));
  return sim::Argument::ofInt(toInt(from.type, from.bits));
}

sim::TimingArgument timingArgument(const Argument &from) {
  sim::TimingArgument out;
  if (from.kind == Argument::Kind::Scalar) {
    out.kind = sim::TimingArgument::Kind::Scalar;
    out.bits = isInteger(from.type) ? toInt(from.type, from.bits) : int64_t(from.bits);
    return out;
  }
  out.kind = from.kind == Argument::Kind::Pointer ? sim::TimingArgument::Kind::Pointer
                                                  : sim::TimingArgument::Kind::Descriptor;
  out.bits = int64_t(from.address);
  out.shape = from.shape;
  out.strides = from.strides;
  return out;
}

class SimLaunch {
public:
  SimLaunch(const SimKernel &kernel, HostMemory &memory, const LaunchRequest &request,
            const sim::Chip *chip)
      : kernel(kernel), memory(memory), request(request), chip(chip) {}

  Result<LaunchReport> run() {
    if (auto checked = check(); !checked)
      return std::move(checked).error();
    for (auto &[start, buffer] : memory.buffers())
      global.place(nameOf(start, buffer.size()), start, buffer.data(), buffer.size());
    placeRecorded();
    if (chip)
      report.chip = chip->name();
    // Time first: it reads scalars from memory that values may change.
    if (request.time)
      if (auto timed = time(); !timed)
        return std::move(timed).error();
    if (request.values)
      if (auto computed = values(); !computed)
        return std::move(computed).error();
    return std::move(report);
  }

private:
  Result<void> check() {
    int64_t ctas = 1;
    for (int64_t size : request.grid) {
      if (size > mostCtas / ctas)
        return Error("the grid is too large to simulate: at most " + std::to_string(mostCtas) +
                         " CTAs",
                     request.gridLocation);
      ctas *= std::max<int64_t>(size, 1);
    }
    if (auto fits = checkManifest(); !fits)
      return fits;
    schedules = sim::Schedule::parse(request.schedule.empty() ? "fifo" : request.schedule);
    if (schedules.empty())
      return Error("--schedule must be fifo, random:SEED, random:FIRST-LAST or adversarial; got '" +
                   request.schedule + "'");
    if (request.threads && (*request.threads < 1 || *request.threads > 1024))
      return Error("--threads must be from 1 to 1024; got " + std::to_string(*request.threads));
    return checkMemory();
  }

  /// What the producer of the launch says of its kernel must be so of this one.
  Result<void> checkManifest() {
    const char *hint = "the manifest belongs to another kernel, or to another build of it";
    const sim::Program &program = kernel.code();
    // Loops that are still to be specialised add warps that the IR does not show.
    int64_t warps = program.launchedWarps();
    if (request.totalWarps && request.warpsLocation.line && *request.totalWarps != warps &&
        (!program.specializes.empty() || *request.totalWarps < warps))
      return Error("num_warps is " + std::to_string(*request.totalWarps) +
                       "; the kernel's regions need " + std::to_string(warps),
                   request.warpsLocation, hint);
    if (auto fits = checkTensorMemory(hint); !fits)
      return fits;
    if (!request.sharedBytes || !request.sharedLocation.line)
      return {};
    // How buffers share bytes is the producer's; each CTA's part of each must fit. Ours may end
    // with padding that the producer leaves away.
    for (const sim::Allocation &allocation : program.allocations) {
      int64_t bytes = allocation.bytes / std::max(1, program.facts.numCtas);
      if (allocation.space == sync::Space::Shared &&
          bytes - *request.sharedBytes > allocation.alignment)
        return Error("shared is " + std::to_string(*request.sharedBytes) +
                         " bytes; a buffer of the kernel alone has " + std::to_string(bytes),
                     request.sharedLocation, hint);
    }
    return {};
  }

  Result<void> checkTensorMemory(const char *hint) {
    if (!request.tmemColumns || !request.tmemLocation.line)
      return {};
    constexpr int64_t most = sim::tmemLaneBytes / 4;
    const std::string states = "tmem_size is " + std::to_string(*request.tmemColumns);
    if (*request.tmemColumns > most)
      return Error(states + " columns; a CTA has " + std::to_string(most), request.tmemLocation);
    // Before layouts are settled the producer may still put the halves of 64 rows beside each
    // other.
    const sim::Program &program = kernel.code();
    const int64_t share = program.facts.level == "ttgir" ? 1 : 2;
    for (const sim::Allocation &allocation : program.allocations)
      if (int64_t columns = allocation.bytes / 4;
          allocation.space == sync::Space::Tensor && columns > share * *request.tmemColumns)
        return Error(states + " columns; a buffer of the kernel alone has " +
                         std::to_string(columns),
                     request.tmemLocation, hint);
    return {};
  }

  /// What the program allocates must fit the chip.
  Result<void> checkMemory() {
    if (!chip)
      return {};
    const sim::Allocation *largest = nullptr;
    for (const sim::Allocation &allocation : kernel.code().allocations)
      if (allocation.space == sync::Space::Shared &&
          (!largest || allocation.bytes > largest->bytes))
        largest = &allocation;
    // As the machine will place them: what is not alive together shares bytes.
    int64_t bytes = sim::Prepared(kernel.code()).sharedBytes;
    int64_t limit = chip->integer(sim::Param::SmSmemPerCta);
    if (largest && bytes > limit)
      return Error("the kernel needs " + std::to_string(bytes) + " bytes of shared memory; " +
                       chip->name() + " gives a CTA " + std::to_string(limit),
                   kernel.location(largest->loc));
    if (request.time && request.sharedBytes.value_or(0) > limit)
      return Error("the launch asks for " + std::to_string(*request.sharedBytes) +
                       " bytes of shared memory; " + chip->name() + " gives a CTA " +
                       std::to_string(limit),
                   request.sharedLocation);
    return {};
  }

  /// What a kernel prints comes in the order of its CTAs: one thread keeps it.
  bool prints() const {
    for (const sim::Inst &inst : kernel.code().code)
      if (inst.op == sim::Op::Print)
        return true;
    return false;
  }

  Result<void> values() {
    sim::LaunchConfig config;
    for (size_t axis = 0; axis < 3; ++axis)
      config.grid[axis] = int32_t(request.grid[axis]);
    std::vector<ParameterType> parameters = *kernel.parameters();
    for (size_t i = 0; i < request.arguments.size(); ++i)
      config.arguments.push_back(functionalArgument(request.arguments[i], parameters[i].element));
    config.progress = request.progress;
    config.threads = prints() ? 1 : int(request.threads.value_or(0));
    int64_t ctas = request.grid[0] * request.grid[1] * request.grid[2];
    config.exactMma = request.exactMma;
    config.raceCheck = request.raceCheck.value_or(ctas <= raceCheckedCtas);
    if (chip)
      config.residentCtas = int32_t(chip->integer(sim::Param::SmCount));
    config.print = [this](const std::string &line) { report.printed.push_back(line); };
    std::vector<sim::RunReport> runs = sim::runSchedules(kernel.code(), config, global, schedules);
    for (size_t i = 0; i < runs.size(); ++i)
      for (const sim::Finding &finding : runs[i].findings)
        add(findingOf(kernel, finding), schedules[i]);
    for (const sim::Finding &warning : runs.front().warnings)
      report.notes.push_back(sim::render(kernel.code(), warning));
    if (runs.size() > 1)
      report.notes.push_back(
          std::to_string(runs.size()) + " schedules, " +
          std::to_string(std::count_if(runs.begin(), runs.end(),
                                       [](const sim::RunReport &run) { return !run.clean(); })) +
          " of them with findings; outputs are those of " + schedules.front().text());
    report.computedValues = true;
    return {};
  }

  /// The first argument that lies in an allocation.
  std::string nameOf(Address start, size_t bytes) const {
    for (const Argument &argument : request.arguments)
      if (argument.kind != Argument::Kind::Scalar && argument.address >= start &&
          argument.address <= start + bytes)
        return argument.name;
    return "memory";
  }

  /// Tables of addresses hold those of the process that was recorded. What lay there is not
  /// known: zeros take its place, so that the kernel can run.
  void placeRecorded() {
    std::set<Address> addresses;
    for (const Argument &argument : request.arguments) {
      std::vector<Address> table = recordedAddresses(argument);
      if (table.empty())
        continue;
      addresses.insert(table.begin(), table.end());
      report.notes.push_back("'" + argument.name +
                             "' holds addresses of the process that was recorded; memory of "
                             "zeros stands behind them");
    }
    for (auto at = addresses.begin(); at != addresses.end(); ++at) {
      auto after = std::next(at);
      size_t bytes = mostBehindAddress;
      if (after != addresses.end())
        bytes = std::min<uint64_t>(bytes, *after - *at);
      recorded.emplace_back(bytes);
      if (recorded.back().data())
        global.place("memory of the recorded process", *at, recorded.back().data(), bytes);
    }
  }

  /// What a table of 64-bit integers holds when all of it are addresses, and none of this launch.
  std::vector<Address> recordedAddresses(const Argument &argument) {
    std::vector<Address> table;
    const sim::GlobalMemory::Region *region = global.regionOf(argument.address);
    if (argument.kind != Argument::Kind::Pointer || !region ||
        (argument.type != DType::i64 && argument.type != DType::u64))
      return table;
    for (uint64_t at = argument.address; at + 8 <= region->address + region->bytes; at += 8) {
      Address address;
      std::memcpy(&address, region->data + (at - region->address), 8);
      if (address == 0)
        continue;
      // As allocators align them, in the half of the address space that programs have.
      if (address % 16 || address < (Address(1) << 40) || address >= (Address(1) << 47) ||
          global.regionOf(address) || table.size() == mostRecorded)
        return {};
      table.push_back(address);
    }
    return table;
  }

  /// A finding of one schedule of perhaps many, each of which may make it.
  void add(Finding finding, const sim::Schedule &schedule) {
    for (Finding &known : report.findings)
      if (known.category == finding.category && known.message == finding.message &&
          known.location.str() == finding.location.str()) {
        known.count += finding.count;
        return;
      }
    if (schedules.size() > 1)
      finding.notes.push_back({{}, "first seen with --schedule " + schedule.text()});
    report.findings.push_back(std::move(finding));
  }

  Result<void> time() {
    sim::TimingLaunch launch;
    launch.grid = request.grid;
    if (kernel.code().facts.numCtas == 1)
      for (size_t axis = 0; axis < 3; ++axis)
        launch.cluster[axis] = int32_t(request.cluster[axis]);
    for (const Argument &argument : request.arguments)
      launch.arguments.push_back(timingArgument(argument));
    launch.sharedBytes = request.sharedBytes.value_or(0);
    launch.totalWarps = int32_t(request.totalWarps.value_or(0));
    for (const auto &[start, buffer] : memory.buffers()) {
      launch.footprintBytes += int64_t(buffer.size());
      launch.buffers.push_back({start, int64_t(buffer.size())});
    }
    launch.read = [this](uint64_t address, size_t bytes, void *to) {
      const char *from = global.find(address, bytes);
      if (from)
        std::memcpy(to, from, bytes);
      return from != nullptr;
    };
    sim::Trace trace(kernel.code());
    sim::TimingOptions options;
    options.progress = request.progress;
    if (!request.tracePath.empty() || !request.reportPath.empty())
      options.hooks = &trace;
    auto timed = sim::simulateTime(kernel.code(), launch, *chip, options);
    if (!timed)
      return std::move(timed).error();
    if (!request.tracePath.empty())
      if (auto written = trace.write(request.tracePath); !written)
        return written;
    if (!request.reportPath.empty())
      if (auto written =
              writeFile(request.reportPath, sim::htmlReport(*timed, kernel.code(), *chip, trace));
          !written)
        return written;
    report.cycles = timed->cycles;
    report.nanoseconds = timed->nanoseconds;
    report.notes.insert(report.notes.end(), timed->notes.begin(), timed->notes.end());
    report.summary = sim::summaryText(*timed, kernel.code());
    report.writeDetails = [program = kernel.shared(), timed = std::move(*timed)](
                              json::Writer &out) { sim::writeReport(out, timed, *program); };
    return {};
  }

  const SimKernel &kernel;
  HostMemory &memory;
  const LaunchRequest &request;
  const sim::Chip *chip;
  sim::GlobalMemory global;
  std::vector<HostBuffer> recorded; ///< what stands behind addresses of another process
  std::vector<sim::Schedule> schedules;
  LaunchReport report;
};

ExitCode codeOf(sim::Finding::Kind kind) {
  switch (kind) {
  case sim::Finding::Kind::Unsupported:
  case sim::Finding::Kind::StepLimit: return ExitCode::Unknown;
  case sim::Finding::Kind::BadLaunch: return ExitCode::BadInput;
  default: return ExitCode::Violated;
  }
}

} // namespace

Finding findingOf(const SimKernel &kernel, const sim::Finding &finding) {
  Finding out;
  out.category = sim::name(finding.kind);
  out.message = finding.message;
  out.location = kernel.location(finding.loc);
  for (const sim::Finding::Note &note : finding.notes)
    out.notes.push_back({kernel.location(note.loc), note.text});
  out.count = finding.count;
  out.code = codeOf(finding.kind);
  return out;
}

Result<LaunchReport> launchOnSim(const SimKernel &kernel, HostMemory &memory,
                                 const LaunchRequest &request, const sim::Chip *chip) {
  return SimLaunch(kernel, memory, request, chip).run();
}

} // namespace tlx::device
