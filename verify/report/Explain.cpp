//===- Explain.cpp - what a class means, and what a report found ----------===//
#include "runtime/base/Cli.h"
#include "runtime/base/File.h"
#include "verify/model/Contracts.h"
#include "verify/report/Report.h"

#include <algorithm>
#include <map>

using namespace tlx;
using namespace tlx::verify;

namespace {
/// The files of examples/, by class.
const std::map<std::string, std::string> &examples() {
  static const std::map<std::string, std::string> table{
#include "verify/report/Examples.inc"
  };
  return table;
}

const ClassInfo *findClass(const std::string &name) {
  for (BugClass cls : allClasses())
    if (name == info(cls).name)
      return &info(cls);
  return nullptr;
}

std::string contractTexts() {
  std::string text;
  for (const Contract &contract : contracts())
    text += std::string(contract.name) + "\n    " + contract.text + "\n";
  return text;
}

std::string classNames() {
  std::string text;
  for (BugClass cls : allClasses()) {
    std::string name = info(cls).name;
    text +=
        name + std::string(18 - std::min<size_t>(name.size(), 16), ' ') + info(cls).summary + "\n";
  }
  return text;
}

std::string place(const SourceLoc &loc, const std::string &file) {
  if (loc.file.empty())
    return file;
  return loc.file + ":" + std::to_string(loc.line) + ":" + std::to_string(loc.column);
}

/// A line for each finding, then once for each class what it means.
std::string explained(const std::vector<KernelReport> &reports) {
  std::string found;
  std::vector<std::string> classes;
  auto add = [&](const KernelReport &report, const SourceLoc &loc, const std::string &what,
                 const std::string &cls, const std::string &message) {
    found += place(loc, report.file) + ": " + report.kernel + " (" + report.level + "): " + what +
             ": " + message + "\n";
    if (!cls.empty() && std::find(classes.begin(), classes.end(), cls) == classes.end())
      classes.push_back(cls);
  };
  for (const KernelReport &report : reports) {
    if (report.verdict == "BUG")
      add(report, report.loc, "BUG(" + report.cls + ")", report.cls, report.message);
    else if (report.verdict != "PROVED")
      add(report, report.loc, "UNKNOWN(" + report.reason + ")", "", report.message);
    for (const ReportFinding &warning : report.warnings)
      add(report, warning.loc, "warning(" + warning.cls + ")", warning.cls, warning.message);
  }
  if (found.empty())
    return "nothing was found: all " + std::to_string(reports.size()) + " verdicts are PROVED\n";
  for (const std::string &cls : classes)
    if (const ClassInfo *entry = findClass(cls))
      found += "\n" + cls + ": " + entry->summary + "\n\n" + entry->detail + "\n(`tlx explain " +
               cls + "` shows a kernel that has it)\n";
  return found;
}
} // namespace

Result<std::string> tlx::verify::explain(const std::string &what) {
  if (what == "classes")
    return classNames();
  if (what == "contracts")
    return contractTexts();
  if (what.ends_with(".json")) {
    auto text = readFile(what);
    if (!text)
      return std::move(text).error();
    auto reports = fromJson(*text, what);
    if (!reports)
      return std::move(reports.error()).withHint("reports are what tlx-verify --json prints");
    return explained(*reports);
  }
  const ClassInfo *entry = findClass(what);
  if (!entry) {
    std::vector<std::string> names{"classes", "contracts"};
    for (BugClass cls : allClasses())
      names.push_back(info(cls).name);
    std::string nearest = nearestWord(what, names);
    return Error("there is no class '" + what + "'", {},
                 nearest.empty() ? "`tlx explain classes` lists them"
                                 : "did you mean '" + nearest + "'?");
  }
  std::string text = what + ": " + entry->summary + "\n\n" + entry->detail + "\n";
  if (auto example = examples().find(what); example != examples().end())
    text += "\nA kernel that has it:\n\n" + example->second;
  return text;
}
