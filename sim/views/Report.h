//===- Report.h - what a timed run comes to -------------------------------===//
//
// Numbers only; Summary.h prints them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/engine/Reason.h"
#include "sim/engine/Time.h"
#include "sim/program/Program.h"

#include <array>
#include <string>
#include <vector>

namespace tlx::sim {

/// Cycles lost at one instruction for one reason, over all tasks simulated.
struct Stall {
  Pc pc = -1;
  LocId location = -1;
  Reason reason = Reason::None;
  Cycles cycles = 0;
};

/// A task's time, over all CTAs.
struct TaskTime {
  std::string name;
  Cycles total = 0, progress = 0;
  std::array<Cycles, ReasonCount> blocked{};
};

/// Share of the time that moves with one number of the chip table.
struct AssumedShare {
  std::string path;
  double share;
};

struct TimingReport {
  Cycles cycles = 0;      ///< elapsed, launch included
  double nanoseconds = 0; ///< at the chip's stated clock
  double clockMhz = 0;
  std::string chip;
  double smActive = 0;          ///< cycles with a CTA, averaged over all SMs
  double tensorUtilisation = 0; ///< of the active cycles, 0 to 1
  double flops = 0;             ///< of matrix products
  int64_t l2Bytes = 0, hbmBytes = 0;
  double l2Utilisation = 0, hbmUtilisation = 0, smemUtilisation = 0, issueUtilisation = 0;
  int64_t ctas = 0;
  int ctasPerSm = 0;
  int smsUsed = 0;
  int64_t sharedBytesPerCta = 0, tensorColumnsPerCta = 0; ///< allocated
  std::string boundBy; ///< "tensor core", "L2", "memory", "latency", ...
  std::vector<TaskTime> tasks;
  std::vector<Stall> stalls;         ///< largest first
  double assumedShare = -1;          ///< of the time: rests on assumed numbers; -1: not computed
  std::vector<AssumedShare> assumed; ///< the larger ones, largest first
  std::vector<std::string> notes;    ///< what the prediction assumes
  uint64_t events = 0, instructions = 0;
};

} // namespace tlx::sim
