//===- Python.cpp -----------------------------------------------------------===//
#include "runtime/tools/tlx/Python.h"

#include "runtime/base/File.h"
#include "runtime/base/SharedLibrary.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace tlx::front {

namespace fs = std::filesystem;

std::string packageFolder() {
  for (const char *place : {"../share/tlx/python", "../../python"}) {
    std::string folder = joinPath(programFolder(), place);
    if (::access(joinPath(folder, "tlx_record/cli.py").c_str(), R_OK) == 0)
      return folder;
  }
  return {};
}

Result<Recorder> findRecorder() {
  Recorder out;
  const char *chosen = std::getenv("TLX_PYTHON");
  std::string name = chosen && *chosen ? chosen : "python3";
  std::string python = name.find('/') == std::string::npos ? findProgram(name) : name;
  if (python.empty() || ::access(python.c_str(), X_OK) != 0)
    return Error("there is no Python interpreter '" + name + "'", {},
                 "TLX_PYTHON names the one that has fbtriton");
  out.command = {python, "-m", "tlx_record"};
  if (std::string folder = packageFolder(); !folder.empty()) {
    const char *path = std::getenv("PYTHONPATH");
    out.environment.emplace_back("PYTHONPATH",
                                 folder + (path && *path ? ":" + std::string(path) : ""));
  }
  // For --check-torch.
  if (std::string runner = findProgram("tlx-run"); !runner.empty() && !std::getenv("TLX_RUN"))
    out.environment.emplace_back("TLX_RUN", runner);
  return out;
}

namespace {

/// Removed with everything in it when it goes out of scope.
struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "tlx-XXXXXX").string();
    if (::mkdtemp(pattern.data()))
      path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
};

/// Options of tlx-record among a tool's arguments, which are taken out; --target stays where the
/// tool knows it as well.
std::vector<std::string> recorderOptions(std::vector<std::string> &before, bool toolTakesTarget) {
  std::vector<std::string> out;
  for (size_t i = 0; i < before.size();) {
    std::string word = before[i], name = word.substr(0, word.find('='));
    bool separate = name == word;
    if (name != "--configs" && name != "--target") {
      ++i;
      continue;
    }
    size_t words = separate && i + 1 < before.size() ? 2 : 1;
    for (size_t w = 0; w < words; ++w)
      out.push_back(before[i + w]);
    if (name == "--configs" || !toolTakesTarget)
      before.erase(before.begin() + ptrdiff_t(i), before.begin() + ptrdiff_t(i + words));
    else
      i += words;
  }
  return out;
}

std::vector<std::string> recordedKernels(const std::string &folder) {
  std::vector<std::string> out;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".ttgir")
      out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

Result<int> recordThenRun(const std::string &tool, const std::vector<std::string> &before,
                          const std::vector<std::string> &program) {
  auto recorder = findRecorder();
  if (!recorder)
    return recorder.error();
  TemporaryFolder folder;
  if (folder.path.empty())
    return Error::internal("cannot make a temporary folder");
  std::vector<std::string> options = before, record = recorder->command;
  bool each = tool.ends_with("tlx-run");
  for (std::string &word : recorderOptions(options, /*toolTakesTarget=*/!each))
    record.push_back(word);
  record.insert(record.end(), {"--out", folder.path});
  record.insert(record.end(), program.begin(), program.end());
  auto recorded = runProgram(record, recorder->environment);
  if (!recorded || *recorded != 0)
    return recorded;
  std::vector<std::string> kernels = recordedKernels(folder.path);
  if (!each) {
    std::vector<std::string> command{tool};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"--recorded-from", program.front()}); // their folder is removed
    command.insert(command.end(), kernels.begin(), kernels.end());
    return runProgram(command);
  }
  int worst = 0;
  for (const std::string &kernel : kernels) {
    std::vector<std::string> command{tool};
    command.insert(command.end(), options.begin(), options.end());
    std::string manifest = kernel.substr(0, kernel.size() - std::string(".ttgir").size()) + ".json";
    command.insert(command.end(), {kernel, "--manifest", manifest});
    auto status = runProgram(command);
    if (!status)
      return status;
    worst = std::max(worst, *status);
  }
  return worst;
}

} // namespace tlx::front
