//===- CudaDevice.cpp -----------------------------------------------------------===//
#include "runtime/backends/cuda/CudaDevice.h"

#include "runtime/backends/cuda/CudaLaunch.h"
#include "runtime/backends/cuda/CudaTiming.h"
#include "runtime/base/CapturedOutput.h"
#include "runtime/base/Json.h"
#include "runtime/loader/CompilerLibrary.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

namespace tlx::device {
namespace {

using cuda::Driver;

class CudaKernel : public Kernel {
public:
  CudaKernel(Package package, cuda::Function function, int64_t numCtas, std::string path)
      : package(std::move(package)), function(function), numCtas(numCtas), path(std::move(path)) {}

  const std::string &name() const override { return package.kernel; }
  std::optional<std::vector<ParameterType>> parameters() const override {
    std::vector<ParameterType> all;
    for (const PackageParameter &from : package.parameters) {
      ParameterType to;
      to.kind = from.kind == PackageParameter::Kind::Pointer      ? ParameterType::Kind::Pointer
                : from.kind == PackageParameter::Kind::Descriptor ? ParameterType::Kind::TensorDesc
                                                                  : ParameterType::Kind::Scalar;
      to.element = from.element;
      to.block = from.block;
      to.name = from.name;
      to.location = {path, 0, 0};
      all.push_back(std::move(to));
    }
    return all;
  }

  Package package;
  cuda::Function function;
  int64_t numCtas;
  std::string path;
};

class CudaDevice : public Device {
public:
  CudaDevice(const Driver &driver, std::string chip, int capability, size_t l2Bytes,
             cuda::Stream stream)
      : driver(driver), chip(std::move(chip)), capability(capability), l2Bytes(l2Bytes),
        stream(stream) {}
  ~CudaDevice() override {
    if (hung)
      return; // freeing would wait for the kernel
    for (auto &[address, bytes] : allocations)
      driver.release(address);
  }

  std::string name() const override { return "cuda"; }

  Result<Address> allocate(size_t bytes) override {
    cuda::Pointer address = 0;
    if (auto good = driver.check(driver.allocate(&address, std::max<size_t>(bytes, 256)),
                                 "allocating " + std::to_string(bytes) + " bytes");
        !good)
      return std::move(good).error();
    allocations[address] = bytes;
    driver.fill8(address, 0, std::max<size_t>(bytes, 256));
    return Address(address);
  }
  Result<Address> adopt(HostBuffer buffer) override {
    auto address = allocate(buffer.size());
    if (!address)
      return address;
    if (auto good = write(*address, buffer.data(), buffer.size()); !good)
      return std::move(good).error();
    return address;
  }
  Result<void> release(Address address) override {
    if (!allocations.erase(address))
      return Error::internal("address " + std::to_string(address) + " is not allocated");
    return driver.check(driver.release(address), "freeing memory");
  }
  Result<void> write(Address to, const void *from, size_t bytes) override {
    if (auto inside = checkRange(to, bytes); !inside || bytes == 0)
      return inside;
    return driver.check(driver.toDevice(to, from, bytes), "copying to the device");
  }
  Result<void> read(Address from, void *to, size_t bytes) override {
    if (auto inside = checkRange(from, bytes); !inside || bytes == 0)
      return inside;
    return driver.check(driver.toHost(to, from, bytes), "copying from the device");
  }
  const uint8_t *view(Address, size_t) const override { return nullptr; }

