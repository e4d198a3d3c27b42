//===- TlxVerify.cpp - proves or refutes the synchronisation of kernels ----===//
//
//   tlx-verify FILE|FOLDER... [--json] [--manifest LAUNCH.json] ...
//
// For each file: read, bring to the .ttir level when it is a .source, encode
// each kernel, prove, report. Exit codes: 0 PROVED, 1 BUG, 4 UNKNOWN, 2 bad
// input, 3 internal; of several files the first of 3, 2, 1, 4, 0.
//
//===----------------------------------------------------------------------===//

#include "verify/report/Policy.h"
#include "verify/tools/Batch.h"
#include "verify/tools/Levels.h"

#include "runtime/base/Cli.h"
#include "runtime/base/File.h"
#include "runtime/base/Guard.h"
#include "runtime/base/Output.h"
#include "sim/chips/Targets.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace tlx;
using namespace tlx::verify;

namespace {
std::atomic<bool> cancelled{false};

/// What is known so far is still reported; a second one ends at once.
void onInterrupt(int) {
  cancelled = true;
  std::signal(SIGINT, SIG_DFL);
}

bool parseCluster(const std::string &text, std::array<int64_t, 3> &out) {
  long long x, y, z;
  char rest;
  if (std::sscanf(text.c_str(), "%lld,%lld,%lld%c", &x, &y, &z, &rest) != 3 || x < 1 || y < 1 ||
      z < 1 || x * y * z > 16)
    return false;
  out = {x, y, z};
  return true;
}

/// The first of 3, 2, 1, 4, 0 that occurs.
int worst(const std::vector<int> &codes) {
  for (int code : {3, 2, 1, 4})
    if (std::find(codes.begin(), codes.end(), code) != codes.end())
      return code;
  return 0;
}

int usage(const std::string &message) {
  std::fprintf(stderr, "error: %s\nhint: tlx-verify --help\n", message.c_str());
  return 2;
}

struct Options {
  VerifyRequest request;
  std::vector<std::string> paths;
  bool json = false, sarif = false, noCache = false;
  std::string replayOut, policy, baseline, writeBaseline, recordedFrom;
  WarProxy warProxy = WarProxy::Warn;
  bool warProxyGiven = false;
  int jobs = 1;
  int64_t memoryBytes = 0;
};

/// Exit status when there is nothing more to do.
std::optional<int> readOptions(int argc, char **argv, Options &o) {
  std::string cluster, warProxy, explainWhat;
  std::optional<int64_t> numWarps, numCtas, jobs, memory;
  std::optional<double> timeout;
  std::vector<std::string> without;
  Cli cli("tlx-verify", "proves that a kernel's tasks synchronise correctly, or shows how not");
  cli.positionals("FILE", o.paths, "kernels (.mlir, .source, .ttir, .ttgir), folders of them",
                  false);
  cli.flag("--json", o.json, "print the results as JSON");
  cli.flag("--sarif", o.sarif, "print the results as SARIF 2.1.0");
  cli.option("--timeout", timeout, "SECONDS",
             "give up on a kernel after this time (default 60; 0: never)");
  cli.option("--memory-limit", memory, "MIB",
             "give up when all kernels at a time need more (default: three quarters of the "
             "machine's)");
  cli.options("--manifest", o.request.manifests, "LAUNCH.json", "launch manifest of the kernel");
  cli.option("--target", o.request.target, "TARGET", "cuda:90, cuda:100, hip:gfx950, ...");
  cli.option("--num-warps", numWarps, "N", "warps of the default region");
  cli.option("--cluster", cluster, "X,Y,Z", "CTAs of a cluster");
  cli.option("--num-ctas", numCtas, "N", "CTAs that run one program");
  cli.option("--war-proxy", warProxy, "off|warn|error",
             "a generic read before an async write without a proxy fence (default warn)");
  cli.flag("--strict", o.request.strict, "launches that leave a loop empty are bugs too");
  cli.options("--without", without, "CONTRACT",
              "do not rely on this of the lowering (--explain contracts)");
  cli.option("--policy", o.policy, "POLICY.json", "classes and findings that do not count");
  cli.option("--baseline", o.baseline, "BASELINE.json", "findings that were there before");
  cli.option("--write-baseline", o.writeBaseline, "BASELINE.json",
             "write the findings as a baseline");
  cli.option("--replay-out", o.replayOut, "TRACE.json",
             "write the first BUG's run for tlx-run --device sim --replay");
  cli.option("--recorded-from", o.recordedFrom, "PROGRAM.py",
             "name this program in place of the files that were recorded of it");
  cli.option("--jobs", jobs, "N", "files at a time (default: one for each core)");
  cli.flag("--no-cache", o.noCache, "neither use nor keep verdicts in the cache folder");
  cli.option("--explain", explainWhat, "CLASS|REPORT.json",
             "explain a bug class, a report's findings, or list 'classes' or 'contracts'");
  cli.excludes("--manifest", "--cluster");
  cli.excludes("--json", "--sarif");
  cli.footer("Exit codes: 0 PROVED, 1 BUG, 4 UNKNOWN, 2 bad input, 3 internal error; of several\n"
             "files the first of 3, 2, 1, 4, 0.");
  if (auto exit = cli.parse(argc, argv))
    return exit;
  if (!explainWhat.empty()) {
    Result<std::string> text = explain(explainWhat);
    if (!text) {
      std::fprintf(stderr, "%s\n", text.error().str().c_str());
      return int(text.error().code);
    }
    std::fputs(text->c_str(), stdout);
    return 0;
  }
  if (o.paths.empty())
    return usage("no input file");
  if (!o.request.target.empty() && !sim::chipOfTarget(o.request.target))
    return usage("--target knows no '" + o.request.target + "'; targets: " + sim::targetNames());
  if (!cluster.empty()) {
    std::array<int64_t, 3> shape;
    if (!parseCluster(cluster, shape))
      return usage("--cluster must be X,Y,Z with at most 16 CTAs; got " + cluster);
    o.request.cluster = shape;
  }
  struct Bounded {
    const char *name;
    const std::optional<int64_t> &value;
    int64_t most;
  };
  for (const Bounded &b :
       {Bounded{"--num-warps", numWarps, 32}, Bounded{"--num-ctas", numCtas, 16},
        Bounded{"--jobs", jobs, 1024}, Bounded{"--memory-limit", memory, int64_t(1) << 30}})
    if (b.value && (*b.value < 1 || *b.value > b.most))
      return usage(std::string(b.name) + " must be between 1 and " + std::to_string(b.most) +
                   "; got " + std::to_string(*b.value));
  if (timeout && !(*timeout >= 0)) // not a number is refused too
    return usage("--timeout must not be negative");
  if (!warProxy.empty() && warProxy != "off" && warProxy != "warn" && warProxy != "error")
    return usage("--war-proxy must be off, warn or error; got " + warProxy);
  for (const std::string &name : without) {
    std::string names;
    bool found = false;
    for (const Contract &contract : contracts()) {
      if (!contract.lowering)
        continue;
      names += std::string(" ") + contract.name;
      if (contract.name == name) {
        found = true;
        o.request.lowerings.drop(*contract.lowering);
      }
    }
    if (!found)
      return usage("--without knows no contract '" + name + "'; only" + names);
  }
  if (numWarps)
    o.request.numWarps = static_cast<int>(*numWarps);
  if (numCtas)
    o.request.numCtas = static_cast<int>(*numCtas);
  o.warProxyGiven = !warProxy.empty();
  o.request.warProxy = warProxy == "off"     ? WarProxy::Off
                       : warProxy == "error" ? WarProxy::Error
                                             : WarProxy::Warn;
  o.request.timeoutSeconds = timeout.value_or(60);
  o.request.cancelled = &cancelled;
  o.memoryBytes = memoryLimit(memory);
  o.jobs = static_cast<int>(jobs.value_or(std::max(1u, std::thread::hardware_concurrency())));
  return std::nullopt;
}

/// All that a verdict depends on besides files.
std::string cacheOptions(const VerifyRequest &r) {
  std::string text = r.target + ";" + std::to_string(r.numWarps.value_or(0)) + ";" +
                     std::to_string(r.numCtas.value_or(0)) + ";" + (r.strict ? "strict" : "") +
                     ";" + std::to_string(static_cast<int>(r.warProxy)) + ";" +
                     std::to_string(r.timeoutSeconds);
  for (const Contract &contract : contracts())
    if (contract.lowering && !r.lowerings.has(*contract.lowering))
      text += std::string(";without ") + contract.name;
  if (r.cluster)
    for (int64_t extent : *r.cluster)
      text += ";" + std::to_string(extent);
  return text;
}

class Session {
public:
  explicit Session(Options &options)
      : options(options), text(!options.json && !options.sarif), colour(isatty(STDOUT_FILENO)) {}

