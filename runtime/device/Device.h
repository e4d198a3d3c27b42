//===- Device.h - what a kernel can be launched on ------------------------===//
//
// The surface that every backend implements: memory, kernels, launches. It knows
// nothing of any of them. A launch takes one argument for each parameter of the
// kernel's function and comes back when everything has finished:
//
//   auto device = openDevice("sim", options);        // runtime/backends
//   auto a = (*device)->adopt(std::move(buffer));
//   auto kernel = (*device)->load(source);
//   auto report = (*device)->launch(**kernel, request);
//
// runtime/backends/null is the smallest one, to copy; tests/contracts holds what
// all of them must do.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/HostBuffer.h"
#include "runtime/base/Progress.h"
#include "runtime/base/Replay.h"
#include "runtime/base/Result.h"
#include "runtime/device/Parameter.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tlx::json {
class Writer;
}

namespace tlx::device {

/// A byte in the device's memory; 0 is none.
using Address = uint64_t;

/// A kernel as a file, and what its text may leave open.
struct KernelSource {
  std::string path;
  std::string text;                        ///< the file's bytes
  std::string kernel;                      ///< the function
  std::string target;                      ///< "cuda:90"; empty: as the file says
  std::optional<int64_t> numWarps;         ///< of the default region
  int64_t numCtas = 1;                     ///< CTAs that share one program's tiles
  std::array<int64_t, 3> cluster{1, 1, 1}; ///< in CTAs, those of num_ctas included
  std::optional<int64_t> maxRegisters;
  SourceLocation kernelLocation; ///< where the function was asked for
  /// Where the two numbers were given; IR that states others is refused there.
  SourceLocation numWarpsLocation, numCtasLocation;
};

/// A loaded kernel; belongs to the device that loaded it.
class Kernel {
public:
  virtual ~Kernel();
  virtual const std::string &name() const = 0;
  /// Nothing when the backend does not look into kernels.
  virtual std::optional<std::vector<ParameterType>> parameters() const = 0;
};

/// What one parameter receives.
struct Argument {
  enum class Kind : uint8_t { Scalar, Pointer, Descriptor };
  Kind kind = Kind::Scalar;
  std::string name;                           ///< for messages
  SourceLocation location;                    ///< where the value was given
  DType type = DType::i32;                    ///< Scalar: its type; else the element type
  uint64_t bits = 0;                          ///< Scalar
  Address address = 0;                        ///< Pointer, Descriptor: the first element
  std::vector<int64_t> shape, strides, block; ///< Descriptor, in elements
  bool paddingNan = false;                    ///< Descriptor
};

struct LaunchRequest {
  std::array<int64_t, 3> grid{1, 1, 1}; ///< as in a manifest
  std::array<int64_t, 3> cluster{1, 1, 1};
  SourceLocation gridLocation, warpsLocation, sharedLocation, tmemLocation;
  std::vector<Argument> arguments;    ///< one for each parameter
  std::optional<int64_t> totalWarps;  ///< launched for a CTA, when known
  std::optional<int64_t> sharedBytes; ///< of a CTA, when known
  std::optional<int64_t> tmemColumns; ///< of tensor memory, of a CTA, when known
  bool values = true;                 ///< compute what the kernel writes
  bool time = true;                   ///< predict or measure how long it takes
  std::optional<bool> raceCheck;      ///< nothing: the backend decides
  bool exactMma = false;              ///< simulated products rounded as tensor cores round them
  std::optional<int64_t> threads;     ///< of the host; results do not depend on it
  std::string schedule;               ///< interleaving, where a backend offers a choice; "" default
  double timeoutSeconds = 30;         ///< of a real device: longer is a hang
  Progress *progress = nullptr;       ///< told how far the run is, where a backend knows
  std::string tracePath;              ///< time line for Perfetto; "" none
  std::string reportPath;             ///< page with the time line and where time went; "" none
};

/// Something that the kernel did wrong.
struct Finding {
  std::string category; ///< "deadlock", "race", …
  std::string message;
  SourceLocation location;
  std::vector<ErrorNote> notes;
  int64_t count = 1; ///< how often, at this place
  ExitCode code = ExitCode::Violated;
};

struct LaunchReport {
  std::optional<int64_t> cycles;
  std::optional<double> nanoseconds;
  std::string chip; ///< what the time is of
  bool computedValues = false;
  std::vector<Finding> findings;
  std::vector<std::string> notes;   ///< what the result rests on
  std::vector<std::string> printed; ///< what the kernel printed
  /// For people, in place of kernel and time; lines, each ended. May be empty.
  std::string summary;
  /// Writes what else is known into an object that has been begun; may be empty.
  std::function<void(json::Writer &)> writeDetails;
};

/// How to measure a kernel on a real device.
struct MeasureOptions {
  int64_t warmUp = 10;     ///< launches first
  int64_t repeats = 30;    ///< samples
  double sampleNs = 2e6;   ///< launches follow each other for about this long
  bool flushCache = false; ///< L2 before each sample of one launch
};

struct Measurement {
  std::vector<double> samplesNs; ///< of one launch each
  int64_t launchesPerSample = 1;
  bool inGraph = false; ///< the device ran them without the host
};

class Device {
public:
  virtual ~Device();

  virtual std::string name() const = 0;

  /// Zeroed memory; aligned to 256 bytes at least.
  virtual Result<Address> allocate(size_t bytes) = 0;
  /// Memory with a buffer's contents. The buffer is the device's from now on: a
  /// backend that lives on the host keeps it, another copies it.
  virtual Result<Address> adopt(HostBuffer buffer) = 0;
  virtual Result<void> release(Address address) = 0;
  virtual Result<void> write(Address to, const void *from, size_t bytes) = 0;
  virtual Result<void> read(Address from, void *to, size_t bytes) = 0;
  /// The bytes where they lie, when the host can see them; else null.
  virtual const uint8_t *view(Address address, size_t bytes) const = 0;

  virtual Result<std::unique_ptr<Kernel>> load(const KernelSource &source) = 0;
  virtual Result<LaunchReport> launch(Kernel &kernel, const LaunchRequest &request) = 0;
  /// Launches over and over, for the time; what the kernel writes is of no
  /// interest. An error where time is predicted, which is the default.
  virtual Result<Measurement> measure(Kernel &kernel, const LaunchRequest &request,
                                      const MeasureOptions &options);
  /// Follows a trace; findings hold how it ended. An error when the backend
  /// cannot, which is the default.
  virtual Result<LaunchReport> replay(Kernel &kernel, const replay::Trace &trace);
};

struct DeviceOptions {
  std::string chip;                ///< model of a simulated device; "" by target
  std::vector<std::string> whatIf; ///< changed numbers of the chip: "tma.latency=400"
  std::string target;              ///< "cuda:90"
  SourceLocation targetLocation;
};

} // namespace tlx::device

extern "C" {
/// Of the simulator's library, which programs open when they simulate: 0 and a
/// device, or an ExitCode and an error. The library is of the same build.
int tlxMakeSimDevice(const tlx::device::DeviceOptions *options, tlx::device::Device **device,
                     tlx::Error *error);
/// The same library: a text of the chips named, or an overview of the built-in ones.
int tlxListChips(const std::vector<std::string> *chips, bool json, std::string *out,
                 tlx::Error *error);
}
