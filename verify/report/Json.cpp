//===- Json.cpp - reports for programs ------------------------------------===//

#include "runtime/base/Json.h"
#include "verify/report/Report.h"

using namespace tlx::verify;
using tlx::json::Writer;

static void location(Writer &w, const SourceLoc &loc) {
  if (loc.file.empty()) {
    w.null();
    return;
  }
  w.beginObject().key("file").value(loc.file).key("line").value(loc.line);
  w.key("column").value(loc.column).endObject();
}

static void steps(Writer &w, const std::vector<ReportStep> &list) {
  w.beginArray();
  for (const ReportStep &step : list) {
    w.beginObject().key("task").value(step.task).key("iteration").row(step.iteration);
    w.key("op").value(step.op).key("location");
    location(w, step.loc);
    w.key("note").value(step.note).endObject();
  }
  w.endArray();
}

static void strings(Writer &w, const std::vector<std::string> &list) {
  w.beginArray();
  for (const std::string &text : list)
    w.value(text);
  w.endArray();
}

static void launch(Writer &w, const LaunchReport &l) {
  auto number = [&](const char *key, const std::optional<int> &value) {
    w.key(key);
    if (value)
      w.value(*value);
    else
      w.null();
  };
  w.beginObject().key("target");
  if (l.target.empty())
    w.null();
  else
    w.value(l.target);
  number("num_warps", l.numWarps);
  number("num_ctas", l.numCtas);
  w.key("cluster");
  if (l.cluster)
    w.row(std::vector<int64_t>(l.cluster->begin(), l.cluster->end()));
  else
    w.null();
  w.key("from");
  if (l.from.empty())
    w.null();
  else
    w.value(l.from);
  w.endObject();
}

std::string tlx::verify::toJson(const std::vector<KernelReport> &reports) {
  Writer w(true);
  w.beginObject().key("results").beginArray();
  for (const KernelReport &r : reports) {
    w.beginObject();
    w.key("file").value(r.file).key("kernel").value(r.kernel).key("level").value(r.level);
    w.key("verdict").value(r.verdict).key("class").value(r.cls).key("reason").value(r.reason);
    w.key("message").value(r.message).key("location");
    location(w, r.loc);
    w.key("severity");
    if (r.verdict == "BUG")
      w.value(name(r.severity));
    else
      w.null();
    w.key("preconditions");
    strings(w, r.preconditions);
    w.key("trace");
    steps(w, r.trace);
    w.key("policy").value(r.policy).key("contracts");
    strings(w, r.contracts);
    w.key("warnings").beginArray();
    for (const ReportFinding &f : r.warnings) {
      w.beginObject().key("class").value(f.cls).key("message").value(f.message).key("location");
      location(w, f.loc);
      w.key("steps");
      steps(w, f.steps);
      w.endObject();
    }
    w.endArray().key("notes");
    strings(w, r.notes);
    w.key("bound").value(r.bound).key("launch");
    launch(w, r.launch);
    w.key("states").value(static_cast<uint64_t>(r.states));
    w.key("seconds").value(r.seconds).key("phases").beginObject();
    w.key("encode").value(r.encodeSeconds).key("solver").value(r.solverSeconds);
    w.key("explore").value(r.exploreSeconds).endObject().endObject();
  }
  w.endArray().endObject();
  return std::move(w).str() + "\n";
}

namespace {
using tlx::json::Node;

SourceLoc readLocation(const Node &node) {
  if (node.isNull())
    return {};
  return {node["file"].string(), static_cast<int>(node["line"].integer()),
          static_cast<int>(node["column"].integer())};
}

std::vector<std::string> readStrings(const Node &node) {
  std::vector<std::string> out;
  for (size_t i = 0; i < node.size(); ++i)
    out.push_back(node[i].string());
  return out;
}

std::vector<ReportStep> readSteps(const Node &node) {
  std::vector<ReportStep> out;
  for (size_t i = 0; i < node.size(); ++i)
    out.push_back({node[i]["task"].string(), node[i]["iteration"].integers(),
                   node[i]["op"].string(), readLocation(node[i]["location"]),
                   node[i]["note"].string()});
  return out;
}

LaunchReport readLaunch(const Node &node) {
  LaunchReport out;
  if (auto target = node.find("target"))
    out.target = target->string();
  if (auto warps = node.find("num_warps"))
    out.numWarps = static_cast<int>(warps->integer());
  if (auto ctas = node.find("num_ctas"))
    out.numCtas = static_cast<int>(ctas->integer());
  if (auto cluster = node.find("cluster"))
    out.cluster = {(*cluster)[0].integer(), (*cluster)[1].integer(), (*cluster)[2].integer()};
  if (auto from = node.find("from"))
    out.from = from->string();
  return out;
}
} // namespace

tlx::Result<std::vector<KernelReport>> tlx::verify::fromJson(std::string_view text,
                                                             const std::string &file) {
  auto document = json::parse(text, file);
  if (!document)
    return std::move(document).error();
  json::Reader reader(*document);
  Node results = reader.root()["results"];
  std::vector<KernelReport> reports;
  for (size_t i = 0; i < results.size() && !reader.failed(); ++i) {
    Node node = results[i];
    KernelReport r;
    r.file = node["file"].string(), r.kernel = node["kernel"].string();
    r.level = node["level"].string(), r.verdict = node["verdict"].string();
    r.cls = node["class"].string(), r.reason = node["reason"].string();
    r.message = node["message"].string(), r.loc = readLocation(node["location"]);
    r.preconditions = readStrings(node["preconditions"]);
    r.trace = readSteps(node["trace"]);
    r.policy = node["policy"].string(), r.contracts = readStrings(node["contracts"]);
    Node warnings = node["warnings"];
    for (size_t k = 0; k < warnings.size(); ++k)
      r.warnings.push_back({warnings[k]["class"].string(), warnings[k]["message"].string(),
                            readLocation(warnings[k]["location"]),
                            readSteps(warnings[k]["steps"])});
    r.notes = readStrings(node["notes"]);
    r.bound = node["bound"].string(), r.launch = readLaunch(node["launch"]);
    r.states = static_cast<size_t>(node["states"].integer(0));
    r.seconds = node["seconds"].number();
    Node phases = node["phases"];
    r.encodeSeconds = phases["encode"].number();
    r.solverSeconds = phases["solver"].number();
    r.exploreSeconds = phases["explore"].number();
    reports.push_back(std::move(r));
  }
  if (reader.failed())
    return reader.error();
  return reports;
}
