//===- Sweep.cpp ------------------------------------------------------------===//
#include "runtime/tools/tlx-run/Sweep.h"

#include "runtime/base/File.h"
#include "runtime/base/Json.h"
#include "runtime/base/Sha256.h"
#include "runtime/tools/tlx-run/Session.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <sys/file.h>
#include <thread>
#include <tuple>
#include <unistd.h>

namespace tlx::run {
namespace {

/// Manifests below a folder, or the one file.
Result<std::vector<std::string>> manifestsAt(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!fs::is_directory(path, failed))
    return std::vector<std::string>{path};
  std::vector<std::string> out;
  for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".json")
      out.push_back(at->path().string());
  std::sort(out.begin(), out.end());
  if (failed || out.empty())
    return Error("no launch manifest (*.json) in this folder", {path, 0, 0});
  return out;
}

void runCase(SweepCase &one, Options options) {
  options.file = one.kernel;
  options.manifest = one.manifest;
  options.timingOnly = true;
  Result<Outcome> outcome = runSession(options);
  one.done = true;
  if (!outcome) {
    one.error = outcome.error().str();
    one.error = one.error.substr(0, one.error.find('\n'));
    one.code = int(outcome.error().code);
    return;
  }
  one.code = exitCode(*outcome);
  one.cycles = outcome->report.cycles.value_or(0);
  one.nanoseconds = outcome->report.nanoseconds.value_or(0);
}

/// Cuts off a last line that was broken off while it was written: what is added would
/// continue it. Processes that write hold the same lock.
Result<void> dropBrokenLine(const std::string &path) {
  int file = ::open(path.c_str(), O_RDWR);
  if (file < 0)
    return {}; // there is none, or who writes to it says why not
  flock(file, LOCK_EX);
  Result<void> out;
  if (auto text = readFile(path); !text) {
    out = std::move(text).error();
  } else if (size_t end = text->rfind('\n') + 1; end < text->size()) {
    constexpr std::string_view begin = "{\"key\":\"";
    size_t common = std::min(begin.size(), text->size() - end);
    if (text->compare(end, common, begin.substr(0, common)) != 0)
      out = Error("its last line is no result of a sweep", {path, 0, 0});
    else if (ftruncate(file, off_t(end)) != 0)
      out = Error("cannot be written", {path, 0, 0});
  }
  ::close(file);
  return out;
}

/// A bar on a terminal, nothing elsewhere.
void showProgress(size_t done, size_t all) {
  if (!isatty(STDERR_FILENO))
    return;
  constexpr size_t width = 40;
  size_t filled = all ? done * width / all : width;
  std::string bar(filled, '#');
  bar.resize(width, '.');
  std::fprintf(stderr, "\r[%s] %zu of %zu%s", bar.c_str(), done, all, done == all ? "\n" : "");
}

} // namespace

Result<std::vector<SweepCase>> sweepCases(const Options &options) {
  std::vector<std::string> kernels{options.file}, manifests;
  kernels.insert(kernels.end(), options.variants.begin(), options.variants.end());
  for (const std::string &path : options.sweep) {
    auto found = manifestsAt(path);
    if (!found)
      return std::move(found).error();
    for (const std::string &manifest : *found)
      if (std::find(manifests.begin(), manifests.end(), manifest) == manifests.end())
        manifests.push_back(manifest);
  }
  std::string settings = options.chip.value_or("");
  for (const std::string &change : options.whatIf)
    settings += '\0' + change;
  std::map<std::string, std::string> hashes;
  for (const std::vector<std::string> &list : {kernels, manifests})
    for (const std::string &path : list) {
      auto text = readFile(path);
      if (!text)
        return std::move(text).error();
      hashes[path] = sha256Hex(*text);
    }
  std::vector<SweepCase> cases;
  for (const std::string &kernel : kernels)
    for (const std::string &manifest : manifests) {
      SweepCase one;
      one.kernel = kernel;
      one.manifest = manifest;
      one.key = sha256Hex(hashes[kernel] + hashes[manifest] + settings).substr(0, 16);
      cases.push_back(std::move(one));
    }
  return cases;
}

