//===- CompilerLibrary.cpp --------------------------------------------------===//
#include "runtime/loader/CompilerLibrary.h"

#include "runtime/base/File.h"

#include <dlfcn.h>
#include <unistd.h>

namespace tlx {

static constexpr const char *libraryName = "libTlxCompiler.so";

/// The folder of the running program.
static std::string programFolder() {
  char path[4096];
  ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? folderOf(std::string(path, size_t(length))) : ".";
}

/// The first of the places where a build or an installation has the library.
static std::string findLibrary() {
  std::string folder = programFolder();
  for (const char *place : {"", "../lib"}) {
    std::string path = joinPath(joinPath(folder, place), libraryName);
    if (::access(path.c_str(), F_OK) == 0)
      return path;
  }
  return {};
}

Result<CompilerLibrary> CompilerLibrary::open(const std::string &given) {
  std::string path = given.empty() ? findLibrary() : given;
  if (path.empty())
    return Error::internal("the compiler library " + std::string(libraryName) +
                           " is not installed beside this program")
        .withHint("build the target TlxCompiler");
  // Local: the library's copies of our own code must not meet ours. Never
  // unloaded: LLVM's static objects do not survive that.
  void *opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!opened)
    return Error::internal("cannot open the compiler library: " + std::string(::dlerror()));
  CompilerLibrary library;
  library.loadFunction =
      reinterpret_cast<decltype(&tlxCompilerLoad)>(::dlsym(opened, "tlxCompilerLoad"));
  library.deleteFunction = reinterpret_cast<decltype(&tlxCompilerDeleteProgram)>(
      ::dlsym(opened, "tlxCompilerDeleteProgram"));
  library.compileFunction =
      reinterpret_cast<decltype(&tlxCompilerCompile)>(::dlsym(opened, "tlxCompilerCompile"));
  if (!library.loadFunction || !library.deleteFunction || !library.compileFunction)
    return Error::internal(path + " does not have the functions of this build");
  return library;
}

static Error noSuchKernel(const TlxCompilerRequest &request, const TlxCompilerReply &reply,
                          const SourceLocation &location) {
  SourceLocation file{request.file, 0, 0};
  if (reply.kernels.empty())
    return Error("there is no kernel in this file: no public function", file);
  std::string names;
  for (const std::string &kernel : reply.kernels)
    names += (names.empty() ? "@" : ", @") + kernel;
  return Error(request.file + " has no kernel @" + request.kernel, location.line ? location : file)
      .withHint("it has " + names);
}

static Error failureOf(const TlxCompilerRequest &request, TlxCompilerReply &reply,
                       const SourceLocation &kernelLocation) {
  if (reply.noSuchKernel)
    return noSuchKernel(request, reply, kernelLocation);
  if (reply.error)
    return std::move(*reply.error);
  return Error::internal("the compiler library failed without an error", {request.file, 0, 0});
}

Result<CompilerLibrary::ProgramPtr>
CompilerLibrary::load(const TlxCompilerRequest &request,
                      const SourceLocation &kernelLocation) const {
  TlxCompilerReply reply;
  int status = loadFunction(&request, &reply);
  if (status == 0 && reply.program)
    return ProgramPtr(reply.program, deleteFunction);
  return failureOf(request, reply, kernelLocation);
}

Result<std::string> CompilerLibrary::compile(const TlxCompilerRequest &request,
                                             const SourceLocation &kernelLocation) const {
  TlxCompilerReply reply;
  std::string bytes;
  if (compileFunction(&request, &reply, &bytes) == 0)
    return bytes;
  return failureOf(request, reply, kernelLocation);
}

} // namespace tlx
