//===- Html.h - a run as one self-contained page --------------------------===//
//
// Needs no network: numbers, bars and a time line that can be zoomed, with the
// source line behind each bar.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/chips/Chip.h"
#include "sim/program/Program.h"
#include "sim/views/Report.h"
#include "sim/views/Trace.h"

#include <string>

namespace tlx::sim {

/// The page; `trace` may have recorded nothing. At most `maxIntervals` bars of
/// the time line are kept, the earliest ones, and the page says so.
std::string htmlReport(const TimingReport &report, const Program &program, const Chip &chip,
                       const Trace &trace, size_t maxIntervals = 60000);

} // namespace tlx::sim
