//===- File.h - whole files in and out ------------------------------------===//
//
// Reading and writing whole files with errors in the user's words: "no such
// file", "is a directory", "larger than …". A file has an end: devices and pipes
// are refused at once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tlx {

/// More than any text has: IR, JSON, a chip table, a package.
inline constexpr uint64_t maxTextBytes = uint64_t(256) << 20;

/// The contents of a file of at most `maxBytes`. Errors are located at `path`.
Result<std::string> readFile(const std::string &path, uint64_t maxBytes = maxTextBytes);
/// All of standard input; errors are located at "<stdin>".
Result<std::string> readStandardInput(uint64_t maxBytes = maxTextBytes);
/// Creates or replaces a file.
Result<void> writeFile(const std::string &path, std::string_view contents);
/// Before a file is written into a folder under a name that nobody typed: a link that lies there,
/// which would lead out of the folder, is removed.
void removeLink(const std::string &path);
/// Whether something is there.
bool fileExists(const std::string &path);
/// Creates a folder and its parents; fine when it is there already.
Result<void> createFolder(const std::string &path);

/// The folder part of a path, "." when it has none.
std::string folderOf(const std::string &path);
/// `relative` seen from `folder`; an absolute path stays as it is.
std::string joinPath(const std::string &folder, const std::string &relative);

} // namespace tlx