  int run() {
    auto started = std::chrono::steady_clock::now();
    auto files = kernelFiles(options.paths);
    for (const std::string &line : skippedPrograms(options.paths))
      std::fprintf(stderr, "%s\n", line.c_str());
    if (!files)
      return bad(files.error());
    if (!options.policy.empty()) {
      auto read = Policy::read(options.policy);
      if (!read)
        return bad(read.error());
      policy = std::move(*read);
      if (policy->warProxy && !options.warProxyGiven)
        options.request.warProxy = *policy->warProxy;
    }
    if (!options.baseline.empty()) {
      auto read = Baseline::read(options.baseline);
      if (!read)
        return bad(read.error());
      baseline = std::move(*read);
    }
    Cache cache(cacheOptions(options.request));
    BatchOptions batch;
    batch.jobs = std::min<int>(options.jobs, static_cast<int>(files->size()));
    batch.memoryBytes = options.memoryBytes / batch.jobs;
    // A cached verdict has no run to write.
    batch.cache = options.noCache || !options.replayOut.empty() ? nullptr : &cache;
    batch.progress = files->size() > 1 && isatty(STDERR_FILENO);
    size_t skipped = verifyFiles(*files, options.request, batch,
                                 [&](FileVerdict &&verdict) { take(std::move(verdict)); });
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    finish(files->size(), skipped, spent.count());
    return cancelled ? 4 : worst(codes);
  }

private:
  static int bad(const Error &error) {
    std::fprintf(stderr, "%s\n", error.str().c_str());
    return static_cast<int>(error.code);
  }

