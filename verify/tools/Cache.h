//===- Cache.h - verdicts that are known already --------------------------===//
//
// A verdict depends on the tool, its options, the kernel's bytes and those of
// its manifests. Their hash names a file in the cache folder, $XDG_CACHE_HOME or
// ~/.cache, that holds the report as --json prints it. What was cut short by a
// limit is not kept.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/tools/VerifyFile.h"

namespace tlx::verify {

class Cache {
public:
  /// `options`: all that the verdict depends on besides files.
  explicit Cache(const std::string &options);
  /// Empty when the file or a manifest cannot be read, or without a folder.
  std::string key(const std::string &file, const VerifyRequest &request) const;
  std::optional<FileVerdict> find(const std::string &key, const std::string &file) const;
  void keep(const std::string &key, const FileVerdict &verdict) const;

private:
  std::string folder, options;
};

} // namespace tlx::verify
