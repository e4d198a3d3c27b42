//===- Text.cpp - reports for people --------------------------------------===//

#include "verify/report/Report.h"

#include <cstdio>
#include <map>
#include <set>

using namespace tlx::verify;

static std::string line(const ReportStep &step) {
  std::string text = "    ";
  text += step.task.empty() ? std::string("(kernel)") : step.task;
  if (!step.iteration.empty()) {
    text += " [";
    for (size_t i = 0; i < step.iteration.size(); ++i)
      text += (i ? "," : "") + std::to_string(step.iteration[i]);
    text += "]";
  }
  if (text.size() < 26)
    text.resize(26, ' ');
  text += " " + step.op;
  if (text.size() < 58)
    text.resize(58, ' ');
  text += " " + (step.loc.known() ? step.loc.str() : std::string());
  if (!step.note.empty())
    text += "\n          " + step.note;
  return text + "\n";
}

/// The steps, of each task the newest; what came before is in the JSON. What is said of several
/// waits stands once.
static std::string newestOfEach(const std::vector<ReportStep> &steps) {
  constexpr int MostOfTask = 10;
  std::map<std::string, int> seen;
  std::set<std::string> said;
  std::string out;
  size_t left = 0;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    std::string text = line(*step);
    if (!said.insert(text).second)
      continue;
    if (step->task.empty() || ++seen[step->task] <= MostOfTask)
      out.insert(0, text);
    else
      ++left;
  }
  if (left)
    out.insert(0, "    (" + std::to_string(left) + " earlier: --json)\n");
  return out;
}

std::string tlx::verify::toText(const KernelReport &r, bool colour) {
  auto paint = [&](const char *code, const std::string &text) {
    return colour ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  };
  std::string out = r.file + ": ";
  if (!r.kernel.empty()) // none when the file was too much
    out += r.kernel + " (" + r.level + "): ";
  char time[64];
  std::snprintf(time, sizeof time, " (%.3f s, %zu states)\n", r.seconds, r.states);
  if (r.verdict == "PROVED") {
    out += paint("1;32", "PROVED");
    if (!r.preconditions.empty()) {
      out += " when ";
      for (size_t i = 0; i < r.preconditions.size(); ++i)
        out += (i ? " and " : "") + r.preconditions[i];
    }
    out += time;
  } else if (r.verdict == "BUG") {
    out += paint(r.severity == Severity::Error ? "1;31" : "1;35", "BUG(" + r.cls + ")");
    if (r.severity != Severity::Error)
      out += std::string(" [") + name(r.severity) + "]";
    out += time;
    out += (r.loc.known() ? r.loc.str() + ": " : std::string()) + "error: " + r.message + "\n";
    out += newestOfEach(r.trace);
    if (std::string columns = timeLine(r.trace); !columns.empty())
      out += "\n" + columns + "\n";
    if (!r.launch.from.empty())
      out += "  note: launch parameters from " + r.launch.from + "\n";
    for (const std::string &note : r.notes)
      out += "  note: " + note + "\n";
    out += "  help: tlx-verify --explain " + r.cls + "\n";
  } else {
    out += paint("1;33", "UNKNOWN(" + r.reason + ")") + time;
    out += (r.loc.known() ? r.loc.str() + ": " : std::string()) + "note: " + r.message + "\n";
    if (!r.bound.empty())
      out += "  " + r.bound + "\n";
  }
  if (r.verdict != "BUG")
    for (const std::string &note : r.notes)
      out += "  note: " + note + "\n";
  for (const ReportFinding &warning : r.warnings) {
    out += (warning.loc.known() ? warning.loc.str() + ": " : std::string()) +
           paint("1;35", "warning") + ": " + warning.cls + ": " + warning.message + "\n";
    for (size_t i = 1; i < warning.steps.size(); ++i)
      out += line(warning.steps[i]);
  }
  return out;
}

std::string tlx::verify::summary(const std::vector<KernelReport> &reports, size_t kernels,
                                 size_t files, size_t skipped, double seconds) {
  size_t proved = 0, bugs = 0, known = 0, unknown = 0;
  for (const KernelReport &r : reports) {
    proved += r.verdict == "PROVED";
    bugs += r.verdict == "BUG";
    known += r.verdict == "BUG" && r.severity != Severity::Error;
    unknown += r.verdict == "UNKNOWN";
  }
  auto count = [](size_t n, const char *what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  std::string out = count(kernels, "kernel") +
                    (kernels < reports.size() ? " at several levels in " : " in ") +
                    count(files - skipped, "file") + ": " + std::to_string(proved) + " PROVED, " +
                    std::to_string(bugs) + " BUG";
  if (known)
    out += " (" + std::to_string(known) + " not counted)";
  out += ", " + std::to_string(unknown) + " UNKNOWN";
  if (skipped)
    out += "; interrupted: " + count(skipped, "file") + " not looked at";
  char time[32];
  std::snprintf(time, sizeof time, " (%.1f s)\n", seconds);
  return out + time;
}
