// A few registers less, where they alone keep a CTA from a multiprocessor.
#include "compiler/codegen/Codegen.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tlx {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0.
constexpr int64_t kRegisters = 64 * 1024, kShared = 228 * 1024, kSharedReserved = 1024;
constexpr int64_t kMostWarps = 64, kMostCtas = 32, kRegisterUnit = 8;

/// Registers of a thread that the assembler is asked to do without, and the stack that may take.
constexpr int64_t kFewRegisters = 8, kFewBytes = 16;

/// The largest number in front of some words of the assembler's log.
int64_t numberBefore(llvm::StringRef log, llvm::StringRef words) {
  int64_t most = 0;
  for (size_t at = log.find(words); at != llvm::StringRef::npos; at = log.find(words, at + 1)) {
    llvm::StringRef digits = log.take_front(at).rtrim();
    digits = digits.take_back(digits.size() - digits.find_last_not_of("0123456789") - 1);
    int64_t number = 0;
    if (!digits.getAsInteger(10, number))
      most = std::max(most, number);
  }
  return most;
}

int64_t registersOf(const Assembled &code) { return numberBefore(code.log, "registers"); }
int64_t stackOf(const Assembled &code) { return numberBefore(code.log, "bytes stack frame"); }

int64_t ctasFor(int64_t registers, int64_t warps) {
  return kRegisters / (llvm::alignTo(std::max<int64_t>(registers, 1), kRegisterUnit) * 32 * warps);
}

} // namespace

Result<Assembled> assembleForOccupancy(const std::string &ptx, const std::string &arch,
                                       const std::string &assembler, int64_t warps,
                                       int64_t sharedBytes) {
  Result<Assembled> first = assemble(ptx, arch, assembler);
  if (!first)
    return first;
  int64_t registers = registersOf(*first), ctas = ctasFor(registers, warps);
  int64_t room =
      std::min({kMostCtas, kMostWarps / warps, kShared / (sharedBytes + kSharedReserved)});
  size_t bounds = ptx.find("\n.reqntid");
  if (ctas == 0 || ctas >= room || ctasFor(registers - kFewRegisters, warps) <= ctas ||
      bounds == std::string::npos)
    return first;
  std::string tighter = ptx;
  tighter.insert(bounds, "\n.minnctapersm " + std::to_string(ctas + 1));
  Result<Assembled> second = assemble(tighter, arch, assembler);
  bool better = second && ctasFor(registersOf(*second), warps) > ctas &&
                stackOf(*second) <= stackOf(*first) + kFewBytes;
  return better ? second : first;
}

} // namespace tlx
