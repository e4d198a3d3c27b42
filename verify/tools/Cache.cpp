#include "verify/tools/Cache.h"

#include "runtime/base/File.h"
#include "runtime/base/Json.h"
#include "runtime/base/Sha256.h"

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tlx;
using namespace tlx::verify;

namespace {
std::string cacheFolder() {
  const char *xdg = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (xdg && *xdg == '/')
    return std::string(xdg) + "/tlx-verify";
  return home && *home == '/' ? std::string(home) + "/.cache/tlx-verify" : std::string();
}

/// The tool itself: its file's size and time of change.
std::string build() {
  struct stat self;
  if (stat("/proc/self/exe", &self) != 0)
    return {};
  return std::to_string(self.st_size) + "." + std::to_string(self.st_mtim.tv_sec) + "." +
         std::to_string(self.st_mtim.tv_nsec);
}
} // namespace

Cache::Cache(const std::string &options) : folder(cacheFolder()), options(options) {
  std::string tool = build();
  if (tool.empty())
    folder.clear();
  this->options += "\n" + tool;
}

std::string Cache::key(const std::string &file, const VerifyRequest &request) const {
  if (folder.empty() || file == "-")
    return {};
  // The file's name is part of the report and says which level it is.
  std::string all = options + "\n" + file + "\n";
  std::vector<std::string> files = manifestsFor(file, request);
  files.insert(files.begin(), file);
  for (const std::string &each : files) {
    auto text = readFile(each);
    if (!text)
      return {};
    all += each + "\n" + sha256Hex(*text) + "\n";
  }
  return folder + "/" + sha256Hex(all) + ".json";
}

std::optional<FileVerdict> Cache::find(const std::string &key, const std::string &file) const {
  auto text = key.empty() ? Result<std::string>(Error()) : readFile(key);
  if (!text)
    return std::nullopt;
  auto reports = fromJson(*text, key);
  if (!reports || reports->empty())
    return std::nullopt; // written by something else: done anew
  FileVerdict verdict;
  verdict.reports = std::move(*reports);
  verdict.exitCode = worstOf(verdict.reports);
  return verdict;
}

void Cache::keep(const std::string &key, const FileVerdict &verdict) const {
  if (key.empty() || verdict.reports.empty() || !verdict.errors.empty())
    return;
  for (const KernelReport &report : verdict.reports)
    if (report.reason.starts_with("timeout") || report.reason.starts_with("memory") ||
        report.reason.starts_with("interrupted"))
      return;
  // A reader sees the whole file or none; a full disk costs the speed only.
  std::string partial = key + "." + std::to_string(getpid());
  std::error_code error;
  if (!createFolder(folder) || !writeFile(partial, toJson(verdict.reports)))
    return;
  std::filesystem::rename(partial, key, error);
  if (error)
    std::filesystem::remove(partial, error);
}
