//===- Timeline.cpp - a violation as columns of tasks ---------------------===//

#include "verify/report/Report.h"

#include <algorithm>

using namespace tlx::verify;

namespace {
constexpr size_t MaxRows = 16, MaxColumns = 5, Width = 25;

std::string fit(std::string text, size_t width) {
  text.resize(width, ' ');
  return text;
}

/// "wait_barrier [0] :22", without what the dialect's name adds.
std::string cell(const ReportStep &step) {
  std::string text = step.op.substr(step.op.rfind('.') + 1);
  std::string place = step.loc.known() ? " :" + std::to_string(step.loc.line) : std::string();
  for (size_t i = 0; i < step.iteration.size(); ++i)
    place = (i ? "," : " [") + std::to_string(step.iteration[step.iteration.size() - 1 - i]) +
            (i ? "" : "]") + place;
  size_t room = Width - 1 - std::min(place.size(), Width - 6);
  if (text.size() > room)
    text = text.substr(0, room - 1) + "~";
  return text + place;
}
} // namespace

std::string tlx::verify::timeLine(const std::vector<ReportStep> &steps) {
  std::vector<std::string> tasks;
  for (const ReportStep &step : steps)
    if (!step.task.empty() && std::find(tasks.begin(), tasks.end(), step.task) == tasks.end())
      tasks.push_back(step.task);
  if (tasks.size() < 2 || tasks.size() > MaxColumns)
    return {};
  std::string out = "    ";
  for (const std::string &task : tasks)
    out += fit(task, Width);
  out += "\n";
  size_t first = steps.size() > MaxRows ? steps.size() - MaxRows : 0;
  for (size_t i = first; i < steps.size(); ++i) {
    auto column = std::find(tasks.begin(), tasks.end(), steps[i].task);
    if (column == tasks.end())
      continue;
    out += "    ";
    for (auto it = tasks.begin(); it != column; ++it)
      out += fit("|", Width);
    out += fit(cell(steps[i]), Width);
    for (auto it = column + 1; it != tasks.end(); ++it)
      out += fit("|", Width);
    out.resize(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  return out;
}
