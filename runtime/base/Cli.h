//===- Cli.h - command lines of all tools ---------------------------------===//
//
// One spelling of options, help, version and usage errors for every tool. A
// tool binds variables to options and parses:
//
//   Cli cli("tlx-run", "runs a kernel");
//   cli.positional("FILE", file, "kernel: .source, .ttir, .ttgir");
//   cli.option("--manifest", manifest, "LAUNCH.json", "launch manifest");
//   if (auto exit = cli.parse(argc, argv)) return *exit;
//
// --help and --version print and exit 0; anything unknown or malformed prints
// one "error:" line with a hint and exits 2.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tlx {

class Cli {
public:
  Cli(std::string program, std::string description);
  ~Cli();

  void positional(const std::string &name, std::string &target, const std::string &help,
                  bool required = true);
  void positionals(const std::string &name, std::vector<std::string> &target,
                   const std::string &help, bool required = true);
  void flag(const std::string &names, bool &target, const std::string &help);
  void option(const std::string &names, std::string &target, const std::string &value,
              const std::string &help);
  void option(const std::string &names, std::optional<std::string> &target,
              const std::string &value, const std::string &help);
  void option(const std::string &names, std::optional<int64_t> &target, const std::string &value,
              const std::string &help);
  void option(const std::string &names, std::optional<double> &target, const std::string &value,
              const std::string &help);
  /// An option whose value may be left out; it is empty then.
  void optionOrFlag(const std::string &names, std::optional<std::string> &target,
                    const std::string &value, const std::string &help);
  /// An option that may be given several times.
  void options(const std::string &names, std::vector<std::string> &target, const std::string &value,
               const std::string &help);
  /// An option whose value is one of `choices`.
  void choice(const std::string &names, std::string &target,
              const std::vector<std::string> &choices, const std::string &help);
  /// Two options (by their long names) that must not be given together.
  void excludes(const std::string &one, const std::string &other);
  /// Text after the options in --help: examples, exit codes.
  void footer(const std::string &text);

  /// Nothing: go on. Otherwise leave with this exit status; what there was to
  /// say has been said.
  std::optional<int> parse(int argc, const char *const *argv);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// "0.1.0", as --version prints it.
const char *versionString();

/// The candidate that a mistyped word was most likely meant to be, or "".
std::string nearestWord(const std::string &word, const std::vector<std::string> &candidates);

} // namespace tlx
