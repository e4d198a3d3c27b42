//===- Versus.cpp -----------------------------------------------------------===//
#include "runtime/tools/tlx-run/Versus.h"

#include "runtime/tools/tlx-run/Text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace tlx::run {
namespace {

/// A source line and its reason in both reports.
struct LineChange {
  std::string line, reason;
  double a = 0, b = 0;
};

std::vector<LineChange> lineChanges(const Predicted &a, const Predicted &b) {
  std::map<std::pair<std::string, std::string>, LineChange> merged;
  auto add = [&](const Predicted &from, double LineChange::*side) {
    for (const auto &[key, cycles] : from.lines) {
      LineChange &change = merged[key];
      change.line = key.first;
      change.reason = key.second;
      change.*side = cycles;
    }
  };
  add(a, &LineChange::a);
  add(b, &LineChange::b);
  std::vector<LineChange> out;
  for (auto &[key, change] : merged)
    out.push_back(std::move(change));
  std::sort(out.begin(), out.end(), [](const LineChange &x, const LineChange &y) {
    double xMoved = std::fabs(x.b - x.a), yMoved = std::fabs(y.b - y.a);
    return xMoved != yMoved ? xMoved > yMoved
                            : std::tie(x.line, x.reason) < std::tie(y.line, y.reason);
  });
  return out;
}

/// Tasks of the same name; the null one is missing in that report.
std::vector<std::pair<const Predicted::Task *, const Predicted::Task *>>
pairTasks(const Predicted &a, const Predicted &b) {
  std::vector<std::pair<const Predicted::Task *, const Predicted::Task *>> out;
  for (const Predicted::Task &task : a.tasks)
    out.push_back({&task, nullptr});
  for (const Predicted::Task &task : b.tasks) {
    auto same = std::find_if(out.begin(), out.end(), [&](auto &pair) {
      return pair.first && pair.first->name == task.name;
    });
    if (same == out.end())
      out.push_back({nullptr, &task});
    else
      same->second = &task;
  }
  return out;
}

double waitOf(const Predicted::Task *task, const std::string &reason) {
  if (!task)
    return 0;
  auto found = task->waits.find(reason);
  return found == task->waits.end() ? 0 : found->second;
}

/// Reasons of either task.
std::map<std::string, std::pair<double, double>> waitsOf(const Predicted::Task *a,
                                                         const Predicted::Task *b) {
  std::map<std::string, std::pair<double, double>> out;
  for (const Predicted::Task *task : {a, b})
    if (task)
      for (const auto &[reason, share] : task->waits)
        out[reason] = {waitOf(a, reason), waitOf(b, reason)};
  return out;
}

std::string formatted(const char *pattern, double value) {
  char text[48];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string percent(double share) { return formatted("%.1f %%", 100 * share); }
std::string points(double a, double b) { return formatted("%+.1f points", 100 * (b - a)); }
std::string relative(double a, double b) {
  return a == b ? "same" : a == 0 ? "new" : formatted("%+.1f %%", 100 * (b - a) / a);
}

/// Columns: what, in a, in b, change.
class Table {
public:
  void row(std::string what, std::string a, std::string b, std::string change = "") {
    rows.push_back({std::move(what), std::move(a), std::move(b), std::move(change)});
  }
  void heading(std::string text) { rows.push_back({std::move(text), "", "", ""}); }
  std::string text() const {
    size_t width[4] = {};
    for (const auto &cells : rows)
      for (size_t i = 0; i < 4; ++i)
        if (i > 0 || !cells[1].empty())
          width[i] = std::max(width[i], cells[i].size());
    std::string out;
    for (const auto &cells : rows) {
      std::string line = cells[0];
      line.resize(std::max(line.size(), width[0]), ' ');
      for (size_t i = 1; i < 4; ++i)
        line += std::string(2 + width[i] - std::min(width[i], cells[i].size()), ' ') + cells[i];
      out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return out;
  }

private:
  std::vector<std::array<std::string, 4>> rows;
};

/// "memory" → its text in the table.
std::string label(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

template <typename T>
T valueOf(const std::vector<std::pair<std::string, T>> &in, const std::string &key) {
  for (const auto &[name, value] : in)
    if (name == key)
      return value;
  return T();
}

template <typename T> void change(json::Writer &out, const char *key, T a, T b) {
  out.key(key).beginObject().key("a").value(a).key("b").value(b).endObject();
}

} // namespace

Result<Predicted> readPredicted(const json::Document &document) {
  json::Reader reader(document);
  Predicted out;
  out.file = document.file;
  json::Node root = reader.root();
  out.kernel = root["kernel"].string();
  json::Node details = root["details"];
  if (!reader.failed() && !details.find("bound_by"))
    details.fail("has no predicted time; a report of --json on the simulator, without "
                 "--functional-only, is needed");
  out.chip = details["chip"].string();
  out.boundBy = details["bound_by"].string();
  out.cycles = details["cycles"].integer(0);
  out.nanoseconds = details["ns"].number();
  json::Node utilisation = details["utilisation"], bytes = details["bytes"];
  for (const std::string &key : utilisation.keys())
    out.utilisation.push_back({key, utilisation[key].number()});
  for (const std::string &key : bytes.keys())
    out.bytes.push_back({key, bytes[key].integer(0)});
  json::Node tasks = details["tasks"];
  for (size_t i = 0; i < tasks.size(); ++i) {
    json::Node from = tasks[i], blocked = from["blocked"];
    double total = std::max(1.0, from["cycles"].number());
    Predicted::Task task{from["name"].string(), from["progress"].number() / total, {}};
    for (const std::string &reason : blocked.keys())
      task.waits[reason] = blocked[reason].number() / total;
    out.tasks.push_back(std::move(task));
  }
  json::Node stalls = details["stalls"];
  for (size_t i = 0; i < stalls.size(); ++i) {
    json::Node stall = stalls[i];
    std::optional<json::Node> file = stall.find("file");
    std::string line = file ? file->string() + ":" + std::to_string(stall["line"].integer())
                            : "(" + stall["op"].string() + ")";
    out.lines[{line, stall["reason"].string()}] += stall["share"].number() * double(out.cycles);
  }
  if (reader.failed())
    return reader.error();
  return out;
}

std::string versusText(const Predicted &a, const Predicted &b, size_t lines) {
  Table table;
  table.row("", a.file, b.file, "change");
  table.row("kernel", a.kernel, b.kernel);
  table.row("chip", a.chip, b.chip);
  table.row("cycles", grouped(a.cycles), grouped(b.cycles),
            relative(double(a.cycles), double(b.cycles)));
  table.row("time", duration(a.nanoseconds), duration(b.nanoseconds),
            relative(a.nanoseconds, b.nanoseconds));
  table.row("bound by", a.boundBy, b.boundBy);
  for (const auto &[key, share] : a.utilisation) {
    double other = valueOf(b.utilisation, key);
    table.row(label(key), percent(share), percent(other), points(share, other));
  }
  for (const auto &[key, count] : a.bytes) {
    int64_t other = valueOf(b.bytes, key);
    table.row(key + " bytes", grouped(count), grouped(other),
              relative(double(count), double(other)));
  }
  table.heading("what tasks do with their time");
  for (auto [x, y] : pairTasks(a, b)) {
    const std::string &name = (x ? x : y)->name;
    auto share = [](const Predicted::Task *task, double value) {
      return task ? percent(value) : "no such task";
    };
    double before = x ? x->progress : 0, after = y ? y->progress : 0;
    table.row("  " + name + ": progress", share(x, before), share(y, after),
              x && y ? points(before, after) : "");
    for (const auto &[reason, both] : waitsOf(x, y))
      if (std::max(both.first, both.second) >= 0.005)
        table.row("    " + reason, percent(both.first), percent(both.second),
                  points(both.first, both.second));
  }
  std::vector<LineChange> changes = lineChanges(a, b);
  bool any = !changes.empty() && std::lround(changes[0].b - changes[0].a) != 0;
  table.heading(any ? "lines whose waiting changed most, in cycles of one task"
                    : "no line's waiting changed");
  for (size_t i = 0; i < changes.size() && i < lines; ++i) {
    const LineChange &line = changes[i];
    if (std::lround(line.b - line.a) == 0)
      break;
    table.row("  " + line.line + " " + line.reason, grouped(std::lround(line.a)),
              grouped(std::lround(line.b)), formatted("%+.0f", line.b - line.a));
  }
  return table.text();
}

std::string versusJson(const Predicted &a, const Predicted &b) {
  json::Writer out(/*pretty=*/true);
  out.beginObject();
  change(out, "file", a.file, b.file);
  change(out, "kernel", a.kernel, b.kernel);
  change(out, "chip", a.chip, b.chip);
  change(out, "cycles", a.cycles, b.cycles);
  change(out, "ns", a.nanoseconds, b.nanoseconds);
  change(out, "bound_by", a.boundBy, b.boundBy);
  out.key("utilisation").beginObject();
  for (const auto &[key, share] : a.utilisation)
    change(out, key.c_str(), share, valueOf(b.utilisation, key));
  out.endObject().key("bytes").beginObject();
  for (const auto &[key, count] : a.bytes)
    change(out, key.c_str(), count, valueOf(b.bytes, key));
  out.endObject().key("tasks").beginArray();
  for (auto [x, y] : pairTasks(a, b)) {
    out.beginObject().key("name").value((x ? x : y)->name);
    change(out, "present", x != nullptr, y != nullptr);
    change(out, "progress", x ? x->progress : 0, y ? y->progress : 0);
    out.key("blocked").beginObject();
    for (const auto &[reason, both] : waitsOf(x, y))
      change(out, reason.c_str(), both.first, both.second);
    out.endObject().endObject();
  }
  out.endArray().key("lines").beginArray();
  for (const LineChange &line : lineChanges(a, b)) {
    out.beginObject().key("line").value(line.line).key("reason").value(line.reason);
    change(out, "cycles", line.a, line.b);
    out.endObject();
  }
  out.endArray().endObject();
  return std::move(out).str() + "\n";
}

Result<std::string> compareReports(const std::string &before, const std::string &after, bool json) {
  std::vector<Predicted> reports;
  for (const std::string &path : {before, after}) {
    auto document = json::parseFile(path);
    if (!document)
      return std::move(document).error();
    auto report = readPredicted(*document);
    if (!report)
      return std::move(report).error();
    reports.push_back(std::move(*report));
  }
  return json ? versusJson(reports[0], reports[1]) : versusText(reports[0], reports[1]);
}

} // namespace tlx::run
