//===- TlxMutate.cpp - mutants of one kernel, judged -----------------------===//
//
//   tlx-mutate FILE [--manifest LAUNCH.json] [--sample N] [--seed S]
//
// Prints one JSON object a line for each mutant. campaign.py runs it over many
// kernels and adds up. Exit codes: 0 judged, 1 a mutant was proved that the
// explorer refutes, 2 the file has no mutants to judge.
//
//===----------------------------------------------------------------------===//
#include "tests/mutation/Campaign.h"

#include "runtime/base/Cli.h"
#include "runtime/base/Json.h"

#include <cstdio>

using namespace tlx;
using namespace tlx::mutation;

int main(int argc, char **argv) {
  Request request;
  std::vector<std::string> files;
  std::optional<int64_t> sample, seed;
  std::optional<double> timeout;
  bool listOperators = false;
  Cli cli("tlx-mutate", "damages a kernel in small ways and asks the judges about each");
  cli.positionals("FILE", files, "a kernel that is PROVED", false);
  cli.option("--manifest", request.manifest, "LAUNCH.json", "launch manifest of the kernel");
  cli.option("--sample", sample, "N", "that many mutants, spread over operators (default: all)");
  cli.option("--seed", seed, "S", "of the choice (default 1)");
  cli.option("--only", request.only, "OPERATOR,...", "mutants of these operators");
  cli.option("--write", request.writeTo, "FILE", "write the first mutant's IR and stop");
  cli.option("--timeout", timeout, "SECONDS", "for each proof (default 20)");
  cli.flag("--list", listOperators, "the operators");
  if (auto exit = cli.parse(argc, argv))
    return *exit;
  if (listOperators) {
    for (const auto &[name, what] : operatorNames())
      std::printf("%-18s %s\n", name.c_str(), what.c_str());
    return 0;
  }
  if (files.size() != 1) {
    std::fprintf(stderr, "error: one input file is needed\nhint: tlx-mutate --help\n");
    return 2;
  }
  request.file = files[0];
  request.sample = static_cast<int>(sample.value_or(0));
  request.seed = static_cast<uint64_t>(seed.value_or(1));
  request.timeout = timeout.value_or(request.timeout);
  bool missed = false;
  std::string why;
  auto report = [&](const Mutant &mutant) {
    missed |= mutant.outcome == "MISSED";
    json::Writer w;
    w.beginObject().key("operator").value(mutant.op).key("place").value(mutant.place);
    w.key("operation")
        .value(int64_t(mutant.operation))
        .key("variant")
        .value(int64_t(mutant.variant));
    w.key("outcome").value(mutant.outcome).key("detail").value(mutant.detail);
    w.key("seconds").value(mutant.seconds).endObject();
    std::printf("%s\n", w.str().c_str());
    std::fflush(stdout);
  };
  if (!campaign(request, report, why)) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 2;
  }
  return missed ? 1 : 0;
}
