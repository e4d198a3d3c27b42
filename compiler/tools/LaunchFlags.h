//===- LaunchFlags.h - launch parameters on the command line ------------------===//
#pragma once

#include "compiler/ingest/LaunchFacts.h"

#include "llvm/Support/CommandLine.h"

namespace tlx {

struct LaunchFlags {
  llvm::cl::opt<std::string> manifest{"manifest",
                                      llvm::cl::desc("launch manifest to take parameters from"),
                                      llvm::cl::value_desc("file")};
  llvm::cl::opt<std::string> target{"target", llvm::cl::desc("cuda:NN or hip:gfxNNN"),
                                    llvm::cl::value_desc("name")};
  llvm::cl::opt<int> numWarps{"num-warps", llvm::cl::desc("warps of the default region")};
  llvm::cl::opt<int> numCtas{"num-ctas", llvm::cl::desc("CTAs that run one program together")};
  llvm::cl::list<int64_t> cluster{"cluster", llvm::cl::desc("cluster shape"),
                                  llvm::cl::value_desc("x,y,z"), llvm::cl::CommaSeparated};

  /// Launch parameters from the manifest, then from flags, which win. The error
  /// has been printed when there is no result.
  std::optional<LaunchFacts> facts() const;
};

} // namespace tlx
