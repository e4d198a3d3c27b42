//===- Launch.h - what is timed, and what comes out -----------------------===//
//
//   TimingLaunch launch{grid, arguments};
//   Result<TimingReport> report = simulateTime(program, launch, chip, options);
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Progress.h"
#include "runtime/base/Result.h"
#include "sim/chips/Chip.h"
#include "sim/engine/Hooks.h"
#include "sim/program/Program.h"
#include "sim/views/Report.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tlx::sim {

/// A run-time argument, in the order of the launch manifest.
struct TimingArgument {
  enum class Kind : uint8_t { None, Scalar, Pointer, Descriptor };
  Kind kind = Kind::None;
  /// Scalar: register bits (Scalar.h). Pointer, descriptor: device address of
  /// the first element. Simulated addresses will do; equal storage must have
  /// equal addresses, distinct storage must not overlap.
  int64_t bits = 0;
  std::vector<int64_t> shape;   ///< descriptors: elements, outermost first
  std::vector<int64_t> strides; ///< descriptors: elements
};

/// A piece of device memory that the launch was given.
struct TimingBuffer {
  uint64_t begin = 0;
  int64_t bytes = 0;
};

/// Reads device memory for scalar loads; returns false where nothing is known.
using MemoryReader = std::function<bool(uint64_t address, size_t bytes, void *to)>;

struct TimingLaunch {
  std::array<int64_t, 3> grid{1, 1, 1};    ///< as in the manifest
  std::array<int32_t, 3> cluster{0, 0, 0}; ///< zeros: what the program says
  std::vector<TimingArgument> arguments;
  int64_t sharedBytes = 0;           ///< dynamic shared memory of a CTA; 0: from the program
  int32_t totalWarps = 0;            ///< warps launched for a CTA; 0: from the program
  int32_t registersPerThread = 0;    ///< 0: not known
  int64_t footprintBytes = 0;        ///< of all storage together; 0: not known
  std::vector<TimingBuffer> buffers; ///< where atomics at unknown places may go
  MemoryReader read;
};

struct TimingOptions {
  /// The launch before left in L2 what fits there (as in the measurements).
  bool warm = true;
  Hooks *hooks = nullptr;
  Progress *progress = nullptr; ///< told how far the run is
  /// SMs of which hooks hear: [0, hookedSms).
  int hookedSms = 1;
  /// How much of the time rests on assumed numbers (Sensitivity.h): never; as far
  /// as it takes little time beside the run itself; in full.
  enum class Sensitivity : uint8_t { Off, Quick, Full };
  Sensitivity sensitivity = Sensitivity::Quick;
  /// Stop with an error after this many cycles.
  Cycles maxCycles = Never;
};

/// Predicts the launch's time. Errors: a launch that does not fit the chip, an
/// operation that the model does not know, a deadlock (with every task's place).
Result<TimingReport> simulateTime(const Program &program, const TimingLaunch &launch,
                                  const Chip &chip, const TimingOptions &options = {});

} // namespace tlx::sim
