//===- CompilerLibrary.h - the compiler, opened when it is needed ---------===//
//
// Programs that run kernels do not link MLIR. When they are handed IR, they open
// libTlxCompiler.so and call its one function, which turns a kernel file into
// what the simulator executes. The library implements tlxCompilerLoad in
// compiler/; this side finds and opens it.
//
// Both sides are built from one source tree with one compiler, so C++ types may
// pass; `interfaceVersion` catches a library that was left behind by another
// build.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tlx {

namespace device {
struct KernelSource;
}
namespace sim {
struct Program;
}

/// To be raised whenever this header or sim/program/Program.h changes.
inline constexpr uint32_t compilerInterfaceVersion = 3;

/// A kernel file and what its text may leave open.
struct TlxCompilerRequest {
  uint32_t interfaceVersion = compilerInterfaceVersion;
  std::string_view text;           ///< the file's bytes: .source, .ttir, .ttgir or ours
  std::string file;                ///< its path, for messages
  std::string kernel;              ///< the function to load
  std::string target;              ///< "cuda:90"; empty: as the IR says
  std::optional<int64_t> numWarps; ///< of the default region; as the IR says
  int64_t numCtas = 1;
  /// Where the two numbers were given; IR that states others is refused there.
  SourceLocation numWarpsLocation, numCtasLocation;
  std::array<int64_t, 3> cluster{1, 1, 1};
  std::optional<int64_t> maxRegisters;
};

/// The request for what a device was handed (runtime/device/Device.h).
TlxCompilerRequest requestFor(const device::KernelSource &source);

/// What comes back. After success (0) `program` is set and the caller's, to be
/// deleted with `deleteProgram`; otherwise `error` is.
struct TlxCompilerReply {
  sim::Program *program = nullptr;
  std::optional<Error> error;
  /// Public functions of the module, whenever it could be parsed. When `kernel` is none
  /// of them, `noSuchKernel` is set with the error.
  std::vector<std::string> kernels;
  bool noSuchKernel = false;
};

extern "C" {
/// Parses, prepares and exports one kernel. Returns 0, or an ExitCode with
/// `reply->error` set (BadInput for a wrong version of the interface as well).
/// Never throws, never prints, never ends the process. Thread-safe.
int tlxCompilerLoad(const tlx::TlxCompilerRequest *request, tlx::TlxCompilerReply *reply);
void tlxCompilerDeleteProgram(tlx::sim::Program *program);
/// Compiles one kernel; `bytes` becomes a package (runtime/base/Package.h).
int tlxCompilerCompile(const tlx::TlxCompilerRequest *request, tlx::TlxCompilerReply *reply,
                       std::string *bytes);
}

/// The opened library; it stays open until the process ends.
class CompilerLibrary {
public:
  /// Without a path, looks beside the running program (its folder and ../lib).
  static Result<CompilerLibrary> open(const std::string &path = {});

  using ProgramPtr = std::shared_ptr<sim::Program>;
  /// When there is no such kernel, the error is located at `kernelLocation`.
  Result<ProgramPtr> load(const TlxCompilerRequest &request,
                          const SourceLocation &kernelLocation = {}) const;

  /// A package's bytes.
  Result<std::string> compile(const TlxCompilerRequest &request,
                              const SourceLocation &kernelLocation = {}) const;

private:
  decltype(&tlxCompilerCompile) compileFunction = nullptr;
  decltype(&tlxCompilerLoad) loadFunction = nullptr;
  decltype(&tlxCompilerDeleteProgram) deleteFunction = nullptr;
};

} // namespace tlx
