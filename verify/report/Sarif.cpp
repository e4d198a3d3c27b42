//===- Sarif.cpp - reports for code scanning ------------------------------===//
//
// SARIF 2.1.0 (OASIS): one run, one rule for each class, one result for each
// BUG and warning, and one for each UNKNOWN, as a note. A result's code flow is
// the trace; a suppression says that policy or baseline knows the finding.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Cli.h"
#include "runtime/base/Json.h"
#include "verify/report/Report.h"

#include <algorithm>

using namespace tlx::verify;
using tlx::json::Writer;

namespace {
class Sarif {
public:
  std::string run(const std::vector<KernelReport> &reports) {
    w.beginObject().key("$schema").value("https://json.schemastore.org/sarif-2.1.0.json");
    w.key("version").value("2.1.0").key("runs").beginArray().beginObject();
    driver();
    w.key("columnKind").value("unicodeCodePoints");
    w.key("results").beginArray();
    for (const KernelReport &r : reports)
      kernel(r);
    w.endArray().endObject().endArray().endObject();
    return std::move(w).str() + "\n";
  }

private:
  void driver() {
    w.key("tool").beginObject().key("driver").beginObject();
    w.key("name").value("tlx-verify").key("version").value(tlx::versionString());
    w.key("rules").beginArray();
    for (BugClass cls : allClasses())
      rule(info(cls).name, info(cls).summary, info(cls).detail);
    rule("unknown", "neither proved nor refuted",
         "Something could not be modelled or decided; the message names it.");
    w.endArray().endObject().endObject();
  }

  void rule(const char *id, const char *summary, const char *detail) {
    rules.push_back(id);
    w.beginObject().key("id").value(id);
    text("shortDescription", summary);
    text("fullDescription", detail);
    w.endObject();
  }

  void text(const char *key, const std::string &value) {
    w.key(key).beginObject().key("text").value(value).endObject();
  }

  void kernel(const KernelReport &r) {
    if (r.verdict == "BUG") {
      begin(r, r.cls, r.severity == Severity::Warning ? "warning" : "error", r.message, r.loc);
      if (r.severity == Severity::Suppressed || r.severity == Severity::Baseline) {
        w.key("suppressions").beginArray().beginObject().key("kind").value("external");
        w.key("justification").value(r.severity == Severity::Baseline ? "baseline" : "policy");
        w.endObject().endArray();
      }
      flow(r.trace);
      w.endObject();
    } else if (r.verdict == "UNKNOWN") {
      begin(r, "unknown", "note", r.message, r.loc);
      w.endObject();
    }
    for (const ReportFinding &warning : r.warnings) {
      begin(r, warning.cls, "warning", warning.message, warning.loc);
      flow(warning.steps);
      w.endObject();
    }
  }

  void begin(const KernelReport &r, const std::string &id, const char *level,
             const std::string &message, const SourceLoc &loc) {
    auto rule = std::find(rules.begin(), rules.end(), id);
    w.beginObject().key("ruleId").value(id);
    w.key("ruleIndex").value(static_cast<int64_t>(rule - rules.begin()));
    w.key("level").value(level);
    text("message", message.empty() ? r.reason : message);
    w.key("locations").beginArray().beginObject();
    place(loc, r.file);
    w.key("logicalLocations").beginArray().beginObject();
    w.key("name").value(r.kernel).key("kind").value("function").endObject().endArray();
    w.endObject().endArray();
    w.key("properties").beginObject().key("file").value(r.file);
    w.key("level").value(r.level).endObject();
  }

  /// Where the IR does not say, the file that was read.
  void place(const SourceLoc &loc, const std::string &otherwise) {
    w.key("physicalLocation").beginObject();
    w.key("artifactLocation").beginObject().key("uri");
    w.value(uri(loc.known() ? loc.file : otherwise)).endObject();
    if (loc.known()) {
      w.key("region").beginObject().key("startLine").value(loc.line);
      if (loc.column > 0)
        w.key("startColumn").value(loc.column);
      w.endObject();
    }
    w.endObject();
  }

  static std::string uri(const std::string &path) {
    static const char hex[] = "0123456789ABCDEF";
    std::string out = path.starts_with('/') ? "file://" : "";
    for (unsigned char c : path)
      if (std::isalnum(c) ||
          std::string_view("/-._~").find(static_cast<char>(c)) != std::string_view::npos)
        out += static_cast<char>(c);
      else
        out += std::string("%") + hex[c >> 4] + hex[c & 15];
    return out;
  }

  void flow(const std::vector<ReportStep> &steps) {
    if (steps.empty())
      return;
    w.key("codeFlows").beginArray().beginObject().key("threadFlows").beginArray().beginObject();
    w.key("locations").beginArray();
    for (const ReportStep &step : steps) {
      w.beginObject().key("location").beginObject();
      if (step.loc.known())
        place(step.loc, {});
      text("message", step.task + (step.task.empty() ? "" : ": ") + step.op +
                          (step.note.empty() ? "" : ": " + step.note));
      w.endObject().endObject();
    }
    w.endArray().endObject().endArray().endObject().endArray();
  }

  Writer w{true};
  std::vector<std::string> rules;
};
} // namespace

std::string tlx::verify::toSarif(const std::vector<KernelReport> &reports) {
  return Sarif().run(reports);
}