SweepShare SweepShare::fromEnvironment() {
  constexpr std::pair<const char *, const char *> names[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (auto [rankName, sizeName] : names) {
    const char *rank = std::getenv(rankName), *size = std::getenv(sizeName);
    if (!rank || !size)
      continue;
    SweepShare share{size_t(std::strtoull(rank, nullptr, 10)),
                     size_t(std::strtoull(size, nullptr, 10))};
    if (share.size > 0 && share.rank < share.size)
      return share;
  }
  return {};
}

std::string sweepLine(const SweepCase &one) {
  json::Writer out;
  out.beginObject().key("key").value(one.key);
  out.key("kernel").value(one.kernel).key("manifest").value(one.manifest);
  out.key("code").value(int64_t(one.code));
  if (one.error.empty())
    out.key("cycles").value(one.cycles).key("ns").value(one.nanoseconds);
  else
    out.key("error").value(one.error);
  out.endObject();
  return std::move(out).str() + "\n";
}

Result<void> resumeSweep(std::vector<SweepCase> &cases, const std::string &path) {
  if (!fileExists(path))
    return {};
  auto text = readFile(path);
  if (!text)
    return std::move(text).error();
  unsigned number = 0;
  for (size_t at = 0; at < text->size();) {
    size_t end = text->find('\n', at);
    ++number;
    if (end == std::string::npos)
      break; // broken off while it was written
    std::string line = text->substr(at, end - at);
    at = end + 1;
    auto document = json::parse(line, path);
    if (!document)
      return Error("line " + std::to_string(number) + " of the results is no result of a sweep",
                   {path, number, 1});
    json::Reader reader(*document);
    json::Node root = reader.root();
    std::string key = root["key"].string();
    SweepCase read;
    read.code = int(root["code"].integer());
    if (auto error = root.find("error"))
      read.error = error->string();
    else {
      read.cycles = root["cycles"].integer();
      read.nanoseconds = root["ns"].number();
    }
    if (reader.failed())
      return Error("line " + std::to_string(number) + " of the results is no result of a sweep",
                   {path, number, 1});
    for (SweepCase &one : cases)
      if (one.key == key) {
        one.code = read.code;
        one.error = read.error;
        one.cycles = read.cycles;
        one.nanoseconds = read.nanoseconds;
        one.done = true;
      }
  }
  return {};
}

std::string sweepTable(std::vector<SweepCase> cases) {
  std::erase_if(cases, [](const SweepCase &one) { return !one.done; });
  std::sort(cases.begin(), cases.end(), [](const SweepCase &a, const SweepCase &b) {
    auto rank = [](const SweepCase &one) {
      return std::make_tuple(!one.error.empty(), one.nanoseconds,
                             std::tie(one.kernel, one.manifest));
    };
    return rank(a) < rank(b);
  });
  std::string out = "rank       cycles           us  slower  case\n";
  size_t rank = 0;
  for (const SweepCase &one : cases) {
    std::string name = one.kernel + "  " + one.manifest;
    if (!one.error.empty()) {
      out += "   -  " + name + ": " + one.error + "\n";
      continue;
    }
    char line[96];
    std::snprintf(line, sizeof line, "%4zu %12lld %12.3f %6.1f%%  ", ++rank, (long long)one.cycles,
                  one.nanoseconds / 1e3,
                  100 * (one.nanoseconds / std::max(cases.front().nanoseconds, 1e-9) - 1));
    out += line + name + "\n";
  }
  return out;
}

Result<int> runSweep(const Options &options) {
  auto cases = sweepCases(options);
  if (!cases)
    return std::move(cases).error();
  if (options.results) {
    if (auto resumed = resumeSweep(*cases, *options.results); !resumed)
      return std::move(resumed).error();
    if (auto dropped = dropBrokenLine(*options.results); !dropped)
      return std::move(dropped).error();
  }
  SweepShare share = SweepShare::fromEnvironment();
  std::vector<SweepCase *> mine;
  for (size_t i = share.rank; i < cases->size(); i += share.size)
    if (!(*cases)[i].done)
      mine.push_back(&(*cases)[i]);

  std::FILE *results = nullptr;
  if (options.results && !(results = std::fopen(options.results->c_str(), "a")))
    return Error("cannot be written", {*options.results, 0, 0});
  std::mutex writing;
  size_t done = 0;
  bool written = true;
  // Cases take turns; one thread is enough for each of them.
  Options alone = options;
  alone.threads = 1;
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t index; (index = next++) < mine.size();) {
      runCase(*mine[index], alone);
      std::lock_guard lock(writing);
      if (results) {
        // One write a line: processes that share the file do not cut each other's.
        std::string line = sweepLine(*mine[index]);
        flock(fileno(results), LOCK_EX);
        written &= std::fwrite(line.data(), 1, line.size(), results) == line.size() &&
                   std::fflush(results) == 0;
        flock(fileno(results), LOCK_UN);
      }
      showProgress(++done, mine.size());
    }
  };
  int64_t wanted = options.threads.value_or(std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> workers;
    for (size_t count = std::clamp<int64_t>(wanted, 1, 256); workers.size() < count;)
      workers.emplace_back(work);
  }
  if (results)
    written &= std::fclose(results) == 0;
  if (!written)
    return Error("cannot be written", {*options.results, 0, 0});
  int worst = 0;
  std::string lines;
  for (const SweepCase &one : *cases) {
    if (!one.done)
      continue;
    worst = std::max(worst, one.code);
    lines += sweepLine(one);
  }
  std::fputs(options.json ? lines.c_str() : sweepTable(*cases).c_str(), stdout);
  return worst;
}

} // namespace tlx::run
