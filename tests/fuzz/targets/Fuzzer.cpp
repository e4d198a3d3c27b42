//===- Fuzzer.cpp - libFuzzer's entry --------------------------------------===//
//
// TLX_FUZZ_TARGET names the target; without it the program prints the names it
// knows, each with the folder of its kept inputs. (An environment variable, since libFuzzer starts
// itself again with its own arguments when it merges.)
//
//===----------------------------------------------------------------------===//
#include "tests/fuzz/targets/Targets.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

static const tlx::fuzz::Target *chosen = nullptr;

// NOLINTBEGIN(readability-identifier-naming): libFuzzer named them.
extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  const char *name = std::getenv("TLX_FUZZ_TARGET");
  for (const tlx::fuzz::Target &target : tlx::fuzz::TLX_FUZZ_TARGETS()) {
    if (!name)
      std::printf("%s %s\n", target.name, target.folder);
    else if (std::string_view(name) == target.name)
      chosen = &target;
  }
  if (!chosen)
    std::exit(name ? 2 : 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  chosen->run({reinterpret_cast<const char *>(data), size});
  return 0;
}
// NOLINTEND(readability-identifier-naming)
