//===- Report.cpp - what a run says, for people and for programs ----------===//
//
// The JSON schema is described in docs/reference/tlx-run.md and tested.
//
//===----------------------------------------------------------------------===//
#include "runtime/tools/tlx-run/Session.h"
#include "runtime/tools/tlx-run/Text.h"

#include "runtime/base/Json.h"

#include <algorithm>
#include <cstdio>

namespace tlx::run {
namespace {

void writeLocation(json::Writer &out, const SourceLocation &location) {
  out.beginObject().key("file").value(location.file);
  out.key("line").value(location.line);
  out.key("column").value(location.column).endObject();
}

void writeFinding(json::Writer &out, const device::Finding &finding) {
  out.beginObject().key("class").value(finding.category);
  out.key("message").value(finding.message).key("location");
  writeLocation(out, finding.location);
  out.key("notes").beginArray();
  for (const ErrorNote &note : finding.notes) {
    out.beginObject().key("message").value(note.message).key("location");
    writeLocation(out, note.location);
    out.endObject();
  }
  out.endArray().key("count").value(finding.count).endObject();
}

void writeComparison(json::Writer &out, const Comparison &comparison) {
  out.key("comparison").beginObject().key("matches").value(comparison.matches);
  out.key("differing").value(comparison.differing);
  out.key("largest_error").value(comparison.largestError);
  out.key("rms_error").value(comparison.rmsError);
  out.key("largest_expected").value(comparison.largestExpected);
  out.key("tolerance").value(comparison.tolerance).endObject();
}

/// Median, fastest and slowest sample, in ns.
struct Spread {
  explicit Spread(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    least = samples.front();
    median = samples[samples.size() / 2];
    most = samples.back();
  }
  double least, median, most;
};

void writeMeasurement(json::Writer &out, const device::Measurement &measured) {
  Spread spread(measured.samplesNs);
  out.key("measurement").beginObject().key("median_ns").value(spread.median);
  out.key("least_ns").value(spread.least).key("most_ns").value(spread.most);
  out.key("samples").value(uint64_t(measured.samplesNs.size()));
  out.key("launches_per_sample").value(measured.launchesPerSample);
  out.key("in_graph").value(measured.inGraph).endObject();
}

void writeSimulated(json::Writer &out, const Simulated &simulated) {
  out.key("simulated").beginObject().key("chip").value(simulated.chip).key("ns");
  simulated.nanoseconds ? out.value(*simulated.nanoseconds) : out.null();
  out.key("matches").value(simulated.matches).key("outputs").beginObject();
  for (const auto &[storage, comparison] : simulated.comparisons) {
    out.key(std::to_string(storage)).beginObject();
    writeComparison(out, comparison);
    out.endObject();
  }
  out.endObject().endObject();
}

/// The time to put next to a simulated one: without the launch's, where there is one.
std::optional<double> timeOf(const Outcome &outcome) {
  if (outcome.measurement)
    return Spread(outcome.measurement->samplesNs).median;
  return outcome.report.nanoseconds;
}

std::string simulatedText(const Simulated &simulated, std::optional<double> measured) {
  std::string out = simulated.matches ? "the same values" : "VALUES DIFFER";
  for (const auto &[storage, comparison] : simulated.comparisons)
    if (!comparison.matches)
      out += "; output " + std::to_string(storage) + ": " + std::to_string(comparison.differing) +
             " elements, by at most " + std::to_string(comparison.largestError);
  if (!simulated.nanoseconds)
    return out;
  out += "; " + duration(*simulated.nanoseconds) + " on " + simulated.chip;
  if (measured) {
    char ratio[48];
    std::snprintf(ratio, sizeof ratio, ", %.2f of the measured time",
                  *simulated.nanoseconds / *measured);
    out += ratio;
  }
  return out;
}

void line(std::string &out, std::string label, const std::string &text) {
  label.resize(std::max<size_t>(label.size() + 1, 16), ' ');
  out += label + text + '\n';
}

std::string shapeText(const Output &output) {
  std::string out = tlx::name(output.dtype);
  for (size_t i = 0; i < output.shape.size(); ++i)
    out += (i ? "x" : " ") + std::to_string(output.shape[i]);
  return out;
}

} // namespace

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int at = int(digits.size()) - 3; at > (number < 0); at -= 3)
    digits.insert(size_t(at), ",");
  return digits;
}

