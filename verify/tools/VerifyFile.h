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
  double timeoutSeconds = 0;
  const std::atomic<bool> *cancelled = nullptr;
};

struct FileVerdict {
  std::vector<KernelReport> reports;
  int exitCode = 0;
};

/// Errors of the input have been printed to stderr.
FileVerdict verifyFile(const std::string &path, const VerifyRequest &request);

} // namespace tlx::verify
