//===- Sweep.h - many launches, ranked ------------------------------------===//
//
// Predicts the time of every kernel with every manifest and ranks them:
//
//   tlx-run a.ttgir --variant b.ttgir --sweep launches/ --results out.jsonl
//
// Cases run in parallel, each on its own. Each leaves one line of JSON in the
// results; a case whose line is there already is not run again, so that a sweep
// that was broken off goes on where it stopped. Under mpirun every process takes
// its share of the cases by its rank in the environment and adds to the same file;
// nothing of MPI is linked.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"
#include "runtime/tools/tlx-run/Options.h"

#include <string>
#include <vector>

namespace tlx::run {

/// One kernel with one launch, and what came out.
struct SweepCase {
  std::string kernel, manifest; ///< paths
  std::string key;              ///< of both files' contents, chip and changed numbers
  int64_t cycles = 0;
  double nanoseconds = 0;
  std::string error; ///< of one line; empty: it ran
  int code = 0;      ///< exit code of the run
  bool done = false;
};

/// The cases that the options name, in order; kernels vary slowest.
Result<std::vector<SweepCase>> sweepCases(const Options &options);

/// Which of the cases a process takes: those with index % size == rank.
struct SweepShare {
  size_t rank = 0, size = 1;
  /// From the environment of OpenMPI, PMI or Slurm; all of them without one.
  static SweepShare fromEnvironment();
};

std::string sweepLine(const SweepCase &one);
/// Takes over what a results file says about the cases.
Result<void> resumeSweep(std::vector<SweepCase> &cases, const std::string &path);
/// Fastest first, failures last.
std::string sweepTable(std::vector<SweepCase> cases);

/// Runs what is not done, prints the table (or, as JSON, the lines). Returns the
/// exit status: the worst of the cases'.
Result<int> runSweep(const Options &options);

} // namespace tlx::run
