#include "compiler/pipelines/ManifestFacts.h"

#include "runtime/loader/Manifest.h"

namespace tlx {

LaunchFacts launchFactsOf(const Manifest &manifest) {
  LaunchFacts facts;
  facts.target = manifest.target;
  if (manifest.defaultNumWarps)
    facts.numWarps = int(*manifest.defaultNumWarps);
  facts.numCtas = int(manifest.numCtas);
  facts.cluster = manifest.cluster;
  facts.kernel = manifest.kernel;
  facts.from = manifest.file;
  return facts;
}

Result<LaunchFacts> readLaunchFacts(const std::string &path) {
  Result<Manifest> manifest = readManifest(path);
  if (!manifest)
    return manifest.error();
  return launchFactsOf(*manifest);
}

} // namespace tlx
