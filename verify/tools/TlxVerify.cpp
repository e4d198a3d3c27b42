//===- TlxVerify.cpp - proves or refutes the synchronisation of kernels ----===//
//
//   tlx-verify FILE... [--json] [--manifest LAUNCH.json] ...
//
// For each file: read, bring to the .ttir level when it is a .source, encode
// each kernel, prove, report. Exit codes: 0 PROVED, 1 BUG, 4 UNKNOWN, 2 bad
// input, 3 internal; of several files the first of 3, 2, 1, 4, 0.
//
//===----------------------------------------------------------------------===//

#include "verify/tools/VerifyFile.h"

#include "runtime/base/Cli.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>

using namespace tlx;
using namespace tlx::verify;

namespace {
std::atomic<bool> cancelled{false};

void onInterrupt(int) { cancelled = true; }

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
} // namespace

int main(int argc, char **argv) {
  VerifyRequest request;
  std::vector<std::string> files;
  bool json = false;
  std::string cluster, warProxy = "warn", explainWhat, replayOut;
  std::optional<int64_t> numWarps, numCtas;
  std::optional<double> timeout;

  Cli cli("tlx-verify", "proves that a kernel's tasks synchronise correctly, or shows how not");
  cli.positionals("FILE", files, "kernels: .source, .ttir, .ttgir", false);
  cli.flag("--json", json, "print the results as JSON");
  cli.option("--timeout", timeout, "SECONDS",
             "give up on a kernel after this time (default 60; 0: never)");
  cli.options("--manifest", request.manifests, "LAUNCH.json", "launch manifest of the kernel");
  cli.option("--target", request.target, "TARGET", "cuda:90, cuda:100, hip:gfx950, ...");
  cli.option("--num-warps", numWarps, "N", "warps of the default region");
  cli.option("--cluster", cluster, "X,Y,Z", "CTAs of a cluster");
  cli.option("--num-ctas", numCtas, "N", "CTAs that run one program");
  cli.choice("--war-proxy", warProxy, {"off", "warn", "error"},
             "a generic read before an async write without a proxy fence");
  cli.flag("--strict", request.strict, "launches that leave a loop empty are bugs too");
  cli.option("--replay-out", replayOut, "TRACE.json",
             "write the first BUG's run for tlx-run --device sim --replay");
  cli.option("--explain", explainWhat, "CLASS", "explain a bug class, or 'contracts'");
  cli.excludes("--manifest", "--cluster");
  cli.footer("Exit codes: 0 PROVED, 1 BUG, 4 UNKNOWN, 2 bad input, 3 internal error; of several\n"
             "files the first of 3, 2, 1, 4, 0.");
  if (auto exit = cli.parse(argc, argv))
    return *exit;
  if (!explainWhat.empty()) {
    std::string text = explain(explainWhat);
    if (text.empty()) {
      std::fprintf(stderr, "error: no class '%s'; classes:", explainWhat.c_str());
      for (BugClass cls : allClasses())
        std::fprintf(stderr, " %s", info(cls).name);
      std::fprintf(stderr, " contracts\n");
      return 2;
    }
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  if (files.empty()) {
    std::fprintf(stderr, "error: no input file\nhint: tlx-verify --help\n");
    return 2;
  }
  if (!cluster.empty()) {
    std::array<int64_t, 3> shape;
    if (!parseCluster(cluster, shape)) {
      std::fprintf(stderr, "error: --cluster must be X,Y,Z with at most 16 CTAs; got %s\n",
                   cluster.c_str());
      return 2;
    }
    request.cluster = shape;
  }
  if (numWarps && (*numWarps < 1 || *numWarps > 32)) {
    std::fprintf(stderr, "error: --num-warps must be between 1 and 32; got %lld\n",
                 static_cast<long long>(*numWarps));
    return 2;
  }
  if (numCtas && (*numCtas < 1 || *numCtas > 16)) {
    std::fprintf(stderr, "error: --num-ctas must be between 1 and 16; got %lld\n",
                 static_cast<long long>(*numCtas));
    return 2;
  }
  if (timeout && !(*timeout >= 0)) { // not a number is refused too
    std::fprintf(stderr, "error: --timeout must not be negative; got %g\n", *timeout);
    return 2;
  }
  if (numWarps)
    request.numWarps = static_cast<int>(*numWarps);
  if (numCtas)
    request.numCtas = static_cast<int>(*numCtas);
  request.warProxy = warProxy == "off"    ? WarProxy::Off
                     : warProxy == "warn" ? WarProxy::Warn
                                          : WarProxy::Error;
  request.timeoutSeconds = timeout.value_or(60);
  request.cancelled = &cancelled;
  std::signal(SIGINT, onInterrupt);

  std::vector<KernelReport> reports;
  std::vector<int> codes;
  bool colour = isatty(STDOUT_FILENO);
  for (const std::string &file : files) {
    FileVerdict verdict = verifyFile(file, request);
    codes.push_back(verdict.exitCode);
    for (KernelReport &report : verdict.reports) {
      if (report.replay && !replayOut.empty()) {
        if (auto written = replay::write(*report.replay, replayOut); !written) {
          std::fprintf(stderr, "%s\n", written.error().str().c_str());
          codes.push_back(2);
        }
        replayOut.clear();
      }
      if (!json)
        std::fputs(toText(report, colour).c_str(), stdout);
      reports.push_back(std::move(report));
    }
    if (cancelled)
      break;
  }
  if (json)
    std::fputs(toJson(reports).c_str(), stdout);
  std::fflush(stdout);
  // Tearing down MLIR takes longer than many proofs.
  std::_Exit(cancelled ? 4 : worst(codes));
}
