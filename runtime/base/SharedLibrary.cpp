//===- SharedLibrary.cpp --------------------------------------------------------===//
#include "runtime/base/SharedLibrary.h"

#include "runtime/base/File.h"

#include <dlfcn.h>
#include <unistd.h>

namespace tlx {

std::string programFolder() {
  char path[4096];
  ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? folderOf(std::string(path, size_t(length))) : ".";
}

/// The first of the places where a build or an installation has the library.
static std::string findLibrary(const std::string &name) {
  std::string folder = programFolder();
  for (const char *place : {"../lib", "../lib/tlx"}) {
    std::string path = joinPath(joinPath(folder, place), name);
    if (fileExists(path))
      return path;
  }
  return {};
}

Result<void *> openLibrary(const std::string &name, const std::string &given) {
  std::string path = given.empty() ? findLibrary(name) : given;
  if (path.empty())
    return Error::internal("the library " + name + " is not installed beside this program");
  // Local: the library's copies of our own code must not meet ours. Never
  // unloaded: static objects of LLVM and TBB do not survive that.
  void *opened = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (!opened)
    return Error::internal("cannot open the library " + name + ": " + std::string(::dlerror()));
  return opened;
}

void *findFunction(void *library, const char *name) { return ::dlsym(library, name); }

} // namespace tlx
