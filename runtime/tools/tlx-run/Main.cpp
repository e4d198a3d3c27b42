//===- Main.cpp - tlx-run --------------------------------------------------===//
#include "runtime/base/Guard.h"
#include "runtime/base/Output.h"
#include "runtime/tools/tlx-run/Options.h"
#include "runtime/tools/tlx-run/Session.h"
#include "runtime/tools/tlx-run/Sweep.h"
#include "runtime/tools/tlx-run/Versus.h"

#include <cstdio>
#include <cstdlib>

using namespace tlx;

/// In place of a recorded file, which `tlx run PROGRAM.py` removes, the program.
static Error located(Error error, const run::Options &options) {
  std::string folder = options.file.substr(0, options.file.rfind('/') + 1);
  if (options.recordedFrom && !folder.empty() && error.location.file.starts_with(folder))
    error.location = {*options.recordedFrom, 0, 0};
  return error;
}

int main(int argc, char **argv) {
  run::Options options;
  if (auto exit = run::parseOptions(argc, argv, options))
    return finishOutput(*exit);
  bool simulated = options.device == "sim";
  guardTool({simulated ? options.timeout.value_or(0) : 0, memoryLimit(options.memory)},
            options.file);
  if (options.compare) {
    Result<std::string> text = run::compareReports(*options.compare, options.file, options.json);
    if (text)
      std::fputs(text->c_str(), stdout);
    else
      std::fprintf(stderr, "%s\n", text.error().str().c_str());
    return finishOutput(text ? 0 : int(text.error().code));
  }
  if (!options.sweep.empty()) {
    Result<int> status = run::runSweep(options);
    if (!status)
      std::fprintf(stderr, "%s\n", status.error().str().c_str());
    return finishOutput(status ? *status : int(status.error().code));
  }
  Result<run::Outcome> outcome = run::runSession(options);
  if (!outcome) {
    Error error = located(std::move(outcome).error(), options);
    std::fprintf(stderr, "%s\n", error.str().c_str());
    return int(error.code);
  }
  std::fputs(run::findingsText(*outcome).c_str(), stderr);
  std::string report = options.json ? run::jsonReport(*outcome) : run::textReport(*outcome);
  std::fputs(report.c_str(), stdout);
  int code = finishOutput(run::exitCode(*outcome));
  std::fflush(stderr);
  // A kernel that hangs on a GPU must not be waited for.
  std::_Exit(code);
}
