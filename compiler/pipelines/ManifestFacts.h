//===- ManifestFacts.h - launch parameters from a manifest -----------------===//
#pragma once

#include "compiler/ingest/LaunchFacts.h"
#include "runtime/base/Result.h"

namespace tlx {

struct Manifest;

LaunchFacts launchFactsOf(const Manifest &manifest);

/// Reads and checks the whole manifest at `path`.
Result<LaunchFacts> readLaunchFacts(const std::string &path);

} // namespace tlx
