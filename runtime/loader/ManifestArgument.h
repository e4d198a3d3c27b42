//===- ManifestArgument.h - reading one argument of a manifest ------------===//
#pragma once

#include "runtime/base/Json.h"
#include "runtime/loader/Manifest.h"

namespace tlx {

/// Appends the argument at `node`, a tuple's items one by one. `name` is used
/// when the node has none. Errors go to the node's reader.
void readArgument(json::Node node, const std::string &name, const std::string &folder,
                  std::vector<Argument> &out);

} // namespace tlx
