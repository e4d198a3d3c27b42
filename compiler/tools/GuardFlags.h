//===- GuardFlags.h - limits on the command line --------------------------------===//
#pragma once

#include "runtime/base/Guard.h"

#include "llvm/Support/CommandLine.h"

namespace tlx {

struct GuardFlags {
  llvm::cl::opt<double> timeout{"timeout", llvm::cl::desc("give up after (default 300; 0: never)"),
                                llvm::cl::value_desc("seconds"), llvm::cl::init(300)};
  llvm::cl::opt<int64_t> memory{
      "memory-limit",
      llvm::cl::desc("give up when more is needed (default: three quarters of the machine's)"),
      llvm::cl::value_desc("MiB")};

  /// The limits are those of this process from now on; `file` is for messages.
  void guard(const std::string &file) const;
};

} // namespace tlx
