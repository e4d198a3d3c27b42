//===- ProgressLine.h - a line that says how far a run is -------------------===//
#pragma once

#include "runtime/base/Progress.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tlx::run {

/// "timing: 12 of 132 CTAs done, 1,234,567 cycles"; empty before a phase begins.
std::string progressText(const Progress &progress);

/// While it lives, a run that takes more than a second is shown on the terminal
/// that standard error is; nothing is shown elsewhere.
class ProgressLine {
public:
  explicit ProgressLine(const Progress &progress);
  ~ProgressLine();

private:
  void show(const Progress &progress);

  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
  std::thread thread;
};

} // namespace tlx::run
