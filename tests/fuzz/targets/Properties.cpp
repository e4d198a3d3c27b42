//===- Properties.cpp - what every target may ask ---------------------------===//
#include "tests/fuzz/targets/Targets.h"

#include <cstdio>
#include <cstdlib>

namespace tlx::fuzz {

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "property does not hold: %s\n", what);
  std::abort();
}

void checkError(const Error &error) {
  require(!error.message.empty(), "an error says something");
  require(error.code != ExitCode::Internal, "bad input is no fault of ours");
}

} // namespace tlx::fuzz
