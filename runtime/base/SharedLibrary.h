//===- SharedLibrary.h - parts of TLX that are opened when they are needed -----===//
#pragma once

#include "runtime/base/Result.h"

#include <string>

namespace tlx {

/// The folder of the running program.
std::string programFolder();

/// Opens a library of this build: at `path`, or where that is empty as `name` beside
/// the running program (its folder and ../lib). It stays open until the process ends.
Result<void *> openLibrary(const std::string &name, const std::string &path = {});

/// A function of an opened library; null when it has none of that name.
void *findFunction(void *library, const char *name);

} // namespace tlx