  Result<std::unique_ptr<Kernel>> load(const KernelSource &source) override {
    auto package = packageOf(source);
    if (!package)
      return std::move(package).error();
    SourceLocation file{source.path, 0, 0};
    if (package->kernel != source.kernel)
      return Error("the package has the kernel '" + package->kernel + "', not '" + source.kernel +
                       "'",
                   source.kernelLocation.line ? source.kernelLocation : file);
    if (package->codes.empty())
      return Error("the package has no code", file);
    if (package->target != "cuda:" + std::to_string(capability))
      return Error("the package is for " + package->target + "; the device is a " + chip +
                       ", cuda:" + std::to_string(capability),
                   file);
    cuda::Module module = nullptr;
    cuda::Function function = nullptr;
    if (auto good = driver.check(driver.moduleLoad(&module, package->codes.front().bytes.c_str()),
                                 "loading the code of '" + package->kernel + "'");
        !good)
      return std::move(good).error();
    if (auto good =
            driver.check(driver.moduleGetFunction(&function, module, package->kernel.c_str()),
                         "finding '" + package->kernel + "' in its code");
        !good)
      return std::move(good).error();
    if (auto good = driver.check(driver.functionSetAttribute(function, cuda::maxDynamicShared,
                                                             int(package->sharedBytes)),
                                 std::to_string(package->sharedBytes) + " bytes of shared memory");
        !good)
      return std::move(good).error();
    const auto &cluster = package->cluster;
    if (cluster[0] * cluster[1] * cluster[2] > 8)
      driver.functionSetAttribute(function, cuda::nonPortableCluster, 1);
    return std::unique_ptr<Kernel>(
        std::make_unique<CudaKernel>(std::move(*package), function, source.numCtas, source.path));
  }

  Result<LaunchReport> launch(Kernel &kernel, const LaunchRequest &request) override {
    auto &mine = static_cast<CudaKernel &>(kernel);
    auto prepared = prepare(mine, request);
    if (!prepared)
      return std::move(prepared).error();
    LaunchReport report;
    report.chip = chip;
    cuda::Event begin, end;
    driver.eventCreate(&begin, 0);
    driver.eventCreate(&end, 0);
    driver.eventRecord(begin, stream);
    CapturedOutput printed;
    if (auto good = driver.check(prepared->launch(driver, mine.function, stream), "launching");
        !good)
      return std::move(good).error();
    driver.eventRecord(end, stream);
    if (auto finding = wait(mine, request))
      report.findings.push_back(std::move(*finding));
    else
      report.computedValues = request.values;
    report.printed = linesOf(printed);
    float milliseconds = 0;
    if (report.findings.empty() && request.time &&
        driver.eventElapsed(&milliseconds, begin, end) == cuda::ok)
      report.nanoseconds = double(milliseconds) * 1e6;
    return report;
  }

  Result<Measurement> measure(Kernel &kernel, const LaunchRequest &request,
                              const MeasureOptions &options) override {
    auto &mine = static_cast<CudaKernel &>(kernel);
    auto prepared = prepare(mine, request);
    if (!prepared)
      return std::move(prepared).error();
    CapturedOutput printed; // the launch before has said it
    auto measured = cuda::measureLaunch(driver, stream, mine.function, *prepared, l2Bytes, options);
    linesOf(printed);
    return measured;
  }

private:
  /// The driver prints what kernels did when it is waited for, which a hung one does not allow.
  std::vector<std::string> linesOf(CapturedOutput &printed) {
    if (!hung)
      driver.contextSynchronize();
    return printed.lines();
  }

  Result<Package> packageOf(const KernelSource &source) {
    if (isPackage(source.text))
      return readPackage(source.text, source.path);
    auto library = CompilerLibrary::open();
    if (!library)
      return std::move(library).error();
    auto bytes = library->compile(requestFor(source), source.kernelLocation);
    if (!bytes)
      return std::move(bytes).error();
    return readPackage(*bytes, source.path);
  }

  Result<void> checkRange(Address address, size_t bytes) const {
    auto after = allocations.upper_bound(address);
    if (after != allocations.begin()) {
      auto &[begin, size] = *std::prev(after);
      if (address - begin + bytes <= size)
        return {};
    }
    return Error::internal("the bytes at " + std::to_string(address) +
                           " are not within one allocation");
  }

