#include "sim/views/Summary.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace tlx::sim {

static std::string format(const char *pattern, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(buffer, sizeof buffer, pattern, arguments);
  va_end(arguments);
  return buffer;
}

/// "1.234 us" with a unit that suits.
static std::string duration(double nanoseconds) {
  if (nanoseconds < 1e3)
    return format("%.0f ns", nanoseconds);
  if (nanoseconds < 1e6)
    return format("%.3f us", nanoseconds / 1e3);
  return format("%.3f ms", nanoseconds / 1e6);
}

static Cycles totalTaskTime(const TimingReport &report) {
  Cycles total = 0;
  for (const TaskTime &task : report.tasks)
    total += task.total;
  return std::max<Cycles>(1, total);
}

static std::string opName(const Program &program, const Stall &stall) {
  return program.opText(stall.pc);
}

std::string summaryText(const TimingReport &r, const Program &program,
                        const SummaryOptions &options) {
  std::string out = format("%s on %s: %lld cycles, %s at %.0f MHz, bound by %s\n",
                           program.kernelName.c_str(), r.chip.c_str(), (long long)r.cycles,
                           duration(r.nanoseconds).c_str(), r.clockMhz, r.boundBy.c_str());
  out += format("  tensor core %.1f %%   L2 %.0f %%   memory %.0f %%   shared memory %.0f %%   "
                "issue %.0f %%\n",
                100 * r.tensorUtilisation, 100 * r.l2Utilisation, 100 * r.hbmUtilisation,
                100 * r.smemUtilisation, 100 * r.issueUtilisation);
  out += format(
      "  %lld CTAs on %d SMs, %d at a time; active %.0f cycles an SM; L2 %.2f MB, memory %.2f MB",
      (long long)r.ctas, r.smsUsed, r.ctasPerSm, r.smActive, double(r.l2Bytes) / 1e6,
      double(r.hbmBytes) / 1e6);
  if (r.flops > 0)
    out += format("; %.1f TFLOP/s", r.flops / r.nanoseconds / 1e3);
  out += "\n";
  for (const TaskTime &task : r.tasks) {
    out += format("  %-12s %5.1f %% progress", task.name.c_str(),
                  100.0 * double(task.progress) / double(std::max<Cycles>(1, task.total)));
    std::vector<std::pair<Cycles, unsigned>> reasons;
    for (unsigned i = 1; i < ReasonCount; ++i)
      if (task.blocked[i] * 200 > task.total)
        reasons.push_back({task.blocked[i], i});
    std::sort(reasons.rbegin(), reasons.rend());
    for (auto [cycles, reason] : reasons)
      out +=
          format(", %.1f %% %s", 100.0 * double(cycles) / double(task.total), name(Reason(reason)));
    out += "\n";
  }
  if (!r.stalls.empty())
    out += "where tasks wait (share of all tasks' time)\n";
  Cycles total = totalTaskTime(r);
  for (size_t i = 0; i < r.stalls.size() && int(i) < options.stalls; ++i) {
    const Stall &stall = r.stalls[i];
    out += format("  %5.1f %%  %-14s %s  %s\n", 100.0 * double(stall.cycles) / double(total),
                  name(stall.reason), program.locationText(stall.location).c_str(),
                  opName(program, stall).c_str());
  }
  if (r.assumedShare >= 0) {
    out += format("%.0f %% of the time rests on assumed numbers", 100 * r.assumedShare);
    for (size_t i = 0; i < r.assumed.size() && i < 4; ++i)
      out += format("%s%s %.0f %%", i ? ", " : ": ", r.assumed[i].path.c_str(),
                    100 * r.assumed[i].share);
    out += "\n";
  }
  for (const std::string &note : r.notes)
    out += "note: " + note + "\n";
  return out;
}

void writeReport(json::Writer &out, const TimingReport &r, const Program &program) {
  out.key("cycles").value(int64_t(r.cycles)).key("ns").value(r.nanoseconds);
  out.key("clock_mhz").value(r.clockMhz).key("chip").value(r.chip).key("bound_by").value(r.boundBy);
  out.key("utilisation").beginObject();
  out.key("tensor_core").value(r.tensorUtilisation).key("l2").value(r.l2Utilisation);
  out.key("memory").value(r.hbmUtilisation).key("shared_memory").value(r.smemUtilisation);
  out.key("issue").value(r.issueUtilisation).endObject();
  out.key("bytes")
      .beginObject()
      .key("l2")
      .value(r.l2Bytes)
      .key("dram")
      .value(r.hbmBytes)
      .endObject();
  out.key("flops").value(r.flops).key("ctas").value(r.ctas).key("ctas_per_sm").value(r.ctasPerSm);
  out.key("sms").value(r.smsUsed).key("sm_active_cycles").value(r.smActive);
  out.key("tasks").beginArray();
  for (const TaskTime &task : r.tasks) {
    out.beginObject().key("name").value(task.name).key("cycles").value(int64_t(task.total));
    out.key("progress").value(int64_t(task.progress)).key("blocked").beginObject();
    for (unsigned i = 1; i < ReasonCount; ++i)
      if (task.blocked[i] > 0)
        out.key(name(Reason(i))).value(int64_t(task.blocked[i]));
    out.endObject().endObject();
  }
  out.endArray().key("stalls").beginArray();
  Cycles total = totalTaskTime(r);
  for (const Stall &stall : r.stalls) {
    out.beginObject()
        .key("reason")
        .value(name(stall.reason))
        .key("cycles")
        .value(int64_t(stall.cycles));
    out.key("share")
        .value(double(stall.cycles) / double(total))
        .key("op")
        .value(opName(program, stall));
    if (stall.location >= 0 && size_t(stall.location) < program.locations.size()) {
      const Location &at = program.locations[stall.location];
      out.key("file")
          .value(at.file)
          .key("line")
          .value(int64_t(at.line))
          .key("column")
          .value(int64_t(at.column));
    }
    out.endObject();
  }
  out.endArray();
  if (r.assumedShare >= 0) {
    out.key("assumed_share").value(r.assumedShare).key("assumed").beginObject();
    for (const AssumedShare &assumed : r.assumed)
      out.key(assumed.path).value(assumed.share);
    out.endObject();
  }
  out.key("notes").row(r.notes);
}

Roofline rooflineOf(const TimingReport &report, const Chip &chip) {
  Roofline line;
  double clock = chip[Param::ClockMhz] * 1e6;
  line.teraflops = report.nanoseconds > 0 ? report.flops / report.nanoseconds / 1e3 : 0;
  line.peakTeraflops = chip[Param::MmaF16Flops] * chip[Param::SmCount] * clock / 1e12;
  if (report.hbmBytes > 0) {
    line.flopPerByte = report.flops / double(report.hbmBytes);
    line.bandwidthLimit = line.flopPerByte * chip[Param::HbmGigabytesPerSecond] / 1e3;
  }
  return line;
}

} // namespace tlx::sim
