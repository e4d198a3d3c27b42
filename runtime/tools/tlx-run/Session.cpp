//===- Session.cpp - manifest, memory, kernel, launch, outputs ------------===//
#include "runtime/tools/tlx-run/Session.h"
#include "runtime/tools/tlx-run/ProgressLine.h"
#include "runtime/tools/tlx-run/Second.h"

#include "runtime/backends/Backends.h"
#include "runtime/base/File.h"
#include "runtime/base/Guard.h"
#include "runtime/base/Npy.h"
#include "runtime/base/Package.h"
#include "runtime/base/Process.h"
#include "runtime/base/Sha256.h"
#include "runtime/base/SourceText.h"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string_view>

namespace tlx::run {
namespace {

using device::Device;

/// A storage on the device.
struct Placed {
  int64_t id = 0;
  DType dtype = DType::u8;
  std::vector<int64_t> shape;
  size_t bytes = 0;
  device::Address address = 0;
  std::optional<uint64_t> before; ///< hash of its initial contents; none: not wanted
  std::string contents;           ///< the initial contents, when they are needed again
};

/// Tells whether a storage has changed, several times as fast as SHA-256.
/// Four chains of its own keep the multiplier busy; each step is one to one, so that a change
/// of a single word is never missed.
uint64_t quickHash(std::string_view bytes) {
  constexpr uint64_t odd = 0x9E3779B97F4A7C15;
  uint64_t chains[4] = {1, 2, 3, 4}, words[4] = {};
  auto mix = [&] {
    for (int i = 0; i < 4; ++i)
      chains[i] = std::rotl((chains[i] ^ words[i]) * odd, 29);
  };
  size_t at = 0;
  for (; at + sizeof words <= bytes.size(); at += sizeof words) {
    std::memcpy(words, bytes.data() + at, sizeof words);
    mix();
  }
  std::memset(words, 0, sizeof words);
  std::memcpy(words, bytes.data() + at, bytes.size() - at);
  mix();
  return ((chains[0] * odd ^ chains[1]) * odd ^ chains[2]) * odd ^ chains[3];
}

Result<std::vector<Placed>> place(Device &device, const Manifest &manifest, bool values,
                                  int64_t maxBytes, bool keepContents) {
  BuildOptions options;
  options.fillFloats = values;
  options.maxBytes = values ? maxBytes : 0; // for time alone, nobody touches it
  auto storages = buildArguments(manifest, options);
  if (!storages)
    return std::move(storages).error();
  std::vector<Placed> out;
  for (Storage &storage : *storages) {
    Placed placed;
    placed.id = storage.id;
    placed.dtype = storage.dtype;
    placed.shape = storage.shape;
    placed.bytes = storage.memory.size();
    if (values)
      placed.before = quickHash(storage.memory.view());
    if (keepContents)
      placed.contents = storage.memory.view();
    auto address = device.adopt(std::move(storage.memory));
    if (!address)
      return std::move(address).error();
    placed.address = *address;
    out.push_back(std::move(placed));
  }
  return out;
}

device::Argument argumentFor(const Manifest &manifest, const ParameterValue &value,
                             const std::vector<Placed> &memory) {
  const Argument &from = manifest.arguments[value.argument];
  device::Argument out;
  out.name = from.name;
  out.location = from.location;
  if (value.kind == ParameterValue::Kind::Scalar) {
    out.type = value.type;
    out.bits = value.bits;
    return out;
  }
  out.kind = value.kind == ParameterValue::Kind::Pointer ? device::Argument::Kind::Pointer
                                                         : device::Argument::Kind::Descriptor;
  out.type = from.dtype;
  for (const Placed &placed : memory)
    if (placed.id == value.storage)
      out.address = placed.address + uint64_t(value.byteOffset);
  if (out.kind == device::Argument::Kind::Descriptor) {
    out.shape = from.shape;
    out.strides = from.strides;
    out.block = from.blockShape;
    out.paddingNan = from.paddingNan;
  }
  return out;
}

/// The cluster to launch. A driver refuses a grid that is no multiple of it; the
/// largest one that divides the grid is taken then, and the report says so.
std::array<int64_t, 3> clusterFor(const Manifest &manifest, std::vector<std::string> &notes) {
  std::array<int64_t, 3> cluster = manifest.cluster, grid = manifest.launchedGrid();
  bool fits = true;
  for (size_t axis = 0; axis < 3; ++axis) {
    fits = fits && grid[axis] % cluster[axis] == 0;
    cluster[axis] = std::gcd(cluster[axis], grid[axis]);
  }
  auto text = [](const std::array<int64_t, 3> &t) {
    return std::to_string(t[0]) + "x" + std::to_string(t[1]) + "x" + std::to_string(t[2]);
  };
  if (!fits)
    notes.push_back("the grid of " + text(grid) + " CTAs is no multiple of the cluster of " +
                    text(manifest.cluster) + ", which a driver refuses; clusters of " +
                    text(cluster) + " are launched");
  return cluster;
}

device::KernelSource sourceFor(const Options &options, std::string text, const Manifest &manifest) {
  device::KernelSource source;
  source.path = options.file;
  source.text = std::move(text);
  source.kernel = manifest.kernel;
  source.target = manifest.target;
  source.numWarps = manifest.defaultNumWarps;
  source.numCtas = manifest.numCtas;
  source.maxRegisters = manifest.maxRegisters;
  source.kernelLocation = manifest.kernelLocation;
  source.numWarpsLocation = manifest.defaultNumWarpsLocation;
  source.numCtasLocation = manifest.numCtasLocation;
  return source;
}

device::LaunchRequest requestFor(const Options &options, const Manifest &manifest) {
  device::LaunchRequest request;
  request.grid = manifest.grid;
  request.gridLocation = manifest.gridLocation;
  request.totalWarps = manifest.numWarps;
  request.warpsLocation = manifest.numWarpsLocation;
  request.sharedBytes = manifest.sharedBytes;
  request.sharedLocation = manifest.sharedLocation;
  request.tmemColumns = manifest.tmemColumns;
  request.tmemLocation = manifest.tmemLocation;
  request.values = !options.timingOnly;
  request.time = !options.functionalOnly;
  if (options.timeout)
    request.timeoutSeconds = *options.timeout;
  request.exactMma = options.exactMma;
  if (options.raceCheck || options.noRaceCheck)
    request.raceCheck = options.raceCheck;
  request.threads = options.threads;
  request.schedule = options.schedule.value_or("");
  request.tracePath = options.trace.value_or("");
  request.reportPath = options.report.value_or("");
  return request;
}

/// Compares a storage with what is expected of it, if anything is.
Result<void> checkOutput(Output &output, std::string_view bytes, const Options &options) {
  std::string path = joinPath(*options.check, std::to_string(output.storage) + ".npy");
  if (!fileExists(path))
    return {};
  auto expected = npy::read(path);
  if (!expected)
    return std::move(expected).error();
  auto comparison = compare(output.dtype, bytes, *expected,
                            options.tolerance.value_or(defaultTolerance(output.dtype)));
  if (!comparison) {
    Error error = std::move(comparison).error();
    error.location.file = path;
    return error;
  }
  output.comparison = *comparison;
  return {};
}

/// Outputs that are not what was expected, as findings.
void reportMismatches(Outcome &outcome, const Options &options) {
  bool compared = false;
  for (const Output &output : outcome.outputs) {
    if (!output.comparison)
      continue;
    compared = true;
    if (output.comparison->matches)
      continue;
    device::Finding finding;
    finding.category = "mismatch";
    finding.message =
        "output " + std::to_string(output.storage) +
        " is not what was expected: " + std::to_string(output.comparison->differing) + " of " +
        std::to_string(output.comparison->elements) + " elements differ, by at most " +
        std::to_string(output.comparison->largestError) + "; the largest expected value is " +
        std::to_string(output.comparison->largestExpected);
    finding.location = {joinPath(*options.check, std::to_string(output.storage) + ".npy"), 0, 0};
    outcome.report.findings.push_back(std::move(finding));
  }
  if (compared)
    return;
  device::Finding finding;
  finding.category = "mismatch";
  finding.message = "nothing was compared: no file is named after a storage of this launch";
  finding.location = {*options.check, 0, 0};
  outcome.report.findings.push_back(std::move(finding));
}

/// The bytes of a storage: where they lie, else in `copy`.
Result<std::string_view> bytesOf(Device &device, const Placed &placed, std::string &copy) {
  if (const uint8_t *seen = device.view(placed.address, placed.bytes))
    return std::string_view(reinterpret_cast<const char *>(seen), placed.bytes);
  copy.resize(placed.bytes);
  if (auto got = device.read(placed.address, copy.data(), copy.size()); !got)
    return std::move(got).error();
  return std::string_view(copy);
}

/// What the kernel changed; saved when asked for.
Result<std::vector<Output>> collect(Device &device, const std::vector<Placed> &memory,
                                    const Options &options) {
  std::vector<Output> out;
  if (options.saveOutputs)
    if (auto made = createFolder(*options.saveOutputs); !made)
      return std::move(made).error();
  std::string copy;
  for (const Placed &placed : memory) {
    auto bytes = bytesOf(device, placed, copy);
    if (!bytes)
      return std::move(bytes).error();
    Output output{placed.id, placed.dtype, placed.shape, {}, {}, {}};
    if (options.check)
      if (auto done = checkOutput(output, *bytes, options); !done)
        return std::move(done).error();
    if (!output.comparison && placed.before == quickHash(*bytes))
      continue;
    output.sha256 = sha256Hex(*bytes);
    if (options.saveOutputs) {
      output.file = joinPath(*options.saveOutputs, std::to_string(placed.id) + ".npy");
      removeLink(output.file);
      if (auto saved = npy::write(output.file, placed.dtype, placed.shape, *bytes); !saved)
        return std::move(saved).error();
    }
    out.push_back(std::move(output));
  }
  return out;
}

/// Launches again and again from the initial contents; a finding for the first
/// storage that is not what it was after the first launch.
Result<void> repeatLaunch(Device &device, device::Kernel &kernel,
                          const device::LaunchRequest &request, const std::vector<Placed> &memory,
                          int64_t times, Outcome &outcome) {
  std::vector<std::string> first;
  std::string copy;
  for (const Placed &placed : memory) {
    auto bytes = bytesOf(device, placed, copy);
    if (!bytes)
      return std::move(bytes).error();
    first.emplace_back(*bytes);
  }
  for (int64_t round = 1; round <= times; ++round) {
    for (const Placed &placed : memory)
      if (auto done = device.write(placed.address, placed.contents.data(), placed.bytes); !done)
        return done;
    auto report = device.launch(kernel, request);
    if (!report)
      return std::move(report).error();
    outcome.report.findings = std::move(report->findings);
    if (!outcome.report.findings.empty())
      return {};
    for (size_t index = 0; index < memory.size(); ++index) {
      auto bytes = bytesOf(device, memory[index], copy);
      if (!bytes)
        return std::move(bytes).error();
      if (*bytes == first[index])
        continue;
      device::Finding finding;
      finding.category = "varies";
      finding.message = "output " + std::to_string(memory[index].id) + " of launch " +
                        std::to_string(round + 1) + " is not what the first launch wrote";
      outcome.report.findings.push_back(std::move(finding));
      return {};
    }
  }
  outcome.report.notes.push_back(std::to_string(times + 1) + " launches wrote the same bytes");
  return {};
}

Result<Outcome> launch(Device &device, const Options &options, std::string text,
                       const Manifest &manifest) {
  std::vector<std::string> notes;
  std::array<int64_t, 3> cluster = clusterFor(manifest, notes);
  device::KernelSource source = sourceFor(options, std::move(text), manifest);
  source.cluster = cluster;
  auto kernel = device.load(source);
  if (!kernel)
    return std::move(kernel).error();
  device::LaunchRequest request = requestFor(options, manifest);
  request.cluster = cluster;
  auto parameters = (*kernel)->parameters();
  std::vector<ParameterValue> bound;
  if (parameters) {
    auto values = bindParameters(manifest, *parameters);
    if (!values)
      return std::move(values).error();
    bound = std::move(*values);
  }
  if (auto checked = checkDescriptors(manifest); !checked)
    return std::move(checked).error();
  auto memory = place(device, manifest, request.values, memoryLimit(options.memory),
                      options.repeat.has_value());
  if (!memory)
    return std::move(memory).error();
  for (const ParameterValue &value : bound)
    request.arguments.push_back(argumentFor(manifest, value, *memory));
  Progress progress;
  std::optional<ProgressLine> line;
  if (options.sweep.empty()) // which shows how many cases are done
    line.emplace(progress);
  request.progress = &progress;
  auto report = device.launch(**kernel, request);
  line.reset();
  if (!report)
    return std::move(report).error();
  Outcome outcome;
  outcome.kernel = manifest.kernel;
  outcome.report = std::move(*report);
  outcome.report.notes.insert(outcome.report.notes.begin(), notes.begin(), notes.end());
  if (outcome.report.computedValues) {
    auto outputs = collect(device, *memory, options);
    if (!outputs)
      return std::move(outputs).error();
    outcome.outputs = std::move(*outputs);
    if (options.check)
      reportMismatches(outcome, options);
  }
  if (options.repeat && outcome.report.findings.empty())
    if (auto done = repeatLaunch(device, **kernel, request, *memory, *options.repeat, outcome);
        !done)
      return std::move(done).error();
  if (options.bench && outcome.report.findings.empty()) {
    device::MeasureOptions how;
    how.flushCache = options.flushL2;
    how.repeats = options.repeats.value_or(how.repeats);
    auto measured = device.measure(**kernel, request, how);
    if (!measured)
      return std::move(measured).error();
    outcome.measurement = std::move(*measured);
  }
  return outcome;
}

/// A kernel file's bytes: text of the IR, or a package.
Result<std::string> readKernel(const std::string &path) {
  if (path != "-")
    if (auto bytes = readFile(path); bytes && isPackage(*bytes)) {
      if (auto package = readPackage(*bytes, path); !package)
        return std::move(package).error();
      return bytes;
    }
  return readSourceText(path);
}

Result<Outcome> replay(Device &device, const Options &options, std::string text,
                       const replay::Trace &trace) {
  device::KernelSource source;
  source.path = options.file;
  source.text = std::move(text);
  source.kernel = trace.kernel;
  source.target = trace.launch.target;
  source.numWarps = trace.launch.numWarps;
  source.numCtas = trace.launch.numCtas;
  source.cluster = trace.launch.cluster;
  auto kernel = device.load(source);
  if (!kernel)
    return std::move(kernel).error();
  auto report = device.replay(**kernel, trace);
  if (!report)
    return std::move(report).error();
  Outcome outcome;
  outcome.kernel = trace.kernel;
  outcome.report = std::move(*report);
  return outcome;
}

/// The manifest beside the kernel that has its name; empty when there is none.
std::string manifestBeside(const std::string &kernel) {
  std::string path = kernel.substr(0, kernel.rfind('.')) + ".json";
  return fileExists(path) ? path : "";
}

Result<Outcome> runOnDevice(Options options) {
  if (!options.manifest && !options.replay) {
    std::string beside = manifestBeside(options.file);
    if (beside.empty())
      return Error("tlx-run needs --manifest LAUNCH.json or --replay TRACE.json")
          .withHint("a manifest says grid, arguments and data, and is found beside the kernel as "
                    "NAME.json; docs/reference/manifest.md describes it");
    options.manifest = beside;
  }
  device::DeviceOptions where;
  where.chip = options.chip.value_or("");
  where.whatIf = options.whatIf;
  std::optional<Manifest> manifest;
  std::optional<replay::Trace> trace;
  if (options.manifest) {
    auto read = readManifest(*options.manifest);
    if (!read)
      return std::move(read).error();
    manifest = std::move(*read);
    where.target = manifest->target;
    where.targetLocation = manifest->targetLocation;
  } else {
    auto read = replay::read(*options.replay);
    if (!read)
      return std::move(read).error();
    trace = std::move(*read);
    where.target = trace->launch.target;
    where.targetLocation = {*options.replay, 0, 0};
  }
  auto device = device::openDevice(options.device, where);
  if (!device)
    return std::move(device).error();
  auto text = readKernel(options.file);
  if (!text)
    return std::move(text).error();
  if (trace)
    if (auto same = replay::checkKernel(*trace, *text, *options.replay, options.file); !same)
      return std::move(same).error();
  std::string verdict;
  if (options.device == "cuda" && !options.noVerify && !isPackage(*text)) {
    std::string verifier = findProgram("tlx-verify");
    if (verifier.empty())
      return Error("tlx-verify, which looks at a kernel first, is not beside tlx-run", {},
                   "--no-verify launches it all the same");
    auto verified = verifyFirst(verifier, options);
    if (!verified)
      return std::move(verified).error();
    verdict = *verified;
  }
  auto outcome = manifest ? launch(**device, options, std::move(*text), *manifest)
                          : replay(**device, options, std::move(*text), *trace);
  if (outcome && !verdict.empty())
    outcome->report.notes.push_back(verdict);
  return outcome;
}

/// Runs with the outputs saved, in a folder of its own where none was named, and
/// simulates with the same options.
Result<Outcome> runAndSimulate(Options options) {
  std::string folder;
  if (!options.saveOutputs) {
    folder = (std::filesystem::temp_directory_path() / "tlx-run-XXXXXX").string();
    if (!::mkdtemp(folder.data()))
      return Error::internal("cannot make a folder in " + folderOf(folder));
    options.saveOutputs = folder;
  }
  auto outcome = runOnDevice(options);
  if (outcome && outcome->report.findings.empty()) {
    auto simulated = simulateToo(options, *outcome);
    if (simulated)
      outcome->simulated = std::move(*simulated);
    else
      outcome = std::move(simulated).error();
  }
  if (!folder.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (outcome)
      for (Output &output : outcome->outputs)
        output.file.clear();
  }
  return outcome;
}

} // namespace

/// A launch that was refused is no run.
static std::optional<Error> refusal(const Outcome &outcome) {
  for (const device::Finding &finding : outcome.report.findings)
    if (finding.code == ExitCode::BadInput) {
      Error error(finding.message, finding.location);
      error.notes = finding.notes;
      return error;
    }
  return std::nullopt;
}

Result<Outcome> runSession(const Options &options) {
  auto start = std::chrono::steady_clock::now();
  auto outcome = options.compareSim ? runAndSimulate(options) : runOnDevice(options);
  if (outcome)
    if (auto refused = refusal(*outcome))
      return std::move(*refused);
  if (outcome) {
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    outcome->seconds = spent.count();
    outcome->device = options.device;
  }
  return outcome;
}

int exitCode(const Outcome &outcome) {
  // A kernel that does something wrong is a stronger statement than one that
  // could not be simulated to its end.
  int code = outcome.simulated && !outcome.simulated->matches ? int(ExitCode::Violated) : 0;
  for (const device::Finding &finding : outcome.report.findings) {
    int one = int(finding.code);
    if (one == int(ExitCode::Internal) || one == int(ExitCode::BadInput))
      return one;
    if (code == 0 || one == int(ExitCode::Violated))
      code = one;
  }
  return code;
}

} // namespace tlx::run
