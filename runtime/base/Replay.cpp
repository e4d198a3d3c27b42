//===- Replay.cpp - printing and reading replay files ---------------------===//
#include "runtime/base/Replay.h"

#include "runtime/base/File.h"
#include "runtime/base/Json.h"
#include "runtime/base/Sha256.h"

namespace tlx::replay {

static constexpr const char *formatName = "tlx-replay";

const char *name(Answer::Kind kind) {
  switch (kind) {
  case Answer::Kind::Branch: return "branch";
  case Answer::Kind::Clc: return "clc";
  case Answer::Kind::Value: return "value";
  }
  return "?";
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::vector<int64_t> asVector(const std::array<int64_t, 3> &triple) {
  return {triple.begin(), triple.end()};
}

static void printOperation(json::Writer &out, const Operation &op) {
  out.beginObject().key("name").value(op.name);
  if (op.index >= 0)
    out.key("index").value(op.index);
  if (op.location.line) {
    out.key("file").value(op.location.file);
    out.key("line").value(op.location.line);
    out.key("column").value(op.location.column);
  }
  out.endObject();
}

static void printScalar(json::Writer &out, const Scalar &scalar) {
  out.beginObject().key("parameter").value(scalar.parameter);
  out.key("name").value(scalar.name).key("type").value(scalar.type);
  out.key("float").value(scalar.isFloat).key("value");
  if (scalar.isFloat)
    out.value(scalar.real);
  else
    out.value(scalar.integer);
  out.endObject();
}

static void printAnswer(json::Writer &out, const Answer &answer) {
  out.beginObject().key("kind").value(name(answer.kind));
  out.key("cta").value(answer.cta).key("task").value(answer.task);
  out.key("op");
  printOperation(out, answer.op);
  out.key("occurrence").value(answer.occurrence);
  out.key("values").row(answer.values).endObject();
}

static void printEvent(json::Writer &out, const Event &event) {
  out.beginObject().key("cta").value(event.cta).key("task").value(event.task);
  out.key("op");
  printOperation(out, event.op);
  out.key("iteration").row(event.iteration);
  if (event.completion)
    out.key("completion").value(true);
  if (!event.note.empty())
    out.key("note").value(event.note);
  out.endObject();
}

std::string print(const Trace &trace) {
  json::Writer out(/*pretty=*/true);
  out.beginObject();
  out.key("format").value(formatName).key("version").value(formatVersion);
  out.key("writer").value(trace.writer);
  out.key("kernel").value(trace.kernel);
  out.key("sha256").value(trace.contentHash);
  const Launch &launch = trace.launch;
  out.key("launch").beginObject();
  out.key("target").value(launch.target);
  out.key("grid").row(asVector(launch.grid));
  out.key("cluster").row(asVector(launch.cluster));
  out.key("num_warps").value(launch.numWarps);
  out.key("num_ctas").value(launch.numCtas).endObject();
  out.key("scalars").beginArray();
  for (const Scalar &scalar : trace.scalars)
    printScalar(out, scalar);
  out.endArray().key("ctas").beginArray();
  for (const Cta &cta : trace.ctas) {
    out.beginObject().key("program").row(asVector(cta.program));
    out.key("rank").value(cta.rank).endObject();
  }
  out.endArray().key("answers").beginArray();
  for (const Answer &answer : trace.answers)
    printAnswer(out, answer);
  out.endArray().key("events").beginArray();
  for (const Event &event : trace.events)
    printEvent(out, event);
  out.endArray().key("violation").beginObject();
  out.key("class").value(trace.violation.category);
  out.key("message").value(trace.violation.message).key("op");
  printOperation(out, trace.violation.op);
  if (trace.violation.phase >= 0)
    out.key("phase").value(trace.violation.phase).key("meant").value(trace.violation.meant);
  out.endObject().endObject();
  return std::move(out).str() + "\n";
}

Result<void> write(const Trace &trace, const std::string &path) {
  return writeFile(path, print(trace));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::array<int64_t, 3> readTriple(json::Node node, int64_t low) {
  std::array<int64_t, 3> out{low, low, low};
  if (node.size() != 3)
    node.fail("must have three elements");
  else
    for (size_t i = 0; i < 3; ++i)
      out[i] = node[i].integer(low);
  return out;
}

static std::string optionalString(json::Node node, std::string_view key) {
  auto member = node.find(key);
  return member ? member->string() : std::string();
}

static Operation readOperation(json::Node node) {
  Operation op;
  op.name = node["name"].string();
  if (auto index = node.find("index"))
    op.index = index->integer(0);
  op.location.file = optionalString(node, "file");
  if (auto line = node.find("line"))
    op.location.line = unsigned(line->unsignedInteger(UINT32_MAX));
  if (auto column = node.find("column"))
    op.location.column = unsigned(column->unsignedInteger(UINT32_MAX));
  return op;
}

static Launch readLaunch(json::Node node) {
  Launch launch;
  launch.target = node["target"].string();
  launch.grid = readTriple(node["grid"], 1);
  launch.cluster = readTriple(node["cluster"], 1);
  launch.numWarps = node["num_warps"].integer(1, 64);
  launch.numCtas = node["num_ctas"].integer(1, 64);
  return launch;
}

static Scalar readScalar(json::Node node) {
  Scalar scalar;
  scalar.parameter = node["parameter"].integer(0);
  scalar.name = optionalString(node, "name");
  scalar.type = node["type"].string();
  scalar.isFloat = node["float"].boolean();
  json::Node value = node["value"];
  if (!scalar.isFloat)
    scalar.integer = value.integer();
  else if (value.kind() == json::Kind::String) { // JSON has no NaN
    std::string text = value.string();
    if (text == "nan" || text == "inf" || text == "-inf")
      scalar.real = text == "nan"   ? __builtin_nan("")
                    : text == "inf" ? __builtin_inf()
                                    : -__builtin_inf();
    else
      value.mustBe("a number, \"nan\", \"inf\" or \"-inf\"");
  } else
    scalar.real = value.number();
  return scalar;
}

static int64_t readCtaIndex(json::Node node, const Trace &trace) {
  json::Node cta = node["cta"];
  int64_t index = cta.integer(0);
  if (index >= int64_t(trace.ctas.size()))
    cta.fail("names none of the " + std::to_string(trace.ctas.size()) + " entries of 'ctas'; got " +
             std::to_string(index));
  return index;
}

static Answer readAnswer(json::Node node, const Trace &trace) {
  Answer answer;
  json::Node kind = node["kind"];
  std::string text = kind.string();
  if (text == "branch")
    answer.kind = Answer::Kind::Branch;
  else if (text == "clc")
    answer.kind = Answer::Kind::Clc;
  else if (text == "value")
    answer.kind = Answer::Kind::Value;
  else
    kind.mustBe("\"branch\", \"clc\" or \"value\"");
  answer.cta = readCtaIndex(node, trace);
  answer.task = node["task"].string();
  answer.op = readOperation(node["op"]);
  answer.occurrence = node["occurrence"].integer(0);
  json::Node values = node["values"];
  answer.values = values.integers();
  size_t count = answer.values.size();
  if (answer.kind == Answer::Kind::Branch && (count != 1 || (answer.values[0] & ~int64_t(1))))
    values.fail("of a branch must be [0] or [1]");
  if (answer.kind == Answer::Kind::Clc && count != 0 && count != 3)
    values.fail("of a CLC query must be [] (denied) or a program id [x, y, z]");
  if (answer.kind == Answer::Kind::Value && count != 1)
    values.fail("must hold one integer");
  return answer;
}

static Event readEvent(json::Node node, const Trace &trace) {
  Event event;
  event.cta = readCtaIndex(node, trace);
  event.task = node["task"].string();
  event.op = readOperation(node["op"]);
  event.iteration = node["iteration"].integers();
  if (auto completion = node.find("completion"))
    event.completion = completion->boolean();
  event.note = optionalString(node, "note");
  return event;
}

static bool isHash(const std::string &text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

template <typename T, typename Read>
static void readList(const json::Reader &reader, json::Node list, std::vector<T> &out, Read read) {
  for (size_t i = 0, n = list.size(); i < n && !reader.failed(); ++i)
    out.push_back(read(list[i]));
}

static Trace readTrace(json::Reader &reader) {
  Trace trace;
  json::Node root = reader.root();
  json::Node format = root["format"];
  if (format.string() != formatName)
    format.mustBe(std::string("\"") + formatName + "\"");
  json::Node version = root["version"];
  if (version.integer() != formatVersion)
    version.mustBe(std::to_string(formatVersion) + ", the version that this build reads");
  trace.writer = optionalString(root, "writer");
  trace.kernel = root["kernel"].string();
  json::Node hash = root["sha256"];
  trace.contentHash = hash.string();
  if (!isHash(trace.contentHash))
    hash.mustBe("64 lower-case hexadecimal digits");
  trace.launch = readLaunch(root["launch"]);
  readList(reader, root["scalars"], trace.scalars, readScalar);
  readList(reader, root["ctas"], trace.ctas, [](json::Node node) {
    Cta cta;
    cta.program = readTriple(node["program"], 0);
    cta.rank = node["rank"].integer(0);
    return cta;
  });
  if (trace.ctas.empty())
    root["ctas"].fail("must name at least one CTA");
  auto withTrace = [&](auto read) {
    return [&trace, read](json::Node node) { return read(node, trace); };
  };
  readList(reader, root["answers"], trace.answers, withTrace(readAnswer));
  readList(reader, root["events"], trace.events, withTrace(readEvent));
  json::Node violation = root["violation"];
  trace.violation.category = violation["class"].string();
  trace.violation.message = violation["message"].string();
  trace.violation.op = readOperation(violation["op"]);
  if (auto phase = violation.find("phase")) {
    trace.violation.phase = phase->integer(0);
    trace.violation.meant = violation["meant"].integer(0);
  }
  return trace;
}

Result<Trace> parse(std::string_view text, const std::string &file) {
  Result<json::Document> document = json::parse(text, file);
  if (!document)
    return std::move(document).error();
  json::Reader reader(*document);
  Trace trace = readTrace(reader);
  if (reader.failed())
    return reader.error();
  return trace;
}

Result<Trace> read(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return std::move(text).error();
  return parse(*text, path);
}

Result<void> checkKernel(const Trace &trace, std::string_view kernelText,
                         const std::string &traceFile, const std::string &kernelFile) {
  std::string hash = sha256Hex(kernelText);
  if (hash == trace.contentHash)
    return {};
  return Error("the trace belongs to another kernel file: its sha256 is " +
                   trace.contentHash.substr(0, 12) + "…, that of " + kernelFile + " is " +
                   hash.substr(0, 12) + "…",
               {traceFile, 0, 0})
      .withHint("run tlx-verify on this file again with --replay-out");
}

} // namespace tlx::replay