  Result<cuda::PreparedLaunch> prepare(CudaKernel &kernel, const LaunchRequest &request) {
    cuda::Pointer scratch = 0;
    if (kernel.package.globalScratchBytes) {
      auto grid = cuda::PreparedLaunch::launchedGrid(request, kernel.numCtas);
      auto address =
          allocate(size_t(kernel.package.globalScratchBytes * grid[0] * grid[1] * grid[2]));
      if (!address)
        return std::move(address).error();
      scratch = *address;
    }
    return cuda::PreparedLaunch::make(driver, kernel.package, request, kernel.numCtas, scratch);
  }

  /// Waits for the launch; what went wrong, if anything did.
  std::optional<Finding> wait(const CudaKernel &kernel, const LaunchRequest &request) {
    using Clock = std::chrono::steady_clock;
    auto limit = Clock::now() + std::chrono::duration<double>(request.timeoutSeconds);
    cuda::Status status;
    for (int round = 0; (status = driver.streamQuery(stream)) == cuda::notReady; ++round) {
      if (Clock::now() > limit) {
        hung = true;
        Finding finding;
        finding.category = "hang";
        finding.message = "'" + kernel.package.kernel + "' did not end within " +
                          std::to_string(int64_t(request.timeoutSeconds)) + " s";
        finding.location = {kernel.path, 0, 0};
        finding.notes.push_back({{}, "tlx-verify says whether it can hang, and how"});
        return finding;
      }
      if (round > 1000)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    auto good = driver.check(status, "running '" + kernel.package.kernel + "'");
    if (good)
      return std::nullopt;
    hung = true; // the context is lost: nothing can be freed
    Finding finding;
    finding.category = "fault";
    finding.message = good.error().message;
    finding.location = {kernel.path, 0, 0};
    return finding;
  }

  const Driver &driver;
  std::string chip;
  int capability;
  size_t l2Bytes;
  cuda::Stream stream;
  std::map<Address, size_t> allocations;
  bool hung = false;
};

} // namespace

Result<std::unique_ptr<Device>> makeCudaDevice(const DeviceOptions &options) {
  if (!options.target.empty() && !options.target.starts_with("cuda:"))
    return Error("target '" + options.target + "' does not run on an NVIDIA GPU",
                 options.targetLocation);
  auto opened = Driver::open();
  if (!opened)
    return std::move(opened).error();
  const Driver &driver = **opened;
  cuda::DeviceNumber number = 0;
  cuda::Context context = nullptr;
  cuda::Stream stream = nullptr;
  char name[256] = {};
  int major = 0, minor = 0, l2Bytes = 0;
  // Copies and fills return before they are done; a kernel on a stream that the
  // default one does not wait for could overtake them.
  constexpr unsigned orderedWithCopies = 0;
  auto need = [&](cuda::Status status, const char *doing) { return driver.check(status, doing); };
  if (auto good = need(driver.init(0), "starting the NVIDIA driver"); !good)
    return std::move(good).error();
  if (auto good = need(driver.deviceGet(&number, 0), "looking for a GPU"); !good)
    return std::move(good).error();
  if (auto good = need(driver.primaryContextRetain(&context, number), "opening the GPU"); !good)
    return std::move(good).error();
  if (auto good = need(driver.contextSetCurrent(context), "opening the GPU"); !good)
    return std::move(good).error();
  if (auto good = need(driver.streamCreate(&stream, orderedWithCopies), "opening the GPU"); !good)
    return std::move(good).error();
  driver.deviceGetName(name, sizeof name - 1, number);
  driver.deviceGetAttribute(&major, cuda::computeMajor, number);
  driver.deviceGetAttribute(&minor, cuda::computeMinor, number);
  driver.deviceGetAttribute(&l2Bytes, cuda::l2CacheBytes, number);
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(driver, name, major * 10 + minor, size_t(l2Bytes), stream));
}

} // namespace tlx::device