std::string duration(double nanoseconds) {
  char text[32];
  if (nanoseconds < 1e6)
    std::snprintf(text, sizeof text, "%.2f us", nanoseconds / 1e3);
  else
    std::snprintf(text, sizeof text, "%.3f ms", nanoseconds / 1e6);
  return text;
}

std::string jsonReport(const Outcome &outcome) {
  const device::LaunchReport &report = outcome.report;
  json::Writer out(/*pretty=*/true);
  out.beginObject();
  out.key("device").value(outcome.device).key("kernel").value(outcome.kernel);
  out.key("chip");
  report.chip.empty() ? out.null() : out.value(report.chip);
  out.key("cycles");
  report.cycles ? out.value(*report.cycles) : out.null();
  out.key("ns");
  report.nanoseconds ? out.value(*report.nanoseconds) : out.null();
  out.key("seconds").value(outcome.seconds);
  if (outcome.measurement)
    writeMeasurement(out, *outcome.measurement);
  if (outcome.simulated)
    writeSimulated(out, *outcome.simulated);
  out.key("outputs").beginObject();
  for (const Output &output : outcome.outputs) {
    out.key(std::to_string(output.storage)).beginObject();
    out.key("dtype").value(tlx::name(output.dtype));
    out.key("shape").row(output.shape);
    out.key("sha256").value(output.sha256);
    if (!output.file.empty())
      out.key("file").value(output.file);
    if (output.comparison)
      writeComparison(out, *output.comparison);
    out.endObject();
  }
  out.endObject().key("findings").beginArray();
  for (const device::Finding &finding : report.findings)
    writeFinding(out, finding);
  out.endArray().key("details").beginObject();
  if (report.writeDetails)
    report.writeDetails(out);
  out.endObject();
  out.key("notes").row(report.notes).key("printed").row(report.printed);
  out.endObject();
  return std::move(out).str() + "\n";
}

std::string findingsText(const Outcome &outcome) {
  std::string out;
  for (const device::Finding &finding : outcome.report.findings) {
    Error shown(finding.message + " [" + finding.category + "]", finding.location);
    shown.notes = finding.notes;
    out += shown.str() + '\n';
    if (finding.count > 1)
      out += "note: this happened " + grouped(finding.count) + " times\n";
  }
  return out;
}

std::string textReport(const Outcome &outcome) {
  const device::LaunchReport &report = outcome.report;
  std::string out;
  for (const std::string &text : report.printed)
    out += text + '\n';
  if (report.summary.empty())
    line(out, "kernel",
         "@" + outcome.kernel + " on " + outcome.device +
             (report.chip.empty() ? "" : " (" + report.chip + ")"));
  if (report.cycles && report.summary.empty())
    line(out, "time",
         grouped(*report.cycles) + " cycles" +
             (report.nanoseconds ? ", " + duration(*report.nanoseconds) : ""));
  else if (report.nanoseconds && report.summary.empty())
    line(out, "time", duration(*report.nanoseconds) + ", one launch");
  if (outcome.measurement) {
    Spread spread(outcome.measurement->samplesNs);
    line(out, "measured",
         duration(spread.median) + " median, " + duration(spread.least) + " to " +
             duration(spread.most) + " in " +
             std::to_string(outcome.measurement->samplesNs.size()) + " samples of " +
             std::to_string(outcome.measurement->launchesPerSample) + " launches" +
             (outcome.measurement->inGraph ? ", as graphs" : ""));
  }
  if (outcome.simulated)
    line(out, "simulated", simulatedText(*outcome.simulated, timeOf(outcome)));
  out += report.summary;
  if (report.computedValues && outcome.outputs.empty())
    line(out, "outputs", "none: no storage changed");
  for (const Output &output : outcome.outputs)
    line(out, "output " + std::to_string(output.storage),
         shapeText(output) + "  sha256 " + output.sha256.substr(0, 16) +
             (output.file.empty() ? "" : "  -> " + output.file) +
             (output.comparison ? output.comparison->matches ? "  as expected" : "  DIFFERS" : ""));
  for (const std::string &note : report.notes)
    if (report.summary.find(note) == std::string::npos)
      line(out, "note", note);
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.2f s", outcome.seconds);
  line(out, "ran for", seconds);
  return out;
}

} // namespace tlx::run
