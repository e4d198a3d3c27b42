//===- Commands.h - the commands of `tlx` ----------------------------------===//
//
// `tlx NAME ...` runs a tool that stands beside it. The table is the one list of
// commands: help, completion and the suggestion for a mistyped word read it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <string>
#include <vector>

namespace tlx::front {

struct Command {
  std::string name;
  std::string tool; ///< the program; empty: `tlx` does it itself
  std::string summary;
  bool takesPython = false; ///< a .py among the arguments is recorded first
};

const std::vector<Command> &commands();
const Command *findCommand(const std::string &name);

/// The text of `tlx --help`.
std::string helpText();

/// Runs `tlx` with these arguments (without the program's own name); the exit status.
int runFront(const std::vector<std::string> &arguments);

/// The script that completes `tlx` in bash, zsh or fish; empty for another shell.
std::string completionScript(const std::string &shell);

/// What can stand for the last of these words, with which the command line goes on: commands,
/// options or values, each a word, or a word, a tab and what it means. None: it may be a file.
std::vector<std::string> completions(const std::vector<std::string> &words);

/// A simulated chip, and what kernels are compiled for to run on it.
struct ChipTarget {
  std::string chip, target;
};
/// Of those named (or files of tables), else of all.
Result<std::vector<ChipTarget>> chipTargets(const std::vector<std::string> &chips);

/// Lists the simulated chips, or the numbers of those named; the exit status.
int runChips(const std::vector<std::string> &arguments);

/// Says what is installed, what is missing and what that costs; the exit status.
int runDoctor(const std::vector<std::string> &arguments);

} // namespace tlx::front
