#include "verify/tools/Batch.h"

#include "verify/tools/Isolated.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <set>

namespace fs = std::filesystem;

namespace tlx::verify {

/// The files of these endings in a folder and below it.
static std::vector<std::string>
filesIn(const std::string &folder, const std::set<std::string> &endings, std::error_code &error) {
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (it->is_regular_file(error) && endings.contains(it->path().extension().string()))
      found.push_back(it->path().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> skippedPrograms(const std::vector<std::string> &paths) {
  std::vector<std::string> lines;
  for (const std::string &path : paths) {
    std::error_code error;
    size_t count = fs::is_directory(path, error) ? filesIn(path, {".py"}, error).size() : 0;
    if (count)
      lines.push_back(path + ": note: " + std::to_string(count) + " .py file" +
                      (count == 1 ? " was" : "s were") +
                      " not looked at: `tlx verify FILE.py` records and verifies one");
  }
  return lines;
}

Result<std::vector<std::string>> kernelFiles(const std::vector<std::string> &paths) {
  const std::set<std::string> endings{".mlir", ".source", ".ttir", ".ttgir"};
  std::vector<std::string> files;
  std::set<std::string> seen;
  auto add = [&](const std::string &file) {
    if (seen.insert(file).second)
      files.push_back(file);
  };
  for (const std::string &path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      add(path); // what is wrong with it is said when it is read
      continue;
    }
    std::vector<std::string> found = filesIn(path, endings, error);
    if (error)
      return Error("cannot be listed: " + error.message(), {path, 0, 0});
    if (found.empty())
      return Error("holds no .mlir, .source, .ttir or .ttgir file", {path, 0, 0});
    std::for_each(found.begin(), found.end(), add);
  }
  return files;
}

namespace {
/// Passes verdicts on in order and shows how far things are.
class Collector {
public:
  Collector(size_t count, bool progress, const std::function<void(FileVerdict &&)> &done)
      : waiting(count), progress(progress), done(done) {}

  void add(size_t index, FileVerdict &&verdict) {
    ++finished;
    for (const KernelReport &report : verdict.reports) {
      bugs += report.verdict == "BUG";
      unknown += report.verdict == "UNKNOWN";
    }
    waiting[index] = std::move(verdict);
    clear();
    for (; next < waiting.size() && waiting[next]; ++next)
      done(std::move(*waiting[next]));
    if (progress && finished < waiting.size()) {
      std::fprintf(stderr, "[%zu/%zu] %zu BUG, %zu UNKNOWN", finished, waiting.size(), bugs,
                   unknown);
      std::fflush(stderr);
      shown = true;
    }
  }

  /// Those behind a file that was not looked at; how many were not.
  size_t finish() {
    clear();
    for (; next < waiting.size(); ++next)
      if (waiting[next])
        done(std::move(*waiting[next]));
    return waiting.size() - finished;
  }

private:
  void clear() {
    if (shown)
      std::fputs("\r\033[K", stderr);
    shown = false;
  }

  std::vector<std::optional<FileVerdict>> waiting;
  size_t next = 0, finished = 0, bugs = 0, unknown = 0;
  bool progress, shown = false;
  const std::function<void(FileVerdict &&)> &done;
};
} // namespace

size_t verifyFiles(const std::vector<std::string> &files, const VerifyRequest &request,
                   const BatchOptions &options, const std::function<void(FileVerdict &&)> &done) {
  Collector collector(files.size(), options.progress, done);
  struct Running {
    size_t index;
    std::string key;
    std::unique_ptr<Isolated> process;
  };
  std::vector<Running> running;
  size_t next = 0;
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> interrupted;
  for (;;) {
    bool stop = request.cancelled && *request.cancelled;
    if (stop && !interrupted) {
      interrupted = Clock::now();
      for (Running &each : running)
        each.process->interrupt();
    }
    if (interrupted && Clock::now() - *interrupted > std::chrono::seconds(1))
      for (Running &each : running)
        each.process->end();
    for (; !stop && next < files.size() && running.size() < size_t(options.jobs); ++next) {
      std::string key;
      if (options.cache) {
        key = options.cache->key(files[next], request);
        if (auto known = options.cache->find(key, files[next])) {
          collector.add(next, std::move(*known));
          continue;
        }
      }
      running.push_back(
          {next, key, std::make_unique<Isolated>(files[next], request, options.memoryBytes)});
    }
    if (running.empty())
      break;
    std::vector<pollfd> waiting;
    for (const Running &each : running)
      waiting.push_back({each.process->descriptor(), POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), 200) < 0)
      continue; // a signal
    for (size_t i = running.size(); i-- > 0;) {
      if (!waiting[i].revents || running[i].process->receive())
        continue;
      FileVerdict verdict = running[i].process->verdict();
      if (options.cache)
        options.cache->keep(running[i].key, verdict);
      collector.add(running[i].index, std::move(verdict));
      running.erase(running.begin() + ptrdiff_t(i));
    }
  }
  return collector.finish();
}

} // namespace tlx::verify
