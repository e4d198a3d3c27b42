// ptxas, run as a program.
#include "compiler/codegen/Codegen.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

namespace tlx {

std::string findAssembler() {
  if (const char *given = std::getenv("TLX_PTXAS"))
    return given;
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  const char *usual = "/usr/local/cuda/bin/ptxas";
  return llvm::sys::fs::can_execute(usual) ? usual : "";
}

namespace {

/// A file that goes away with the object.
class Temporary {
public:
  Temporary(const char *name, const char *suffix) {
    good = !llvm::sys::fs::createTemporaryFile(name, suffix, path);
    remover.setFile(path);
  }
  bool good = false;
  llvm::SmallString<64> path;

private:
  llvm::FileRemover remover;
};

std::string contentsOf(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

} // namespace

Result<Assembled> assemble(const std::string &ptx, const std::string &arch,
                           const std::string &assembler) {
  Temporary input("tlx", "ptx"), output("tlx", "cubin"), log("tlx", "log");
  if (!input.good || !output.good || !log.good)
    return Error("no temporary file could be made for the assembler");
  std::error_code problem;
  {
    llvm::raw_fd_ostream file(input.path, problem);
    if (problem)
      return Error("cannot write '" + input.path.str().str() + "': " + problem.message());
    file << ptx;
  }
  std::string target = "--gpu-name=" + arch;
  llvm::StringRef arguments[] = {assembler, target, "-v", input.path, "-o", output.path};
  std::optional<llvm::StringRef> streams[] = {llvm::StringRef(), llvm::StringRef(log.path),
                                              llvm::StringRef(log.path)};
  std::string why;
  int status = llvm::sys::ExecuteAndWait(assembler, arguments, std::nullopt, streams, 0, 0, &why);
  Assembled result{contentsOf(output.path), contentsOf(log.path)};
  if (status != 0)
    return Error::internal("'" + assembler +
                           "' refused the generated code: " + (why.empty() ? result.log : why));
  return result;
}

} // namespace tlx
