//===- Python.cpp -----------------------------------------------------------===//
#include "runtime/tools/tlx/Python.h"

#include "runtime/base/File.h"
#include "runtime/base/SharedLibrary.h"
#include "runtime/tools/tlx/Commands.h"

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

std::vector<std::string> pythonCommand(const std::string &python, const std::string &code) {
  return {python, "-c",
          "import sys\nsys.path = [folder for folder in sys.path if folder]\n" + code};
}

Result<Recorder> findRecorder() {
  Recorder out;
  const char *chosen = std::getenv("TLX_PYTHON");
  std::string name = chosen && *chosen ? chosen : "python3";
  std::string python = name.find('/') == std::string::npos ? findOnPath(name) : name;
  if (python.empty() || ::access(python.c_str(), X_OK) != 0)
    return Error("there is no Python interpreter '" + name + "'", {},
                 "TLX_PYTHON names the one that has fbtriton");
  out.command = pythonCommand(python, "from tlx_record.cli import main\nsys.exit(main())");
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

/// Options of tlx-record among a tool's arguments, which are taken out: what was recorded says the
/// target, and more of the launch than an option can.
std::vector<std::string> recorderOptions(std::vector<std::string> &before) {
  std::vector<std::string> out;
  for (size_t i = 0; i < before.size();) {
    std::string word = before[i], name = word.substr(0, word.find('='));
    if (name != "--configs" && name != "--target") {
      ++i;
      continue;
    }
    size_t words = name == word && i + 1 < before.size() ? 2 : 1;
    for (size_t w = 0; w < words; ++w)
      out.push_back(before[i + w]);
    before.erase(before.begin() + ptrdiff_t(i), before.begin() + ptrdiff_t(i + words));
  }
  return out;
}

/// The chip that is to be simulated, which says the target of a recording: --chip NAME, else "".
std::string chipAmong(const std::vector<std::string> &options) {
  for (size_t i = 0; i < options.size(); ++i) {
    if (options[i].starts_with("--chip="))
      return options[i].substr(7);
    if (options[i] == "--chip" && i + 1 < options.size())
      return options[i + 1];
  }
  return {};
}

/// What was recorded at a level, in order.
std::vector<std::string> recordedFiles(const std::string &folder,
                                       const std::vector<std::string> &endings) {
  std::vector<std::string> out;
  for (const auto &entry : fs::directory_iterator(folder))
    if (std::count(endings.begin(), endings.end(), entry.path().extension().string()))
      out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// Where one of several kernels writes what all would write to `path`.
std::string placeOf(const std::string &kernel, const fs::path &path, bool folder) {
  if (folder)
    return (path / kernel).string();
  return (path.parent_path() / (path.stem().string() + "-" + kernel + path.extension().string()))
      .string();
}

/// The options for one of several kernels: each has files and folders of its own, which are named.
std::vector<std::string> optionsFor(const std::string &kernel, std::vector<std::string> options) {
  for (size_t i = 0; i < options.size(); ++i) {
    size_t equals = options[i].find('=');
    std::string name = options[i].substr(0, equals);
    bool folder = name == "--save-outputs" || name == "--check";
    if (!folder && name != "--report" && name != "--trace")
      continue;
    bool separate = equals == std::string::npos;
    if (separate && (i + 1 == options.size() || options[i + 1].starts_with("--")))
      continue; // --check without a folder
    i += separate;
    std::string place =
        placeOf(kernel, separate ? options[i] : options[i].substr(equals + 1), folder);
    options[i] = separate ? place : name + "=" + place;
    std::fprintf(stderr, "note: %s of %s: %s\n", name.c_str(), kernel.c_str(), place.c_str());
  }
  return options;
}

Result<int> verifyRecorded(const std::string &tool, const std::vector<std::string> &options,
                           const std::string &program, const std::string &folder) {
  std::vector<std::string> command{tool};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--recorded-from", program}); // their folder is removed
  // fbtriton's passes add waits and fences: what is launched is proved, and what was written.
  for (std::string &file : recordedFiles(folder, {".source", ".ttgir"}))
    command.push_back(std::move(file));
  return runProgram(command);
}

Result<int> runRecorded(const std::string &tool, const std::vector<std::string> &options,
                        const std::string &program, const std::string &folder) {
  std::vector<std::string> kernels = recordedFiles(folder, {".ttgir"});
  bool several = kernels.size() > 1;
  bool array = several && std::count(options.begin(), options.end(), "--json");
  std::string documents;
  int worst = 0;
  for (const std::string &kernel : kernels) {
    std::string stem = fs::path(kernel).stem().string();
    std::vector<std::string> command{tool};
    std::vector<std::string> own = several ? optionsFor(stem, options) : options;
    command.insert(command.end(), own.begin(), own.end());
    command.insert(command.end(), {kernel, "--manifest", joinPath(folder, stem + ".json"),
                                   "--recorded-from", program});
    Captured done;
    if (array) {
      auto captured = runForOutput(command);
      if (!captured)
        return std::move(captured).error();
      done = std::move(*captured);
    } else {
      auto status = runProgram(command);
      if (!status)
        return status;
      done.status = *status;
    }
    if (!done.output.empty())
      documents += (documents.empty() ? "" : ",\n") + done.output;
    worst = std::max(worst, done.status);
    if (done.status >= 128) // a signal, such as Ctrl-C
      break;
  }
  if (array)
    std::printf("[\n%s]\n", documents.c_str());
  return worst;
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
  bool runs = tool.ends_with("tlx-run");
  std::vector<std::string> recording = recorderOptions(options);
  bool targeted = std::any_of(recording.begin(), recording.end(),
                              [](const std::string &word) { return word.starts_with("--target"); });
  if (std::string chip = chipAmong(options); runs && !chip.empty() && !targeted) {
    auto known = chipTargets({chip});
    if (!known)
      return std::move(known).error();
    recording.insert(recording.end(), {"--target", known->front().target});
  }
  record.insert(record.end(), recording.begin(), recording.end());
  // The tool's own complaint, or its help, before anything is recorded.
  std::vector<std::string> check{tool};
  check.insert(check.end(), options.begin(), options.end());
  check.insert(check.end(), {"--check-options", program.front()});
  auto checked = runForOutput(check);
  if (!checked)
    return std::move(checked).error();
  std::fputs(checked->output.c_str(), stdout);
  if (checked->status != 0 || !checked->output.empty())
    return checked->status;
  record.insert(record.end(), {"--quiet", "--out", folder.path}); // which is removed
  record.insert(record.end(), program.begin(), program.end());
  auto recorded = runBeside(record, recorder->environment);
  if (!recorded || *recorded != 0)
    return recorded;
  return runs ? runRecorded(tool, options, program.front(), folder.path)
              : verifyRecorded(tool, options, program.front(), folder.path);
}

} // namespace tlx::front
