//===- Python.h - from a Python file to recorded kernels -------------------===//
#pragma once

#include "runtime/base/Process.h"

#include <string>
#include <vector>

namespace tlx::front {

/// The command that starts tlx-record, and the environment it needs.
struct Recorder {
  std::vector<std::string> command;
  Variables environment;
};

/// The command that runs code. Nothing is imported from the current folder, which is not the user's
/// choice as it is of `python3 -m`: files of downloaded kernels lie there.
std::vector<std::string> pythonCommand(const std::string &python, const std::string &code);

/// The interpreter is $TLX_PYTHON or python3; the package is found beside this program.
Result<Recorder> findRecorder();

/// Where the recorder's Python package lies, in a build or an installation; empty when absent.
std::string packageFolder();

/// `tlx verify|run` with a Python file: records what the program launches, then hands each kernel
/// to `tool`. `before` are the tool's arguments, `program` the file and its own arguments. Returns
/// the worst exit status.
Result<int> recordThenRun(const std::string &tool, const std::vector<std::string> &before,
                          const std::vector<std::string> &program);

} // namespace tlx::front
