//===- Process.cpp ----------------------------------------------------------===//
#include "runtime/base/Process.h"

#include "runtime/base/File.h"
#include "runtime/base/SharedLibrary.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tlx {

std::string findProgram(const std::string &name) {
  std::string beside = joinPath(programFolder(), name);
  return ::access(beside.c_str(), X_OK) == 0 ? beside : findOnPath(name);
}

std::string findOnPath(const std::string &name) {
  const char *path = std::getenv("PATH");
  for (std::string rest = path ? path : ""; !rest.empty();) {
    size_t colon = rest.find(':');
    std::string candidate = joinPath(rest.substr(0, colon), name);
    if (::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return {};
}

static void execute(const std::vector<std::string> &command, const Variables &environment) {
  for (const auto &[name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
}

static Error cannot(const std::string &what, const std::string &program) {
  return Error::internal("cannot " + what + " " + program + ": " + std::strerror(errno));
}

enum class ErrorStream : uint8_t { Shown, Hidden };

/// Starts the command; `output`, when given, is what gets its standard output.
static pid_t start(const std::vector<std::string> &command, const Variables &environment,
                   int output, ErrorStream errors) {
  pid_t child = ::fork();
  if (child != 0)
    return child;
  if (output >= 0)
    ::dup2(output, STDOUT_FILENO);
  if (errors == ErrorStream::Hidden)
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
  execute(command, environment);
  ::_exit(127);
}

static int waitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

namespace {
/// Ctrl-C goes to every program of the terminal. One in the foreground says what it knows; this one
/// waits for it. What a program ignores its children ignore too, what it handles they do not.
class Waiting {
public:
  Waiting() : previous(std::signal(SIGINT, [](int) {})) {
    if (previous == SIG_IGN)
      std::signal(SIGINT, SIG_IGN);
  }
  Waiting(const Waiting &) = delete;
  Waiting &operator=(const Waiting &) = delete;
  ~Waiting() { std::signal(SIGINT, previous); }

private:
  void (*previous)(int);
};
} // namespace

static Result<int> run(const std::vector<std::string> &command, const Variables &environment,
                       int output) {
  Waiting waiting;
  pid_t child = start(command, environment, output, ErrorStream::Shown);
  if (child < 0)
    return cannot("start", command.front());
  return waitFor(child);
}

Result<int> runProgram(const std::vector<std::string> &command, const Variables &environment) {
  return run(command, environment, -1);
}

Result<int> runBeside(const std::vector<std::string> &command, const Variables &environment) {
  return run(command, environment, STDERR_FILENO);
}

static Result<Captured> capture(const std::vector<std::string> &command,
                                const Variables &environment, ErrorStream errors) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return cannot("start", command.front());
  pid_t child = start(command, environment, ends[1], errors);
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return cannot("start", command.front());
  }
  Captured out;
  char buffer[4096];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (count > 0)
      out.output.append(buffer, size_t(count));
    else if (errno != EINTR)
      break;
  }
  ::close(ends[0]);
  out.status = waitFor(child);
  return out;
}

Result<Captured> captureProgram(const std::vector<std::string> &command,
                                const Variables &environment) {
  return capture(command, environment, ErrorStream::Hidden);
}

Result<Captured> runForOutput(const std::vector<std::string> &command) {
  Waiting waiting;
  return capture(command, {}, ErrorStream::Shown);
}

Error becomeProgram(const std::vector<std::string> &command, const Variables &environment) {
  execute(command, environment);
  return cannot("run", command.front());
}

} // namespace tlx
