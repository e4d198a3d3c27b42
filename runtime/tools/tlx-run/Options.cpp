//===- Options.cpp ----------------------------------------------------------===//
#include "runtime/tools/tlx-run/Options.h"

#include "runtime/backends/Backends.h"
#include "runtime/base/Cli.h"

namespace tlx::run {

std::optional<int> parseOptions(int argc, const char *const *argv, Options &out) {
  std::string devices;
  for (const std::string &name : device::deviceNames())
    devices += (devices.empty() ? "" : "|") + name;
  Cli cli("tlx-run", "Runs a kernel as a launch manifest says, or follows a "
                     "verifier's trace.");
  cli.positional("FILE", out.file, "the kernel: .source, .ttir, .ttgir, .mlir");
  cli.option("--device", out.device, devices, "where to run (default: " + out.device + ")");
  cli.option("--manifest", out.manifest, "LAUNCH.json", "launch manifest: grid, arguments, data");
  cli.option("--replay", out.replay, "TRACE.json",
             "follow a trace of tlx-verify --replay-out; needs no manifest");
  cli.option("--chip", out.chip, "NAME|FILE", "simulated chip (default: by the target)");
  cli.options("--what-if", out.whatIf, "NUMBER=VALUE",
              "change a number of the chip's table, e.g. tma.latency=400");
  cli.option("--schedule", out.schedule, "fifo|random:SEED|adversarial",
             "which legal interleaving is simulated");
  cli.flag("--json", out.json, "report as JSON on standard output");
  cli.option("--save-outputs", out.saveOutputs, "DIR",
             "write <storage>.npy for every storage that changed");
  cli.flag("--functional-only", out.functionalOnly, "values, no time");
  cli.flag("--timing-only", out.timingOnly, "time, no values");
  cli.flag("--race-check", out.raceCheck,
           "look for unordered accesses (default: on grids of at most 32 CTAs)");
  cli.flag("--no-race-check", out.noRaceCheck, "do not");
  cli.option("--threads", out.threads, "N",
             "threads to simulate with (default: all); results do not depend on it");
  cli.option("--trace", out.trace, "OUT.json", "write the time line, for Perfetto");
  cli.option("--report", out.report, "OUT.html",
             "write a page with the time line and where time went");
  cli.excludes("--race-check", "--no-race-check");
  cli.excludes("--functional-only", "--timing-only");
  cli.excludes("--manifest", "--replay");
  cli.excludes("--timing-only", "--save-outputs");
  cli.excludes("--functional-only", "--trace");
  cli.excludes("--functional-only", "--report");
  cli.footer("Exit status: 0 ran and nothing was wrong, 1 the kernel did "
             "something wrong, 2 bad\ninput, 3 internal error, 4 something that "
             "cannot be simulated.");
  return cli.parse(argc, argv);
}

} // namespace tlx::run
