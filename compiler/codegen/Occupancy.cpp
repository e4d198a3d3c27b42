// Registers by the number of CTAs on a multiprocessor: a few less, where they alone keep a further
// one away, else as many as those that fit leave. Left to itself ptxas may save registers that
// nobody else can have, and begin loads one after the other.
#include "compiler/analysis/HopperLimits.h"
#include "compiler/codegen/Codegen.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tlx {
namespace {

/// A thread's registers come in as many.
constexpr int64_t kRegisterUnit = 8;

/// Warps on a multiprocessor that hide latency well enough for registers to be worth more.
constexpr int64_t kEnoughWarps = 32;

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
  int64_t ofThread = int64_t(llvm::alignTo(std::max<int64_t>(registers, 1), kRegisterUnit));
  return hopper::kRegisters / (ofThread * hopper::kWarpSize * warps);
}

} // namespace

Result<Assembled> assembleForOccupancy(const std::string &ptx, const std::string &arch,
                                       const std::string &assembler, int64_t warps,
                                       int64_t sharedBytes) {
  Result<Assembled> first = assemble(ptx, arch, assembler);
  size_t bounds = ptx.find("\n.reqntid");
  // Roles that set their registers share what the launch has.
  if (!first || bounds == std::string::npos || ptx.find("setmaxnreg") != std::string::npos)
    return first;
  int64_t registers = registersOf(*first);
  int64_t room = std::min({hopper::kCtas, hopper::kWarps / warps,
                           hopper::kSharedBytes / (sharedBytes + hopper::kReservedBytes)});
  int64_t ctas = ctasFor(registers, warps);
  // Shared memory keeps the others away.
  if (ctas >= room)
    return first;
  bool oneMore = ctas * warps < kEnoughWarps && ctasFor(registers - kFewRegisters, warps) > ctas;
  int64_t wanted = ctas + oneMore, stack = stackOf(*first) + (oneMore ? kFewBytes : 0);
  std::string bounded = ptx;
  bounded.insert(bounds, "\n.minnctapersm " + std::to_string(wanted));
  Result<Assembled> second = assemble(bounded, arch, assembler);
  bool better =
      second && ctasFor(registersOf(*second), warps) >= wanted && stackOf(*second) <= stack;
  return better ? second : first;
}

} // namespace tlx
