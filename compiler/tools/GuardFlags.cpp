#include "compiler/tools/GuardFlags.h"

#include "runtime/base/Result.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace tlx {

void GuardFlags::guard(const std::string &file) const {
  std::optional<int64_t> given;
  if (memory.getNumOccurrences())
    given = memory;
  guardTool({timeout, memoryLimit(given)}, file);
  // LLVM gives up on what it cannot compile or allocate; it would abort.
  static std::string about;
  about = file;
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    llvm::errs() << Error::internal(std::string("LLVM: ") + reason, {about, 0, 0}).str() << "\n";
    std::_Exit(int(ExitCode::Internal));
  });
}

} // namespace tlx
