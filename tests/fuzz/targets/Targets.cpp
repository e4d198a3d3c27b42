//===- Targets.cpp ----------------------------------------------------------===//
#include "tests/fuzz/targets/Targets.h"

#include "runtime/base/Npy.h"
#include "runtime/base/Package.h"
#include "runtime/base/Replay.h"
#include "runtime/loader/Arguments.h"
#include "runtime/loader/Manifest.h"
#include "sim/chips/Chip.h"

#include <cstdio>
#include <cstdlib>

namespace tlx::fuzz {

namespace {

/// The file does not exist, and neither do the files it names.
constexpr const char *nowhere = "/nonexistent/fuzzed";

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

} // namespace

void manifest(std::string_view text) {
  auto parsed = parseManifest(text, nowhere);
  if (!parsed)
    return checkError(parsed.error());
  int64_t elements = 0;
  for (const Argument &argument : parsed->arguments)
    if (argument.isMemory()) {
      require(argument.extent() >= 0, "an argument's extent is not negative");
      elements += std::min<int64_t>(argument.extent(), int64_t(1) << 40);
    }
  if (elements > 1 << 16)
    return; // valid, and too large to be made thousands of times a second
  if (auto built = buildArguments(*parsed, {}); !built)
    checkError(built.error());
}

void replay(std::string_view text) {
  auto parsed = replay::parse(text, nowhere);
  if (!parsed)
    return checkError(parsed.error());
  std::string printed = replay::print(*parsed);
  auto again = replay::parse(printed, nowhere);
  require(bool(again), "a printed trace parses");
  require(replay::print(*again) == printed, "printing a trace is stable");
}

void package(std::string_view bytes) {
  auto parsed = readPackage(bytes, nowhere);
  if (!parsed)
    return checkError(parsed.error());
  auto again = readPackage(writePackage(*parsed), nowhere);
  require(again && *again == *parsed, "a written package reads as it was");
}

void npy(std::string_view bytes) {
  auto parsed = npy::parse(bytes, nowhere);
  if (!parsed)
    checkError(parsed.error());
}

void chip(std::string_view text) {
  auto parsed = sim::Chip::parse(text, nowhere);
  if (!parsed)
    return checkError(parsed.error());
  auto again = sim::Chip::parse(parsed->text(), nowhere);
  require(bool(again), "a printed chip table parses");
  require(again->text() == parsed->text(), "printing a chip table is stable");
}

} // namespace tlx::fuzz
