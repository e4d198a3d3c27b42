//===- Targets.h - what is fuzzed ------------------------------------------===//
//
// One function a format: it gets any bytes and must come back. With the preset
// `fuzz` each becomes a libFuzzer program; the suite replays the kept inputs of
// tests/fuzz/corpus/<name> through the same functions (ReplayTest.cpp).
//
// Beyond "no crash", each target checks a property: what parses is written and
// parses again to the same, or an error names a place.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tlx::fuzz {

void manifest(std::string_view text); ///< launch manifests, and building small arguments
void replay(std::string_view text);   ///< traces of the verifier
void package(std::string_view bytes); ///< compiled kernels (.tlxk)
void npy(std::string_view bytes);     ///< arrays that manifests name
void chip(std::string_view text);     ///< chip tables of a user's own

struct Target {
  const char *name;
  void (*run)(std::string_view);
};
inline constexpr Target targets[] = {
    {"manifest", manifest}, {"replay", replay}, {"package", package}, {"npy", npy}, {"chip", chip}};

} // namespace tlx::fuzz
