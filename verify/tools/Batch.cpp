#include "verify/tools/Batch.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

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
    std::lock_guard<std::mutex> guard(mutex);
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

  std::mutex mutex;
  std::vector<std::optional<FileVerdict>> waiting;
  size_t next = 0, finished = 0, bugs = 0, unknown = 0;
  bool progress, shown = false;
  const std::function<void(FileVerdict &&)> &done;
};
} // namespace

size_t verifyFiles(const std::vector<std::string> &files, const VerifyRequest &request,
                   const BatchOptions &options, const std::function<void(FileVerdict &&)> &done) {
  Collector collector(files.size(), options.progress, done);
  auto one = [&](size_t index) {
    if (request.cancelled && *request.cancelled)
      return;
    std::string key;
    if (options.cache) {
      key = options.cache->key(files[index], request);
      if (auto known = options.cache->find(key, files[index]))
        return collector.add(index, std::move(*known));
    }
    FileVerdict verdict = verifyFile(files[index], request);
    if (options.cache)
      options.cache->keep(key, verdict);
    collector.add(index, std::move(verdict));
  };
  if (files.size() == 1 || options.jobs == 1) {
    for (size_t i = 0; i < files.size(); ++i)
      one(i);
  } else {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                              static_cast<size_t>(options.jobs));
    tbb::parallel_for(size_t(0), files.size(), one, tbb::simple_partitioner());
  }
  return collector.finish();
}

} // namespace tlx::verify
