//===- FormatTargets.cpp - files that people and programs write -------------===//
#include "tests/fuzz/targets/Targets.h"

#include "runtime/base/Npy.h"
#include "runtime/base/Package.h"
#include "runtime/base/Replay.h"
#include "runtime/loader/Arguments.h"
#include "runtime/loader/Manifest.h"
#include "sim/chips/Chip.h"
#include "verify/report/Policy.h"
#include "verify/report/Report.h"

namespace tlx::fuzz {

namespace {

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

/// A BUG of every class at the place that the kept inputs name.
std::vector<verify::KernelReport> findings() {
  std::vector<verify::KernelReport> reports;
  for (verify::BugClass cls : verify::allClasses()) {
    verify::KernelReport report;
    report.kernel = "relay";
    report.verdict = "BUG";
    report.cls = verify::info(cls).name;
    report.loc = {"src/kernel.py", 35, 3};
    reports.push_back(std::move(report));
  }
  return reports;
}

void policy(std::string_view text) {
  auto parsed = verify::Policy::parse(text, nowhere);
  if (!parsed)
    return checkError(parsed.error());
  static const std::vector<verify::KernelReport> reports = findings();
  size_t before = parsed->unused().size();
  for (verify::KernelReport report : reports) {
    parsed->apply(report);
    require(report.verdict == "BUG", "a policy changes no verdict");
  }
  require(parsed->unused().size() <= before, "what matched stays matched");
}

void baseline(std::string_view text) {
  auto parsed = verify::Baseline::parse(text, nowhere);
  if (!parsed)
    return checkError(parsed.error());
  static const std::vector<verify::KernelReport> reports = findings();
  for (verify::KernelReport report : reports) {
    parsed->apply(report);
    require(report.verdict == "BUG", "a baseline changes no verdict");
  }
}

void report(std::string_view text) {
  auto parsed = verify::fromJson(text, nowhere);
  if (!parsed)
    return checkError(parsed.error());
  std::string printed = verify::toJson(*parsed);
  auto again = verify::fromJson(printed, nowhere);
  require(bool(again), "a printed report parses");
  require(verify::toJson(*again) == printed, "printing a report is stable");
}

constexpr Target targets[] = {
    {"manifest", manifest}, {"replay", replay}, {"package", package},   {"npy", npy},
    {"chip", chip},         {"policy", policy}, {"baseline", baseline}, {"report", report},
};

} // namespace

std::span<const Target> formatTargets() { return targets; }

} // namespace tlx::fuzz
