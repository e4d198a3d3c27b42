//===- Batch.h - many files at once ---------------------------------------===//
#pragma once

#include "verify/tools/Cache.h"

namespace tlx::verify {

/// The kernels named, those in folders named (by the ending .mlir, .source,
/// .ttir or .ttgir, in folders below too), each once, in order.
Result<std::vector<std::string>> kernelFiles(const std::vector<std::string> &paths);

/// A line for each of the folders that holds Python programs, of which kernels must be recorded.
std::vector<std::string> skippedPrograms(const std::vector<std::string> &paths);

struct BatchOptions {
  int jobs = 1;
  int64_t memoryBytes = 0; ///< for each file; 0: no limit
  const Cache *cache = nullptr;
  bool progress = false; ///< a line on standard error
};

/// Verifies all files, some at a time, each in a process of its own; `done` gets the verdicts in
/// the order of the files, each as soon as those before it are there. Stops early when the request
/// is cancelled: then returns how many files were not looked at.
size_t verifyFiles(const std::vector<std::string> &files, const VerifyRequest &request,
                   const BatchOptions &options, const std::function<void(FileVerdict &&)> &done);

} // namespace tlx::verify