  void take(FileVerdict &&verdict) {
    std::fputs(verdict.errors.c_str(), stderr);
    if (!verdict.errors.empty())
      codes.push_back(verdict.exitCode);
    for (KernelReport &report : verdict.reports) {
      bool again = false; // the same finding at a later level
      if (!options.recordedFrom.empty()) {
        again = levels.compare(report, report.file);
        report.file = report.launch.from = recordedName(report);
      }
      if (policy)
        policy->apply(report);
      if (baseline)
        baseline->apply(report);
      codes.push_back(exitCode(report));
      if (report.replay && !options.replayOut.empty()) {
        if (auto written = replay::write(*report.replay, options.replayOut); !written)
          codes.push_back(bad(written.error()));
        options.replayOut.clear(); // the first only
      }
      if (text) {
        std::string shown = toText(report, colour);
        std::fputs(again ? (shown.substr(0, shown.find('\n')) + ", as above\n").c_str()
                         : shown.c_str(),
                   stdout);
      }
      std::fflush(stdout);
      reports.push_back(std::move(report));
    }
  }

  /// Of several recordings of one kernel, each by its own name.
  std::string recordedName(const KernelReport &report) const {
    std::string stem = std::filesystem::path(report.file).stem().string();
    return options.recordedFrom + (stem == report.kernel ? "" : ":" + stem);
  }

  void finish(size_t files, size_t skipped, double seconds) {
    if (options.json)
      std::fputs(toJson(reports).c_str(), stdout);
    if (options.sarif)
      std::fputs(toSarif(reports).c_str(), stdout);
    size_t kernels = options.recordedFrom.empty() ? reports.size() : levels.kernels();
    if (text && (reports.size() > 1 || skipped))
      std::fputs(summary(reports, kernels, files, skipped, seconds).c_str(), stdout);
    if (policy && !skipped)
      for (const std::string &line : policy->unused())
        std::fprintf(stderr, "%s\n", line.c_str());
    if (!options.writeBaseline.empty())
      if (auto written = writeFile(options.writeBaseline, Baseline::print(reports)); !written)
        codes.push_back(bad(written.error()));
    std::fflush(stdout);
  }

  Options &options;
  bool text, colour;
  std::optional<Policy> policy;
  std::optional<Baseline> baseline;
  std::vector<KernelReport> reports;
  std::vector<int> codes;
  Levels levels;
};
} // namespace

int main(int argc, char **argv) {
  Options options;
  if (auto exit = readOptions(argc, argv, options))
    return finishOutput(*exit);
  std::signal(SIGINT, onInterrupt);
  return finishOutput(Session(options).run());
}
