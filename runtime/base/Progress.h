//===- Progress.h - how far a long run has come -----------------------------===//
//
// Written by the machine that runs, read by whoever shows it, at any time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstdint>

namespace tlx {

struct Progress {
  std::atomic<const char *> phase{nullptr}; ///< "timing", "computing"; null: not yet
  std::atomic<int64_t> done{0}, all{0};     ///< CTAs of this phase
  std::atomic<int64_t> cycles{0};           ///< simulated so far; 0: not timed

  void begin(const char *what, int64_t ctas) {
    done = 0;
    cycles = 0;
    all = ctas;
    phase = what;
  }
};

} // namespace tlx
