//===- Sensitivity.h - what a prediction rests on -------------------------===//
//
// Numbers of a chip table that nobody has measured or documented are made 10 %
// slower, all together and one by one, and the launch is timed again. The share
// of the time that moves along is the share that rests on them:
//
//   (cycles with slower numbers - cycles) / (10 % of cycles)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/timing/Launch.h"

namespace tlx::sim {

/// `chip` with one number, or every assumed number, slower by a factor.
Chip slower(const Chip &chip, Param param, double factor);
Chip assumedSlower(const Chip &chip, double factor);

/// Fills report.assumedShare and, with `each`, report.assumed (largest first).
Result<void> addSensitivity(TimingReport &report, const Program &program,
                            const TimingLaunch &launch, const Chip &chip,
                            const TimingOptions &options, bool each);

} // namespace tlx::sim
