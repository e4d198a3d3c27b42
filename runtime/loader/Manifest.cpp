//===- Manifest.cpp - the launch as a whole -------------------------------===//
#include "runtime/loader/Manifest.h"

#include "runtime/base/File.h"
#include "runtime/base/Json.h"
#include "runtime/loader/ManifestArgument.h"

namespace tlx {
namespace {

// CUDA's limits on a grid ("Compute Capabilities: Technical Specifications"),
// which HIP's do not exceed in y and z.
constexpr int64_t maxGrid[3] = {2147483647, 65535, 65535};
constexpr int64_t maxClusterCtas = 16;

std::array<int64_t, 3> readTriple(json::Node node, const int64_t (&high)[3]) {
  std::array<int64_t, 3> out{1, 1, 1};
  size_t size = node.size();
  if (size != 3)
    node.fail("must have three elements, x, y and z; got " + std::to_string(size));
  else
    for (size_t i = 0; i < 3; ++i)
      out[i] = node[i].integer(1, high[i]);
  return out;
}

bool isTarget(const std::string &text) {
  auto rest = [&](std::string_view prefix) {
    return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : "";
  };
  std::string cuda = rest("cuda:"), hip = rest("hip:gfx");
  bool digits = !cuda.empty() && cuda.size() <= 4 &&
                cuda.find_first_not_of("0123456789") == std::string::npos;
  bool hex = !hip.empty() && hip.size() <= 5 &&
             hip.find_first_not_of("0123456789abcdef") == std::string::npos;
  return digits || hex;
}

void readCluster(json::Node root, Manifest &out) {
  constexpr int64_t high[3] = {maxClusterCtas, maxClusterCtas, maxClusterCtas};
  bool given = false;
  if (auto cluster = root.find("cluster"))
    if (cluster->size() != 0) {
      given = true;
      out.cluster = readTriple(*cluster, high);
      if (out.clusterSize() > maxClusterCtas)
        cluster->fail("must not have more than 16 CTAs; got " + std::to_string(out.clusterSize()));
      if (out.numCtas > 1 && out.clusterSize() > 1 && out.clusterSize() != out.numCtas)
        cluster->fail("has " + std::to_string(out.clusterSize()) +
                      " CTAs, but metadata.num_ctas is " + std::to_string(out.numCtas));
    }
  if (out.numCtas > 1 && (!given || out.clusterSize() == 1))
    out.cluster = {out.numCtas, 1, 1};
}

template <typename Set> void ifGiven(json::Node object, std::string_view key, Set set) {
  if (auto node = object.find(key))
    set(*node);
}

void readMetadata(json::Node node, Manifest &out) {
  auto number = [&](std::string_view key, int64_t low, int64_t high, SourceLocation *at = nullptr) {
    std::optional<int64_t> value;
    ifGiven(node, key, [&](json::Node n) {
      value = n.integer(low, high);
      if (at)
        *at = n.location();
    });
    return value;
  };
  out.defaultNumWarps = number("default_num_warps", 1, 32, &out.defaultNumWarpsLocation);
  if (out.defaultNumWarps && (*out.defaultNumWarps & (*out.defaultNumWarps - 1)))
    node["default_num_warps"].mustBe("a power of two");
  out.numWarps = number("num_warps", 1, 64, &out.numWarpsLocation);
  out.numCtas = number("num_ctas", 1, maxClusterCtas, &out.numCtasLocation).value_or(1);
  out.sharedBytes = number("shared", 0, int64_t(1) << 24, &out.sharedLocation);
  out.tmemColumns = number("tmem_size", 0, int64_t(1) << 20, &out.tmemLocation);
  out.maxRegisters = number("maxnreg", 1, 255);
  out.globalScratchBytes = number("global_scratch_size", 0, int64_t(1) << 40).value_or(0);
}

TensorMapFacts readTensorMap(json::Node node) {
  TensorMapFacts out;
  out.swizzle = node["swizzle"].integer(0, 3);
  out.elementSize = node["elem_size"].integer(1, 16);
  out.elementType = node["elem_type"].integer(0, 64);
  out.blockSize = node["block_size"].integers(1, 65536);
  ifGiven(node, "fp4_padded", [&](json::Node n) { out.fp4Padded = n.boolean(); });
  return out;
}

/// Hands the entries of tensordesc_meta to the descriptors, in order.
void readTensorMaps(json::Node metadata, json::Reader &reader, Manifest &out) {
  auto list = metadata.find("tensordesc_meta");
  if (!list)
    return;
  size_t count = list->size(), next = 0, descriptors = 0;
  for (Argument &argument : out.arguments) {
    if (argument.kind != Argument::Kind::TensorDesc)
      continue;
    ++descriptors;
    if (next == count || reader.failed())
      continue;
    json::Node entry = (*list)[next++];
    if (entry.isNull())
      continue;
    argument.tensorMap = readTensorMap(entry);
    if (!reader.failed() && argument.tensorMap->blockSize.size() != argument.shape.size())
      entry.fail("has a block_size of rank " +
                 std::to_string(argument.tensorMap->blockSize.size()) + ", but '" + argument.name +
                 "' has rank " + std::to_string(argument.shape.size()));
  }
  if (count && count != descriptors && !reader.failed())
    list->fail("has " + std::to_string(count) + " entries for " + std::to_string(descriptors) +
               " descriptor arguments");
}

std::string constexprText(json::Node node) { return node.shown(); }

Manifest readAll(json::Reader &reader, const std::string &file) {
  Manifest out;
  out.file = file;
  json::Node root = reader.root();
  json::Node kernel = root["kernel"];
  out.kernel = kernel.string();
  out.kernelLocation = kernel.location();
  if (!reader.failed() && out.kernel.empty())
    kernel.fail("must name a function; it is empty");
  json::Node target = root["target"];
  out.target = target.string();
  out.targetLocation = target.location();
  if (!reader.failed() && !isTarget(out.target))
    target.mustBe("\"cuda:<capability>\" or \"hip:gfx<number>\"");
  json::Node grid = root["grid"];
  out.grid = readTriple(grid, maxGrid);
  out.gridLocation = grid.location();
  ifGiven(root, "ir", [&](json::Node n) { out.irHash = n.string(); });
  auto metadata = root.find("metadata");
  if (metadata)
    readMetadata(*metadata, out);
  readCluster(root, out);
  ifGiven(root, "constexprs", [&](json::Node n) {
    for (const std::string &key : n.keys())
      out.constexprs.push_back({key, constexprText(n[std::string_view(key)])});
  });
  json::Node args = root["args"];
  std::string folder = folderOf(file);
  for (size_t i = 0, count = args.size(); i < count && !reader.failed(); ++i)
    readArgument(args[i], "", folder, out.arguments);
  if (metadata && !reader.failed())
    readTensorMaps(*metadata, reader, out);
  return out;
}

} // namespace

Result<Manifest> parseManifest(std::string_view text, const std::string &file) {
  Result<json::Document> document = json::parse(text, file);
  if (!document)
    return std::move(document).error();
  json::Reader reader(*document);
  Manifest manifest = readAll(reader, file);
  if (reader.failed())
    return reader.error();
  return manifest;
}

Result<Manifest> readManifest(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return std::move(text).error();
  return parseManifest(*text, path);
}

} // namespace tlx
