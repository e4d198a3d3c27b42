#include "verify/tools/Batch.h"

#include "verify/tools/Isolated.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <poll.h>
#include <set>

namespace fs = std::filesystem;

namespace tlx::verify {

Result<std::vector<std::string>> kernelFiles(const std::vector<std::string> &paths) {
  static const std::set<std::string> endings{".mlir", ".source", ".ttir", ".ttgir"};
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
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
         it.increment(error))
      if (it->is_regular_file(error) && endings.contains(it->path().extension().string()))
        found.push_back(it->path().string());
    if (error)
      return Error("cannot be listed: " + error.message(), {path, 0, 0});
    if (found.empty())
      return Error("holds no .mlir, .source, .ttir or .ttgir file", {path, 0, 0});
    std::sort(found.begin(), found.end());
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
  bool interrupted = false;
  for (;;) {
    bool stop = request.cancelled && *request.cancelled;
    if (stop && !interrupted)
      for (Running &each : running)
        each.process->interrupt();
    interrupted = stop;
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
