#include "compiler/tools/LaunchFlags.h"

#include "compiler/pipelines/ManifestFacts.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tlx {

std::optional<LaunchFacts> LaunchFlags::facts() const {
  auto refuse = [](const Twine &message) -> std::optional<LaunchFacts> {
    errs() << "error: " << message << "\n";
    return std::nullopt;
  };
  LaunchFacts facts;
  if (!manifest.empty()) {
    Result<LaunchFacts> read = readLaunchFacts(manifest);
    if (!read)
      return errs() << read.error().str() << "\n", std::nullopt;
    facts = *read;
  }
  auto positive = [](const cl::opt<int> &flag) { return !flag.getNumOccurrences() || flag > 0; };
  if (!positive(numWarps) || !positive(numCtas))
    return refuse("--num-warps and --num-ctas must be positive");
  if (!target.empty()) {
    StringRef name = target.getValue();
    if (!name.starts_with("cuda:") && !name.starts_with("hip:"))
      return refuse("--target must be cuda:NN or hip:gfxNNN; got " + name);
    facts.target = target;
  }
  if (numWarps.getNumOccurrences())
    facts.numWarps = numWarps;
  if (numCtas.getNumOccurrences())
    facts.numCtas = numCtas;
  if (!cluster.empty()) {
    if (cluster.size() != 3 || any_of(cluster, [](int64_t size) { return size < 1; }))
      return refuse("--cluster must be three positive sizes x,y,z");
    facts.cluster = {cluster[0], cluster[1], cluster[2]};
  }
  return facts;
}

} // namespace tlx
