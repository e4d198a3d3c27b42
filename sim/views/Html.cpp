#include "sim/views/Html.h"
#include "sim/views/HtmlPage.h"
#include "sim/views/Occupancy.h"
#include "sim/views/Summary.h"

#include "runtime/base/Json.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace tlx::sim {

namespace {

/// One colour for progress and each reason, by number; units have the last.
const char *const Colours[] = {"#3d9b6d", "#8f98a3", "#e0a53d", "#c9663c", "#8a5fb8",
                               "#d97b9d", "#b8bf4e", "#4f7fd6", "#7c5341", "#4aa9b8",
                               "#55606e", "#c7ccd3", "#3b6fd4"};
constexpr unsigned UnitColour = 12;
static_assert(std::size(Colours) == ReasonCount + 1);

std::string escape(const std::string &text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '&': out += "&amp;"; break;
    case '"': out += "&quot;"; break;
    default: out += c;
    }
  }
  return out;
}

std::string number(double value, int digits) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

void card(std::string &out, const std::string &value, const std::string &label, double share = -1) {
  out += "<div class=\"card\"><b>" + escape(value) + "</b><span>" + escape(label) + "</span>";
  if (share >= 0)
    out += "<div class=\"meter\"><i style=\"width:" + number(100 * std::min(1.0, share), 1) +
           "%\"></i></div>";
  out += "</div>\n";
}

void legend(std::string &out) {
  out += "<div class=\"legend\">";
  for (unsigned i = 0; i < ReasonCount; ++i)
    out += std::string("<span><i style=\"background:") + Colours[i] + "\"></i>" +
           (i == 0 ? "progress" : name(Reason(i))) + "</span>";
  out += "</div>\n";
}

void taskBars(std::string &out, const TimingReport &report) {
  out += "<h2>What each task does with its time</h2>\n";
  legend(out);
  out += "<table><tr><th style=\"width:140px\">task</th><th></th><th "
         "style=\"width:90px\">progress</th></tr>\n";
  for (const TaskTime &task : report.tasks) {
    double total = double(std::max<Cycles>(1, task.total));
    out += "<tr><td>" + escape(task.name) + "</td><td><div class=\"bar\">";
    for (unsigned i = 0; i < ReasonCount; ++i) {
      Cycles cycles = i == 0 ? task.progress : task.blocked[i];
      if (double(cycles) / total >= 0.001)
        out += std::string("<i title=\"") + (i == 0 ? "progress" : name(Reason(i))) + " " +
               number(100 * double(cycles) / total, 1) +
               " %\" style=\"width:" + number(100 * double(cycles) / total, 2) +
               "%;background:" + Colours[i] + "\"></i>";
    }
    out += "</div></td><td class=\"n\">" + number(100 * double(task.progress) / total, 1) +
           " %</td></tr>\n";
  }
  out += "</table>\n";
}

void stallTable(std::string &out, const TimingReport &report, const Program &program) {
  Cycles total = 1;
  for (const TaskTime &task : report.tasks)
    total += task.total;
  out += "<h2>Where tasks wait</h2>\n<table><tr><th "
         "class=\"n\">share</th><th>reason</th><th>line</th><th>operation</th></tr>\n";
  for (size_t i = 0; i < report.stalls.size() && i < 20; ++i) {
    const Stall &stall = report.stalls[i];
    out += "<tr><td class=\"n\">" + number(100 * double(stall.cycles) / double(total), 1) +
           " %</td><td>" + name(stall.reason) + "</td><td><code>" +
           escape(program.locationText(stall.location)) + "</code></td><td><code>" +
           program.opText(stall.pc) + "</code></td></tr>\n";
  }
  out += "</table>\n";
}

/// Steps up to `last`, a pair for each.
void steps(json::Writer &out, const char *key, const StepSeries &series, Cycles last) {
  out.key(key).beginArray();
  for (auto [time, value] : series)
    if (time <= last)
      out.beginRow().value(int64_t(time)).value(value).endArray();
  out.endArray();
}

