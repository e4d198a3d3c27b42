//===- Doctor.cpp - what is installed ---------------------------------------===//
#include "runtime/base/Cli.h"
#include "runtime/base/Json.h"
#include "runtime/tools/tlx/Commands.h"
#include "runtime/tools/tlx/Python.h"

#include <cstdio>
#include <dlfcn.h>

namespace tlx::front {

namespace {

struct Finding {
  std::string what;
  bool present = false;
  std::string detail;  ///< where or which version; when absent: the remedy
  std::string without; ///< what does not work without it
};

Finding program(const std::string &name, const std::string &without, const std::string &remedy) {
  std::string path = findProgram(name);
  return {name, !path.empty(), path.empty() ? remedy : path, without};
}

/// A Python package of the recorder's interpreter; its version.
Finding package(const Recorder &recorder, const std::string &name, const std::string &without,
                const std::string &remedy) {
  auto got = captureProgram(
      pythonCommand(recorder.command.front(),
                    "import importlib.metadata as m; print(m.version('" + name + "'), end='')"));
  bool present = got && got->status == 0;
  return {name, present, present ? got->output : remedy, without};
}

Finding library(const std::string &file, const std::string &what, const std::string &without,
                const std::string &remedy) {
  bool present = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return {what, present, present ? file : remedy, without};
}

std::vector<Finding> examine() {
  const std::string build = "part of this tool chain: reinstall it, or scripts/build.sh";
  std::vector<Finding> out = {
      program("tlx-verify", "no proofs", build),
      program("tlx-run", "no simulation, no launches", build),
      program("tlx-opt", "no reading or printing of IR", build),
      program("tlx-compile", "no compilation to machine code", build),
  };
  auto recorder = findRecorder();
  if (!recorder) {
    out.push_back({"python3", false, recorder.error().hint, "no recording of Python programs"});
  } else {
    out.push_back({"python3", true, recorder->command.front(), ""});
    // Beside the programs, or where the interpreter finds it.
    auto found =
        captureProgram(pythonCommand(recorder->command.front(),
                                     "import tlx_record; print(tlx_record.__path__[0], end='')"),
                       recorder->environment);
    bool present = found && found->status == 0;
    out.push_back({"tlx_record", present, present ? found->output : build,
                   "no recording of Python programs"});
    auto install = captureProgram(pythonCommand(recorder->command.front(),
                                                "from tlx_record.fbtriton import install_hint; "
                                                "print(install_hint(), end='')"),
                                  recorder->environment);
    const std::string environment = install && install->status == 0 ? install->output : build;
    out.push_back(package(*recorder, "fbtriton",
                          "no recording: a .py cannot be verified, recorded IR can", environment));
    out.push_back(package(*recorder, "numpy", "no recording", environment));
    out.push_back(package(
        *recorder, "torch", "programs that import torch cannot be recorded; numpy arrays can",
        "pip install torch, then fbtriton again with --force-reinstall --no-deps"));
  }
  out.push_back(program("ptxas", "the driver compiles PTX when a kernel is launched",
                        "the CUDA toolkit has it"));
  out.push_back(library("libcuda.so.1", "NVIDIA driver",
                        "no launches on an NVIDIA GPU; everything else works",
                        "comes with the driver of an NVIDIA GPU"));
  out.push_back(library("libamdhip64.so", "AMD HIP runtime",
                        "no launches on an AMD GPU; everything else works", "comes with ROCm"));
  return out;
}

std::string jsonText(const std::vector<Finding> &findings) {
  json::Writer writer(/*pretty=*/true);
  writer.beginArray();
  for (const Finding &finding : findings) {
    writer.beginObject();
    writer.key("what").value(finding.what).key("present").value(finding.present);
    writer.key("detail").value(finding.detail).key("without").value(finding.without);
    writer.endObject();
  }
  writer.endArray();
  return std::move(writer).str() + "\n";
}

} // namespace

int runDoctor(const std::vector<std::string> &arguments) {
  std::vector<const char *> words{"tlx doctor"};
  for (const std::string &word : arguments)
    words.push_back(word.c_str());
  bool asJson = false;
  Cli cli("tlx doctor", "says what is installed, what is missing and what that costs");
  cli.flag("--json", asJson, "print the findings as JSON");
  if (auto exit = cli.parse(int(words.size()), words.data()))
    return *exit;
  std::vector<Finding> findings = examine();
  if (asJson) {
    std::fputs(jsonText(findings).c_str(), stdout);
    return 0;
  }
  for (const Finding &finding : findings) {
    std::printf("%-8s %-16s %s\n", finding.present ? "ok" : "missing", finding.what.c_str(),
                finding.detail.c_str());
    if (!finding.present)
      std::printf("%-8s %-16s without it: %s\n", "", "", finding.without.c_str());
  }
  return 0;
}

} // namespace tlx::front
