#include "sim/timing/Sensitivity.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tlx::sim {

static constexpr double Factor = 1.1;

Chip slower(const Chip &chip, Param param, double factor) {
  Chip changed = chip;
  std::string_view unit = info(param).unit;
  double value = chip[param];
  bool rate = unit == "lane/clk" || unit == "B/clk" || unit == "FLOP/clk" || unit == "GB/s";
  if (rate)
    value /= factor;
  else if (unit == "clk" || unit == "clk/KiB")
    value *= factor;
  else
    return changed; // counts, sizes and the clock have no slower
  value = std::clamp(value, info(param).min, info(param).max);
  (void)changed.whatIf(std::string(info(param).path) + "=" + std::to_string(value)).ok();
  return changed;
}

static bool isAssumed(const Chip &chip, Param param) {
  const ParamValue &value = chip.get(param);
  return value.given && value.provenance == Provenance::Assumed;
}

Chip assumedSlower(const Chip &chip, double factor) {
  Chip changed = chip;
  for (size_t i = 0; i < paramCount(); ++i)
    if (isAssumed(chip, Param(i)))
      changed = slower(changed, Param(i), factor);
  return changed;
}

/// Share of `cycles` that moves with the changed table.
static Result<double> share(const Program &program, const TimingLaunch &launch, const Chip &changed,
                            const TimingOptions &options, Cycles cycles) {
  Result<TimingReport> again = simulateTime(program, launch, changed, options);
  if (!again)
    return std::move(again).error();
  return double(again->cycles - cycles) / (double(cycles) * (Factor - 1));
}

Result<void> addSensitivity(TimingReport &report, const Program &program,
                            const TimingLaunch &launch, const Chip &chip,
                            const TimingOptions &options, bool each) {
  TimingOptions quiet = options;
  quiet.hooks = nullptr;
  quiet.progress = nullptr;
  quiet.sensitivity = TimingOptions::Sensitivity::Off;
  Result<double> all = share(program, launch, assumedSlower(chip, Factor), quiet, report.cycles);
  if (!all)
    return std::move(all).error();
  report.assumedShare = std::clamp(*all, 0.0, 1.0);
  if (!each)
    return {};
  for (size_t i = 0; i < paramCount(); ++i) {
    if (!isAssumed(chip, Param(i)))
      continue;
    Result<double> one =
        share(program, launch, slower(chip, Param(i), Factor), quiet, report.cycles);
    if (!one)
      return std::move(one).error();
    if (*one >= 0.005)
      report.assumed.push_back({info(Param(i)).path, *one});
  }
  std::sort(report.assumed.begin(), report.assumed.end(),
            [](const AssumedShare &a, const AssumedShare &b) {
              return a.share != b.share ? a.share > b.share : a.path < b.path;
            });
  return {};
}

} // namespace tlx::sim
