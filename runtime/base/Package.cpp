//===- Package.cpp ----------------------------------------------------------===//
#include "runtime/base/Package.h"

#include "runtime/base/Json.h"

#include <charconv>

namespace tlx {

static constexpr std::string_view magic = "TLXK1\n";
static constexpr const char *kindNames[] = {"pointer", "descriptor", "scalar"};

bool isPackage(std::string_view bytes) { return bytes.substr(0, magic.size()) == magic; }

static void writeParameter(json::Writer &out, const PackageParameter &parameter) {
  out.beginObject().key("kind").value(kindNames[int(parameter.kind)]);
  out.key("name").value(parameter.name).key("dtype").value(name(parameter.element));
  if (parameter.kind == PackageParameter::Kind::Descriptor) {
    out.key("block").row(parameter.block).key("box").row(parameter.box);
    out.key("swizzle_bytes").value(parameter.swizzleBytes);
  }
  out.endObject();
}

std::string writePackage(const Package &package) {
  json::Writer out(/*pretty=*/true);
  out.beginObject().key("kernel").value(package.kernel).key("target").value(package.target);
  out.key("warps").value(package.warps);
  out.key("cluster").row(std::vector<int64_t>(package.cluster.begin(), package.cluster.end()));
  out.key("shared_bytes").value(package.sharedBytes);
  out.key("global_scratch_bytes").value(package.globalScratchBytes);
  out.key("global_scratch_alignment").value(package.globalScratchAlignment);
  out.key("source_sha256").value(package.sourceSha256);
  out.key("parameters").beginArray();
  for (const PackageParameter &parameter : package.parameters)
    writeParameter(out, parameter);
  out.endArray().key("codes").beginArray();
  for (const PackageCode &code : package.codes)
    out.beginObject()
        .key("arch")
        .value(code.arch)
        .key("form")
        .value(code.form)
        .key("bytes")
        .value(uint64_t(code.bytes.size()))
        .endObject();
  out.endArray().endObject();
  std::string header = std::move(out).str();
  std::string bytes = std::string(magic) + std::to_string(header.size()) + "\n" + header;
  for (const PackageCode &code : package.codes)
    bytes += code.bytes;
  return bytes;
}

static PackageParameter readParameter(json::Node node) {
  PackageParameter parameter;
  std::string kind = node["kind"].string();
  bool known = false;
  for (int index = 0; index < 3; ++index)
    if (kind == kindNames[index]) {
      parameter.kind = PackageParameter::Kind(index);
      known = true;
    }
  if (!known)
    node["kind"].mustBe("pointer, descriptor or scalar");
  parameter.name = node["name"].string();
  if (auto type = parseDType(node["dtype"].string()))
    parameter.element = *type;
  else
    node["dtype"].mustBe("an element type");
  if (parameter.kind == PackageParameter::Kind::Descriptor) {
    parameter.block = node["block"].integers(1);
    parameter.box = node["box"].integers(1);
    parameter.swizzleBytes = node["swizzle_bytes"].integer(0, 128);
  }
  return parameter;
}

Result<Package> readPackage(std::string_view bytes, const std::string &file) {
  SourceLocation place{file, 0, 0};
  auto damaged = [&](const std::string &what) {
    return Error("the package is damaged: " + what, place);
  };
  if (!isPackage(bytes))
    return Error("is no package: it does not begin with TLXK1", place);
  size_t begin = magic.size(), end = bytes.find('\n', begin), length = 0;
  if (end == std::string_view::npos)
    return damaged("its header has no length");
  auto [rest, problem] = std::from_chars(bytes.data() + begin, bytes.data() + end, length);
  if (problem != std::errc() || rest != bytes.data() + end || length > bytes.size() - end - 1)
    return damaged("its header's length is wrong");
  auto document = json::parse(bytes.substr(end + 1, length), file);
  if (!document)
    return std::move(document).error();
  json::Reader reader(*document);
  json::Node root = reader.root();
  Package package;
  package.kernel = root["kernel"].string();
  package.target = root["target"].string();
  package.warps = root["warps"].integer(1, 32);
  std::vector<int64_t> cluster = root["cluster"].integers(1, 16);
  if (cluster.size() != 3)
    root["cluster"].mustBe("three sizes");
  else
    std::copy(cluster.begin(), cluster.end(), package.cluster.begin());
  package.sharedBytes = root["shared_bytes"].integer(0, 1 << 20);
  package.globalScratchBytes = root["global_scratch_bytes"].integer(0, int64_t(1) << 32);
  package.globalScratchAlignment = root["global_scratch_alignment"].integer(1, 4096);
  package.sourceSha256 = root["source_sha256"].string();
  json::Node parameters = root["parameters"], codes = root["codes"];
  for (size_t index = 0; index < parameters.size(); ++index)
    package.parameters.push_back(readParameter(parameters[index]));
  size_t at = end + 1 + length;
  for (size_t index = 0; index < codes.size(); ++index) {
    PackageCode code{codes[index]["arch"].string(), codes[index]["form"].string(), {}};
    uint64_t size = codes[index]["bytes"].unsignedInteger();
    if (size > bytes.size() - at)
      return damaged("it ends before its code does");
    code.bytes = bytes.substr(at, size);
    at += size;
    package.codes.push_back(std::move(code));
  }
  if (reader.failed())
    return reader.error();
  if (at != bytes.size())
    return damaged("something follows its code");
  return package;
}

} // namespace tlx
