#include "verify/tools/Isolated.h"

#include "runtime/base/Guard.h"
#include "runtime/base/Json.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tlx;
using namespace tlx::verify;

namespace {

/// Exit statuses of a child that met a limit: this and the Limit.
constexpr int limitStatus = 64;

/// The prover looks at its clock between two states; a little is for what lies
/// around it.
double secondsAllowed(double timeout) { return timeout > 0 ? 1.1 * timeout + 2 : 0; }

std::string printed(const FileVerdict &verdict) {
  json::Writer out;
  out.beginObject().key("errors").value(verdict.errors).key("code").value(verdict.exitCode);
  out.key("reports").value(toJson(verdict.reports)).key("replays").beginArray();
  for (const KernelReport &report : verdict.reports)
    out.value(report.replay ? replay::print(*report.replay) : std::string());
  out.endArray().endObject();
  return std::move(out).str();
}

Result<FileVerdict> parsed(std::string_view text, const std::string &path) {
  auto document = json::parse(text, path);
  if (!document)
    return std::move(document).error();
  json::Reader reader(*document);
  json::Node root = reader.root();
  FileVerdict verdict;
  verdict.errors = root["errors"].string();
  verdict.exitCode = static_cast<int>(root["code"].integer());
  auto reports = fromJson(root["reports"].string(), path);
  if (!reports)
    return std::move(reports).error();
  verdict.reports = std::move(*reports);
  json::Node replays = root["replays"];
  for (size_t i = 0; i < verdict.reports.size(); ++i) {
    std::string run = replays[i].string();
    if (run.empty())
      continue;
    auto trace = replay::parse(run, path);
    if (!trace)
      return std::move(trace).error();
    verdict.reports[i].replay = std::move(*trace);
  }
  if (reader.failed())
    return reader.error();
  return verdict;
}

std::atomic<bool> *cancelled = nullptr;

[[noreturn]] void work(const std::string &path, const VerifyRequest &request, int64_t memoryBytes,
                       int out) {
  // Ctrl-C reaches every process of a terminal, and the parent passes it on: the
  // second one is no reason to end at once, as it is for the parent.
  cancelled = request.cancelled;
  std::signal(SIGINT, [](int) { *cancelled = true; });
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  guardProcess({secondsAllowed(request.timeoutSeconds), memoryBytes},
               [](Limit limit) { std::_Exit(limitStatus + int(limit)); });
  std::string text = printed(verifyFile(path, request));
  for (size_t at = 0; at < text.size();) {
    ssize_t written = ::write(out, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR)
      std::_Exit(int(ExitCode::Internal));
    at += written > 0 ? size_t(written) : 0;
  }
  // Tearing down MLIR takes longer than many proofs.
  std::_Exit(0);
}

} // namespace

Isolated::Isolated(std::string file, const VerifyRequest &request, int64_t memoryBytes)
    : path(std::move(file)), timeoutSeconds(request.timeoutSeconds), memoryBytes(memoryBytes) {
  int ends[2];
  if (::pipe(ends) != 0)
    return;
  std::fflush(nullptr); // else the child has it to write as well
  child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    work(path, request, memoryBytes, ends[1]);
  }
  ::close(ends[1]);
  pipe = ends[0];
}

Isolated::~Isolated() {
  if (pipe >= 0)
    ::close(pipe);
}

bool Isolated::receive() {
  char part[1 << 16];
  ssize_t got = ::read(pipe, part, sizeof part);
  if (got > 0)
    text.append(part, size_t(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

void Isolated::interrupt() {
  if (child > 0)
    ::kill(child, SIGINT);
}

void Isolated::end() { ended = child > 0 && ::kill(child, SIGKILL) == 0; }

FileVerdict Isolated::verdict() {
  int status = 0;
  if (child > 0)
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    if (auto complete = parsed(text, path))
      return std::move(*complete);
  return without(status);
}

/// The verdict on a kernel whose child gave none.
FileVerdict Isolated::without(int status) const {
  FileVerdict out;
  auto unknown = [&](std::string reason, std::string message) {
    KernelReport report;
    report.file = path;
    report.reason = std::move(reason);
    report.message = std::move(message);
    out.reports.push_back(std::move(report));
    out.exitCode = int(ExitCode::Unknown);
    return out;
  };
  auto error = [&](const Error &what) {
    out.errors = what.str() + "\n";
    out.exitCode = int(what.code);
    return out;
  };
  if (ended)
    return unknown("interrupted", "not finished");
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", timeoutSeconds);
  if (code == limitStatus + int(Limit::Time))
    return unknown("timeout", std::string("no answer within ") + seconds + " s");
  if (code == limitStatus + int(Limit::Memory))
    return unknown("memory",
                   "needs more than " + std::to_string(memoryBytes >> 20) + " MiB of memory");
  if (code == limitStatus + int(Limit::Stack))
    return unknown("stack", "expressions or regions are nested too deeply");
  std::string how = child < 0             ? "no process could be started"
                    : WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                                          : "ended with status " + std::to_string(code);
  return error(Error::internal("the verifier failed: " + how, {path, 0, 0}));
}
