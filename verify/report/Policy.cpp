#include "verify/report/Policy.h"

#include "runtime/base/Cli.h"
#include "runtime/base/File.h"
#include "runtime/base/Json.h"

#include <algorithm>

using namespace tlx;
using namespace tlx::verify;

namespace {
/// "src/kernel.py" names every path that ends in it; so does "kernel.py".
bool namesFile(const std::string &pattern, const std::string &file) {
  return file == pattern || (file.size() > pattern.size() && file.ends_with(pattern) &&
                             file[file.size() - pattern.size() - 1] == '/');
}

std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/// The name of a class, checked.
std::string classOf(const json::Node &node, const std::string &text) {
  std::vector<std::string> names;
  for (BugClass cls : allClasses())
    names.push_back(info(cls).name);
  if (std::find(names.begin(), names.end(), text) == names.end()) {
    std::string nearest = nearestWord(text, names);
    node.fail("names no class: " + text +
              (nearest.empty() ? std::string() : "; did you mean " + nearest + "?"));
  }
  return text;
}
} // namespace

Result<Policy> Policy::parse(std::string_view text, const std::string &file) {
  auto document = json::parse(text, file);
  if (!document)
    return std::move(document).error();
  json::Reader reader(*document);
  json::Node root = reader.root();
  root.onlyKeys({"war-proxy", "classes", "suppressions"});
  Policy policy;
  if (auto node = root.find("war-proxy")) {
    std::string text = node->string();
    if (text == "off" || text == "warn" || text == "error")
      policy.warProxy = text == "off"    ? WarProxy::Off
                        : text == "warn" ? WarProxy::Warn
                                         : WarProxy::Error;
    else
      node->mustBe("off, warn or error");
  }
  if (auto node = root.find("classes"))
    for (const std::string &name : node->keys()) {
      json::Node value = (*node)[name];
      std::string text = value.string();
      classOf(value, name);
      if (text == "error" || text == "warning" || text == "off")
        policy.classes[name] = text == "error"     ? Severity::Error
                               : text == "warning" ? Severity::Warning
                                                   : Severity::Suppressed;
      else
        value.mustBe("error, warning or off");
    }
  if (auto node = root.find("suppressions"))
    for (size_t i = 0; i < node->size(); ++i) {
      json::Node item = (*node)[i];
      item.onlyKeys({"class", "kernel", "file", "line", "reason"});
      Suppression s;
      if (auto cls = item.find("class"))
        s.cls = classOf(*cls, cls->string());
      if (auto kernel = item.find("kernel"))
        s.kernel = kernel->string();
      s.file = item["file"].string();
      if (auto line = item.find("line"))
        s.line = static_cast<int>(line->integer(1, INT32_MAX));
      json::Node reason = item["reason"];
      s.reason = reason.string();
      if (s.reason.empty())
        reason.mustBe("why the finding does not count");
      s.place = item.location();
      policy.suppressions.push_back(std::move(s));
    }
  if (reader.failed())
    return reader.error();
  return policy;
}

Result<Policy> Policy::read(const std::string &path) {
  auto text = readFile(path);
  if (!text)
    return std::move(text).error();
  return parse(*text, path);
}

void Policy::apply(KernelReport &report) {
  auto severity = [&](const std::string &cls, const SourceLoc &loc, Severity otherwise,
                      std::string &reason) {
    if (auto it = classes.find(cls); it != classes.end())
      otherwise = it->second;
    for (Suppression &s : suppressions)
      if ((s.cls.empty() || s.cls == cls) && (s.kernel.empty() || s.kernel == report.kernel) &&
          namesFile(s.file, loc.file) && (s.line == 0 || s.line == loc.line)) {
        s.used = true;
        reason = s.reason;
        return Severity::Suppressed;
      }
    return otherwise;
  };
  std::string reason;
  if (report.verdict == "BUG") {
    report.severity = severity(report.cls, report.loc, Severity::Error, reason);
    if (!reason.empty())
      report.notes.push_back("suppressed: " + reason);
  }
  std::erase_if(report.warnings, [&](const ReportFinding &finding) {
    return severity(finding.cls, finding.loc, Severity::Warning, reason) == Severity::Suppressed;
  });
}

std::vector<std::string> Policy::unused() const {
  std::vector<std::string> lines;
  for (const Suppression &s : suppressions)
    if (!s.used)
      lines.push_back(s.place.str() + ": warning: this suppression matches no finding (" + s.file +
                      (s.line ? ":" + std::to_string(s.line) : std::string()) + ")");
  return lines;
}

std::string Baseline::key(const std::string &kernel, const std::string &cls, const SourceLoc &loc) {
  return kernel + "\n" + cls + "\n" + baseName(loc.file) + ":" + std::to_string(loc.line);
}

Result<Baseline> Baseline::parse(std::string_view text, const std::string &file) {
  auto document = json::parse(text, file);
  if (!document)
    return std::move(document).error();
  json::Reader reader(*document);
  json::Node root = reader.root();
  root.onlyKeys({"format", "version", "findings"});
  if (root["format"].string() != "tlx-baseline")
    root["format"].mustBe("\"tlx-baseline\"");
  root["version"].integer(1, 1);
  Baseline baseline;
  json::Node findings = root["findings"];
  for (size_t i = 0; i < findings.size(); ++i) {
    json::Node item = findings[i];
    item.onlyKeys({"kernel", "class", "file", "line"});
    SourceLoc loc{item["file"].string(), static_cast<int>(item["line"].integer(0, INT32_MAX)), 0};
    baseline.known.insert(key(item["kernel"].string(), item["class"].string(), loc));
  }
  if (reader.failed())
    return reader.error();
  return baseline;
}

Result<Baseline> Baseline::read(const std::string &path) {
  auto text = readFile(path);
  if (!text)
    return std::move(text).error();
  return parse(*text, path);
}

std::string Baseline::print(const std::vector<KernelReport> &reports) {
  json::Writer w(true);
  w.beginObject().key("format").value("tlx-baseline").key("version").value(1);
  w.key("findings").beginArray();
  std::set<std::string> written;
  for (const KernelReport &r : reports)
    if (r.verdict == "BUG" && written.insert(key(r.kernel, r.cls, r.loc)).second) {
      w.beginObject().key("kernel").value(r.kernel).key("class").value(r.cls);
      w.key("file").value(baseName(r.loc.file)).key("line").value(r.loc.line).endObject();
    }
  w.endArray().endObject();
  return std::move(w).str() + "\n";
}

void Baseline::apply(KernelReport &report) const {
  if (report.verdict == "BUG" && report.severity == Severity::Error &&
      known.contains(key(report.kernel, report.cls, report.loc)))
    report.severity = Severity::Baseline;
}
