//===- Process.h - running the other tools ---------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <string>
#include <vector>

namespace tlx {

/// The path of a program: beside this one, else on PATH; empty when it is nowhere.
std::string findProgram(const std::string &name);

/// The same, but of PATH alone, which an activated Python environment changes.
std::string findOnPath(const std::string &name);

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs a program in the foreground and waits. The exit status (128 + signal when one ended it).
/// Ctrl-C is for that program to obey.
Result<int> runProgram(const std::vector<std::string> &command, const Variables &environment = {});

/// The same, with what it prints on the error stream: standard output holds this program's alone.
Result<int> runBeside(const std::vector<std::string> &command, const Variables &environment);

struct Captured {
  int status = 0;
  std::string output; ///< standard output
};

/// The same, with its standard output kept.
Result<Captured> runForOutput(const std::vector<std::string> &command);

/// Runs a program with its standard output kept and its standard error thrown away.
Result<Captured> captureProgram(const std::vector<std::string> &command,
                                const Variables &environment = {});

/// Becomes another program; returns only when that fails.
Error becomeProgram(const std::vector<std::string> &command, const Variables &environment = {});

} // namespace tlx
