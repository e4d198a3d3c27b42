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