/// The time line's data: tracks with their lanes, bars, and texts once each.
void timeLine(std::string &out, const Program &program, const Trace &trace,
              const std::vector<Occupancy> &memories, size_t maxIntervals) {
  const std::vector<TrackInfo> &tracks = trace.recordedTracks();
  std::vector<Interval> bars = trace.recordedIntervals();
  std::sort(bars.begin(), bars.end(), [](const Interval &a, const Interval &b) {
    return a.begin != b.begin   ? a.begin < b.begin
           : a.track != b.track ? a.track < b.track
                                : a.end < b.end;
  });
  bool cut = bars.size() > maxIntervals;
  if (cut)
    bars.resize(maxIntervals);

  // Copies in flight overlap; the page shows them in one row, later ones on top.
  std::map<TrackId, size_t> rows;
  std::vector<std::string> names;
  for (const Interval &bar : bars)
    rows[bar.track] = 0;
  for (auto &[track, row] : rows) {
    row = names.size();
    const TrackInfo &info = tracks[track];
    names.push_back((info.cta >= 0 ? "CTA " + std::to_string(info.cta) + " "
                                   : "SM " + std::to_string(info.sm) + " ") +
                    info.name);
  }
  std::map<std::string, size_t> labelIds;
  std::vector<std::string> labels;
  json::Writer data;
  data.beginObject().key("bars").beginArray();
  for (const Interval &bar : bars) {
    bool task = tracks[bar.track].kind == TrackKind::Task;
    LocId at = bar.location == NoLocation ? -1 : LocId(bar.location);
    std::string label =
        task ? (bar.reason == Reason::None ? "progress"
                                           : std::string("waits for ") + name(bar.reason)) +
                   " until "
             : "";
    label += std::string(bar.opcode < numOps ? name(Op(bar.opcode)) : "?") + " at " +
             program.locationText(at);
    auto [found, fresh] = labelIds.try_emplace(label, labels.size());
    if (fresh)
      labels.push_back(label);
    data.beginRow()
        .value(uint64_t(rows[bar.track]))
        .value(int64_t(bar.begin))
        .value(int64_t(bar.end));
    data.value(task ? unsigned(bar.reason) : UnitColour).value(uint64_t(found->second)).endArray();
  }
  data.endArray().key("tracks").row(names).key("labels").row(labels).key("colours").beginRow();
  for (const char *colour : Colours)
    data.value(colour);
  data.endArray().key("memories").beginArray();
  Cycles last = 0;
  for (const Interval &bar : bars)
    last = std::max(last, bar.end);
  for (const Occupancy &memory : memories) {
    data.beginObject().key("name").value(memory.name).key("unit").value(memory.unit);
    data.key("limit").value(memory.limit);
    steps(data, "allocated", memory.allocated, last);
    steps(data, "used", memory.used, last);
    data.endObject();
  }
  data.endArray().endObject();

  out += "<h2>Time line</h2>\n";
  if (bars.empty()) {
    out += "<p class=\"faint\">Nothing was recorded.</p>\n";
  } else {
    out += "<p class=\"faint\">Cycles of the SMs that were recorded. Scroll to zoom, drag to move, "
           "double-click for all.";
    if (cut)
      out += " The first " + std::to_string(maxIntervals) + " bars are shown.";
    out += "</p>\n";
    if (!memories.empty())
      out += "<p class=\"faint\">Memory of the SM below, up to what it has: allocated (light), in "
             "use (dark), that is from the beginning of a write to the last access before the "
             "next.</p>\n";
    out += "<canvas id=\"time\"></canvas><div id=\"tip\"></div>\n";
  }
  // "</" would end the script element.
  std::string text = std::move(data).str();
  for (size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "<\\/");
  out += "<script>const data = " + text + ";" + htmlScript + "</script>\n";
}

} // namespace

std::string htmlReport(const TimingReport &r, const Program &program, const Chip &chip,
                       const Trace &trace, size_t maxIntervals) {
  std::string out = htmlHead + escape(program.kernelName) + " on " + escape(r.chip) + htmlStyle;
  out += "<h1>" + escape(program.kernelName) + "</h1>\n<p>Predicted for " + escape(r.chip) +
         ": <b>" + std::to_string(r.cycles) + " cycles</b>, " + number(r.nanoseconds / 1e3, 3) +
         " us at " + number(r.clockMhz, 0) + " MHz; bound by <b>" + escape(r.boundBy) +
         "</b></p>\n<div class=\"cards\">\n";
  card(out, number(100 * r.tensorUtilisation, 1) + " %", "tensor cores", r.tensorUtilisation);
  card(out, number(100 * r.l2Utilisation, 1) + " %", "L2 bandwidth", r.l2Utilisation);
  card(out, number(100 * r.hbmUtilisation, 1) + " %", "memory bandwidth", r.hbmUtilisation);
  card(out, number(100 * r.smemUtilisation, 1) + " %", "shared-memory port", r.smemUtilisation);
  card(out, number(100 * r.issueUtilisation, 1) + " %", "issue slots", r.issueUtilisation);
  Roofline line = rooflineOf(r, chip);
  if (r.flops > 0)
    card(out, number(line.teraflops, 1) + " TFLOP/s",
         "of " + number(line.peakTeraflops, 0) + " (fp16 peak)",
         line.peakTeraflops > 0 ? line.teraflops / line.peakTeraflops : 0);
  if (line.bandwidthLimit > 0)
    card(out, number(line.flopPerByte, 1) + " FLOP/B",
         "memory allows " + number(line.bandwidthLimit, 0) + " TFLOP/s");
  card(out, number(double(r.l2Bytes) / 1e6, 2) + " MB", "through L2");
  card(out, number(double(r.hbmBytes) / 1e6, 2) + " MB", "from and to memory");
  card(out, std::to_string(r.ctas),
       "CTAs, " + std::to_string(r.ctasPerSm) + " at a time on " + std::to_string(r.smsUsed) +
           " SMs");
  out += "</div>\n";
  for (const std::string &note : r.notes)
    out += "<p class=\"faint\">" + escape(note) + "</p>\n";
  taskBars(out, r);
  timeLine(out, program, trace, occupancyOf(r, chip, trace), maxIntervals);
  stallTable(out, r, program);
  out += "</body></html>\n";
  return out;
}

} // namespace tlx::sim
