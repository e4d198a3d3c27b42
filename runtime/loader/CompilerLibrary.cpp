//===- CompilerLibrary.cpp --------------------------------------------------===//
#include "runtime/loader/CompilerLibrary.h"

#include "runtime/base/SharedLibrary.h"
#include "runtime/device/Device.h"

namespace tlx {

static constexpr const char *libraryName = "libTlxCompiler.so";

TlxCompilerRequest requestFor(const device::KernelSource &source) {
  TlxCompilerRequest request;
  request.text = source.text;
  request.file = source.path;
  request.kernel = source.kernel;
  request.target = source.target;
  request.numWarps = source.numWarps;
  request.numCtas = source.numCtas;
  request.numWarpsLocation = source.numWarpsLocation;
  request.numCtasLocation = source.numCtasLocation;
  // CTAs that share a program's tiles are no cluster of programs: values are
  // those of the whole tile, and the timing model divides the work itself.
  if (source.numCtas == 1)
    request.cluster = source.cluster;
  request.maxRegisters = source.maxRegisters;
  return request;
}

Result<CompilerLibrary> CompilerLibrary::open(const std::string &given) {
  Result<void *> opened = openLibrary(libraryName, given);
  if (!opened)
    return std::move(opened).error();
  CompilerLibrary library;
  library.loadFunction =
      reinterpret_cast<decltype(&tlxCompilerLoad)>(findFunction(*opened, "tlxCompilerLoad"));
  library.deleteFunction = reinterpret_cast<decltype(&tlxCompilerDeleteProgram)>(
      findFunction(*opened, "tlxCompilerDeleteProgram"));
  library.compileFunction =
      reinterpret_cast<decltype(&tlxCompilerCompile)>(findFunction(*opened, "tlxCompilerCompile"));
  if (!library.loadFunction || !library.deleteFunction || !library.compileFunction)
    return Error::internal((given.empty() ? std::string(libraryName) : given) +
                           " does not have the functions of this build");
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
