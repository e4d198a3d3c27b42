//===- Output.cpp ----------------------------------------------------------===//
#include "runtime/base/Output.h"
#include "runtime/base/File.h"

#include <cstdio>

namespace tlx {

static Result<void> flushOutput() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
    return {};
  return Error("cannot write: is the disk full?", {"<stdout>", 0, 0});
}

int finishOutput(int code) {
  Result<void> flushed = flushOutput();
  if (flushed)
    return code;
  std::fprintf(stderr, "%s\n", flushed.error().str().c_str());
  return int(flushed.error().code);
}

Result<void> writeOutput(const std::string &path, std::string_view contents) {
  if (path != "-")
    return writeFile(path, contents);
  std::fwrite(contents.data(), 1, contents.size(), stdout);
  return flushOutput();
}

} // namespace tlx
