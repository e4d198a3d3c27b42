//===- Levels.h - one kernel's verdicts at several levels ------------------===//
//
// A compiler adds waits and fences that its user forgot, so that what is launched
// can be proved where what was written is a BUG that another compiler, or another
// version of this one, keeps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/report/Report.h"

#include <map>

namespace tlx::verify {

class Levels {
public:
  /// Compares with the same kernel's report before it, of an earlier level. `path` is the file that
  /// was verified. Where the verdicts differ, the report gets a note that says what was added.
  /// True when it is the same BUG in the same place.
  bool compare(KernelReport &report, const std::string &path);
  /// That were compared, each counted once.
  size_t kernels() const { return earlier.size(); }

private:
  struct Earlier {
    std::string level, verdict, path;
    SourceLoc loc;
  };
  std::map<std::string, Earlier> earlier; ///< by file without its ending, and kernel
};

/// Of each operation that waits, arrives, commits or fences, how many more `after` has than
/// `before`, such as "2 ttng.wait_barrier, 1 ttng.fence_async_shared"; empty when there are none.
std::string addedSynchronisation(const std::string &before, const std::string &after);

} // namespace tlx::verify
