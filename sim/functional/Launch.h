//===- Launch.h - running a kernel over a grid ----------------------------===//
//
//   GlobalMemory memory;
//   LaunchConfig config;
//   config.grid = {4, 4, 1};
//   config.arguments = {Argument::pointer(memory.add("a", a.data(), bytes)), ...};
//   RunReport report = FunctionalMachine(program, config, memory).run();
//
// Clusters run in parallel when nothing lets them influence each other; results,
// findings and their order do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Progress.h"
#include "sim/functional/Finding.h"
#include "sim/functional/GlobalMemory.h"
#include "sim/functional/Schedule.h"
#include "sim/functional/Value.h"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tlx::sim {

class Prepared;

/// One argument of a launch, in the manifest's order.
struct Argument {
  enum class Kind : uint8_t { None, Int, Float, Pointer, Descriptor };
  Kind kind = Kind::None;
  int64_t integer = 0;
  double real = 0;
  uint64_t address = 0;
  DescRef descriptor;

  static Argument ofInt(int64_t x);
  static Argument ofFloat(double x);
  static Argument pointer(uint64_t address);
  /// Shape and strides (in elements), outermost first.
  static Argument desc(uint64_t address, DType elem, const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &strides, bool padNan = false);
};

struct LaunchConfig {
  std::array<int32_t, 3> grid = {1, 1, 1}; ///< in CTAs, as tt.get_num_programs reports
  std::vector<Argument> arguments;
  Schedule schedule;
  int threads = 0; ///< 0: as many as the machine has
  /// False: float tensors are not computed and shared memory is not filled; integer
  /// and pointer values, barriers and addresses are exact. For timing.
  bool values = true;
  bool checkUninitialized = true;
  bool exactMma = false;             ///< products rounded as tensor cores round them
  bool raceCheck = false;            ///< vector clocks over shared and tensor memory
  int64_t stepLimit = 2'000'000'000; ///< instructions of one task
  /// Clusters that are resident together when they can see each other; the rest
  /// wait for one to finish (or are cancelled by cluster launch control).
  int32_t residentCtas = 132;
  int32_t maxFindings = 100;
  Progress *progress = nullptr; ///< told how far the run is
  /// Where tt.print goes, one line a call; nothing: dropped.
  std::function<void(const std::string &)> print;
  /// Clock for ttg.clock64; nothing: the task's instruction count.
  std::function<int64_t(TaskRef)> clock;
};

struct RunReport {
  std::vector<Finding> findings;
  std::vector<Finding> warnings; ///< against the rules, harmless as far as is known
  bool clean() const { return findings.empty(); }
  int64_t instructions = 0;
  int64_t asyncOps = 0;
  int64_t ctas = 0;
};

struct LaunchState {
  const Program &program;
  const Prepared &prepared;
  const LaunchConfig &config;
  GlobalMemory &memory;
  std::vector<Value> arguments; ///< by parameter
  uint64_t scratch = 0;         ///< device address of all CTAs' global scratch
  std::mutex printMutex;

  /// Cluster launch control: clusters not yet launched, in order.
  std::vector<std::array<int32_t, 3>> waiting; ///< first CTA of each
  size_t nextWaiting = 0;
};

class FunctionalMachine {
public:
  /// The program must outlive the machine.
  FunctionalMachine(const Program &program, LaunchConfig config, GlobalMemory &memory,
                    Observer *observer = nullptr);
  ~FunctionalMachine();

  RunReport run();

  /// For a timing engine: checks and binds the arguments; empty when all is well.
  std::vector<Finding> prepare();
  /// The first CTA's ids of every cluster in launch order.
  std::vector<std::array<int32_t, 3>> clusters() const;
  std::unique_ptr<Cluster> makeCluster(std::array<int32_t, 3> firstCta,
                                       Observer *watching = nullptr);

private:
  const Program &program;
  LaunchConfig config;
  GlobalMemory &memory;
  Observer *observer;
  std::unique_ptr<Prepared> prepared;
  std::unique_ptr<LaunchState> state;
};

/// Runs a launch under each of the schedules, from the same memory; the first one's results stay
/// in `memory`. Reports come in the order of the schedules.
std::vector<RunReport> runSchedules(const Program &program, const LaunchConfig &config,
                                    GlobalMemory &memory, const std::vector<Schedule> &schedules);

} // namespace tlx::sim
