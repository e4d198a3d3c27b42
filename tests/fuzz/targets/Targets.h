//===- Targets.h - what is fuzzed ------------------------------------------===//
//
// One function a format: it gets any bytes and must come back. With the preset
// `fuzz` they become two libFuzzer programs, one for the file formats and one for
// IR, which is told by TLX_FUZZ_TARGET which function to call; the suite replays
// the kept inputs of tests/fuzz/corpus through the same functions
// (ReplayTest.cpp).
//
// Beyond "no crash", each target checks a property: what parses is written and
// parses again to the same, or an error names a place.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <span>
#include <string_view>

namespace tlx::fuzz {

struct Target {
  const char *name;
  void (*run)(std::string_view);
  const char *folder = name; ///< of the kept inputs
  size_t step = 1;           ///< bytes between the beginnings that the suite tries
};

/// manifest, replay, package, npy, chip, policy, baseline, report.
std::span<const Target> formatTargets();
/// ir: parsing and printing; verify: parsing and a verdict; export: parsing and
/// the simulator's program.
std::span<const Target> irTargets();

/// No input's name: the file does not exist, and neither do the files it names.
inline constexpr const char *nowhere = "/nonexistent/fuzzed";

/// Ends the program when a property does not hold.
void require(bool holds, const char *what);
/// An error says something and blames the input.
void checkError(const Error &error);

} // namespace tlx::fuzz
