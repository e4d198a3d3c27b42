//===- Summary.h - a timing report as text and as JSON --------------------===//
//
//   gemm on h200: 14366 cycles, 7.256 us at 1980 MHz, bound by latency
//     tensor core 54.1 %  L2 3 %  memory 0 %  shared memory 12 %  issue 2 %
//     ...
//   where tasks wait (share of their time)
//     31.2 %  mbarrier      consumer.py:41  ttng.wait_barrier
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Json.h"
#include "sim/chips/Chip.h"
#include "sim/program/Program.h"
#include "sim/views/Report.h"

#include <string>

namespace tlx::sim {

struct SummaryOptions {
  int stalls = 8; ///< lines of the stall table
};

/// The report for people; ends in a newline.
std::string summaryText(const TimingReport &report, const Program &program,
                        const SummaryOptions &options = {});

/// Writes the report's members into an object that the caller has begun:
/// cycles, ns, clock_mhz, chip, bound_by, utilisation {...}, bytes {l2, dram}, flops, ctas,
/// ctas_per_sm, sms, sm_active_cycles, tasks [{name, cycles, progress, blocked {reason:
/// cycles}}], stalls [{reason, cycles, share, op, file, line, column}], assumed_share and
/// assumed {parameter: share} when computed, notes.
void writeReport(json::Writer &out, const TimingReport &report, const Program &program);

/// Position on the roofline of the chip: what the launch would need if only one
/// limit counted.
struct Roofline {
  double flopPerByte = 0;    ///< of memory traffic; 0 without traffic
  double teraflops = 0;      ///< reached, at the stated clock
  double peakTeraflops = 0;  ///< fp16 tensor cores
  double bandwidthLimit = 0; ///< TFLOP/s that memory bandwidth allows here
};
Roofline rooflineOf(const TimingReport &report, const Chip &chip);

} // namespace tlx::sim
