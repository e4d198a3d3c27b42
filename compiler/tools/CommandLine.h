//===- CommandLine.h - llvm::cl without LLVM's own options -----------------===//
//
// libLLVM registers hundreds of options of its back ends when it is loaded, and
// every program that uses llvm::cl would list and accept them. A CommandLine
// made first thing in main forgets those; what the program registers afterwards
// is all that --help shows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace tlx {

class CommandLine {
public:
  CommandLine();

  /// Reads the arguments into what was registered. On failure one "error:" line
  /// has been printed.
  bool parse(int argc, const char *const *argv, std::string_view overview);
};

} // namespace tlx
