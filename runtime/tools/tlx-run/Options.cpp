//===- Options.cpp ----------------------------------------------------------===//
#include "runtime/tools/tlx-run/Options.h"

#include "runtime/backends/Backends.h"
#include "runtime/base/Cli.h"
#include "runtime/base/Result.h"

#include <cstdio>

namespace tlx::run {

std::optional<int> parseOptions(int argc, const char *const *argv, Options &out) {
  std::string devices;
  for (const std::string &name : device::deviceNames())
    devices += (devices.empty() ? "" : "|") + name;
  Cli cli("tlx-run", "Runs a kernel as a launch manifest says, or follows a "
                     "verifier's trace.");
  cli.positional("FILE", out.file,
                 "the kernel: .source, .ttir, .ttgir, .mlir, or a package (.tlxk)");
  cli.option("--device", out.device, devices, "where to run (default: " + out.device + ")");
  cli.option("--manifest", out.manifest, "LAUNCH.json",
             "launch manifest: grid, arguments, data (default: NAME.json beside the kernel)");
  cli.option("--replay", out.replay, "TRACE.json",
             "follow a trace of tlx-verify --replay-out; needs no manifest");
  cli.option("--recorded-from", out.recordedFrom, "PROGRAM.py",
             "name this program in place of the files that were recorded of it");
  cli.option("--chip", out.chip, "NAME|FILE", "simulated chip (default: by the target)");
  cli.options("--what-if", out.whatIf, "NUMBER=VALUE",
              "change a number of the chip's table, e.g. tma.latency=400");
  cli.option("--schedule", out.schedule, "fifo|random:SEED[-LAST]|adversarial",
             "which legal interleaving is simulated, or each of many (default: fifo)");
  cli.flag("--json", out.json, "report as JSON on standard output");
  cli.option("--save-outputs", out.saveOutputs, "DIR",
             "write <storage>.npy for every storage that changed");
  cli.optionOrFlag("--check", out.check, "DIR",
                   "compare what changed with <storage>.npy, e.g. of --save-outputs on another "
                   "device; without DIR, on a GPU: with the simulator's values");
  cli.option("--tolerance", out.tolerance, "X",
             "of --check: error that is allowed, relative to the largest value "
             "(default: by the type)");
  cli.flag("--bench", out.bench, "measure the kernel's time, launch after launch (real devices)");
  cli.option("--repeats", out.repeats, "N", "samples of --bench (default: 30)");
  cli.flag("--flush-l2", out.flushL2, "empty the L2 cache before each sample of --bench");
  cli.option("--timeout", out.timeout, "SECONDS",
             "give up after (default: never); on a real device, a kernel that runs longer hangs "
             "(default: 30)");
  cli.option("--memory-limit", out.memory, "MIB",
             "give up when more is needed (default: three quarters of the machine's)");
  cli.option("--repeat", out.repeat, "N",
             "launch N more times from the same data; the bytes must be the same (real devices)");
  cli.flag("--compare-sim", out.compareSim, "simulate too; put values and time side by side");
  cli.flag("--no-verify", out.noVerify, "on a GPU: launch IR that tlx-verify has not looked at");
  cli.flag("--functional-only", out.functionalOnly, "values, no time");
  cli.flag("--timing-only", out.timingOnly, "time, no values");
  cli.flag("--exact-mma", out.exactMma,
           "add products as NVIDIA's tensor cores do, bit for bit; slow");
  cli.flag("--race-check", out.raceCheck,
           "look for unordered accesses (default: on grids of at most 32 CTAs)");
  cli.flag("--no-race-check", out.noRaceCheck, "do not");
  cli.option("--threads", out.threads, "N",
             "threads to simulate with (default: all); results do not depend on it");
  cli.option("--trace", out.trace, "OUT.json", "write the time line, for Perfetto");
  cli.option("--report", out.report, "OUT.html",
             "write a page with the time line and where time went");
  cli.options("--sweep", out.sweep, "LAUNCH.json|DIR",
              "rank the predicted times of launches; may be given several times");
  cli.options("--variant", out.variants, "KERNEL", "with --sweep: another kernel to try");
  cli.option("--results", out.results, "OUT.jsonl",
             "with --sweep: a line for each case; cases that have one are not run again");
  cli.option("--compare", out.compare, "A.json",
             "compare FILE, a report of --json, with this other one: what changed from A to FILE");
  for (const char *other : {"--manifest", "--replay", "--sweep", "--chip", "--what-if", "--trace",
                            "--report", "--check", "--save-outputs", "--schedule", "--bench"})
    cli.excludes("--compare", other);
  for (const char *other : {"--manifest", "--replay", "--functional-only", "--save-outputs",
                            "--trace", "--report", "--check", "--compare-sim", "--repeat"})
    cli.excludes("--sweep", other);
  cli.excludes("--race-check", "--no-race-check");
  cli.excludes("--functional-only", "--timing-only");
  cli.excludes("--manifest", "--replay");
  cli.excludes("--timing-only", "--save-outputs");
  cli.excludes("--timing-only", "--check");
  cli.excludes("--timing-only", "--compare-sim");
  cli.excludes("--replay", "--compare-sim");
  cli.excludes("--timing-only", "--repeat");
  cli.excludes("--functional-only", "--trace");
  cli.excludes("--functional-only", "--report");
  cli.footer("Exit status: 0 ran and nothing was wrong, 1 the kernel did "
             "something wrong, 2 bad\ninput, 3 internal error, 4 something that "
             "cannot be simulated, or a limit was met.");
  if (std::optional<int> exit = cli.parse(argc, argv))
    return exit;
  if (out.sweep.empty() && (out.results || !out.variants.empty())) {
    std::fputs("tlx-run: error: --variant and --results belong to --sweep\n", stderr);
    return int(ExitCode::BadInput);
  }
  if ((out.timeout && !(*out.timeout > 0)) || (out.memory && *out.memory < 1)) {
    std::fputs("tlx-run: error: --timeout and --memory-limit must be positive\n", stderr);
    return int(ExitCode::BadInput);
  }
  if (out.check && out.check->empty()) {
    out.check.reset();
    out.compareSim = true;
    if (out.device == "sim") {
      std::fputs("tlx-run: error: --check without a folder compares with the simulator, which is "
                 "what runs here\nhint: --check DIR, of <storage>.npy that --save-outputs or the "
                 "kernel's reference wrote\n",
                 stderr);
      return int(ExitCode::BadInput);
    }
  }
  return std::nullopt;
}

} // namespace tlx::run
