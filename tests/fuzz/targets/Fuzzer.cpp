//===- Fuzzer.cpp - libFuzzer's entry --------------------------------------===//
#include "tests/fuzz/targets/Targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tlx::fuzz::TLX_FUZZ_TARGET({reinterpret_cast<const char *>(data), size});
  return 0;
}
