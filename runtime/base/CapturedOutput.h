//===- CapturedOutput.h - what others write to standard output -----------------===//
//
// NVIDIA's driver writes there what kernels print, in the middle of a report. While
// an object lives, that goes to a file instead, which is gone afterwards.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace tlx {

class CapturedOutput {
public:
  CapturedOutput();
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput &) = delete;
  CapturedOutput &operator=(const CapturedOutput &) = delete;

  /// Ends it: what was written, line by line. Nothing where no file could be made; it
  /// was written as ever, then.
  std::vector<std::string> lines();

private:
  void end();

  std::FILE *file = nullptr;
  int original = -1;
};

} // namespace tlx
