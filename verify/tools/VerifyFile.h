//===- VerifyFile.h - one file, from text to verdicts ---------------------===//
#pragma once

#include "verify/report/Report.h"

namespace tlx::verify {

struct VerifyRequest {
  std::vector<std::string> manifests; ///< given; empty: looked for beside the file
  std::string target;
  std::optional<int> numWarps, numCtas;
  std::optional<std::array<int64_t, 3>> cluster;
  WarProxy warProxy = WarProxy::Warn;
  bool strict = false;
  Lowerings lowerings;
  double timeoutSeconds = 0;
  std::atomic<bool> *cancelled = nullptr;
};

struct FileVerdict {
  std::vector<KernelReport> reports;
  std::string errors; ///< of the input, for standard error
  int exitCode = 0;
};

/// The manifests that say how the kernel is launched: given, or beside it.
std::vector<std::string> manifestsFor(const std::string &path, const VerifyRequest &request);

FileVerdict verifyFile(const std::string &path, const VerifyRequest &request);

} // namespace tlx::verify
