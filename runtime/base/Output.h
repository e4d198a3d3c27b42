//===- Output.h - what a tool prints is complete, or the tool says so --------===//
//
// printf leaves it to nobody to notice that a disk is full: a report would be cut
// off, and the exit code would still say that all is well.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <string>
#include <string_view>

namespace tlx {

/// Behind the last printf: `code`, or that of bad input where something of what was
/// printed is lost, which is said.
int finishOutput(int code);
/// writeFile; "-" is standard output.
Result<void> writeOutput(const std::string &path, std::string_view contents);

} // namespace tlx
