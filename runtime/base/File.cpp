//===- File.cpp ------------------------------------------------------------===//
#include "runtime/base/File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tlx {

static Error fileError(const std::string &path, const std::string &what) {
  return Error(what, SourceLocation{path, 0, 0});
}

static std::string reason(int code) {
  switch (code) {
  case ENOENT: return "no such file or folder";
  case EACCES: return "permission denied";
  case EISDIR: return "is a directory, not a file";
  default: return std::strerror(code);
  }
}

namespace {
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
};
} // namespace

bool fileExists(const std::string &path) { return ::access(path.c_str(), F_OK) == 0; }

static Result<std::string> readAll(int fd, const std::string &path, uint64_t size,
                                   uint64_t maxBytes) {
  std::string out;
  size_t used = 0;
  for (;;) {
    if (size > maxBytes || used > maxBytes)
      return fileError(path, "cannot read: larger than " + std::to_string(maxBytes >> 20) + " MiB");
    // What pipes and files of /proc hold is only known at their end.
    if (used == out.size())
      out.resize(used ? used * 2 : size_t(size) + 4096);
    ssize_t got = ::read(fd, out.data() + used, out.size() - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fileError(path, "cannot read: " + reason(errno));
    if (got == 0)
      break;
    used += size_t(got);
  }
  out.resize(used);
  return out;
}

Result<std::string> readFile(const std::string &path, uint64_t maxBytes) {
  // Neither opening nor reading waits for what may never come, as a pipe's other end.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (file.fd < 0)
    return fileError(path, "cannot read: " + reason(errno));
  struct stat info;
  if (::fstat(file.fd, &info) != 0)
    return fileError(path, "cannot read: " + reason(errno));
  if (S_ISDIR(info.st_mode))
    return fileError(path, "cannot read: " + reason(EISDIR));
  if (!S_ISREG(info.st_mode))
    return fileError(path, S_ISFIFO(info.st_mode) ? "cannot read: is a pipe, not a file"
                                                  : "cannot read: is a device, not a file");
  return readAll(file.fd, path, uint64_t(info.st_size), maxBytes);
}

Result<std::string> readStandardInput(uint64_t maxBytes) {
  return readAll(STDIN_FILENO, "<stdin>", 0, maxBytes);
}

Result<void> writeFile(const std::string &path, std::string_view contents) {
  Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (file.fd < 0)
    return fileError(path, "cannot write: " + reason(errno));
  while (!contents.empty()) {
    ssize_t put = ::write(file.fd, contents.data(), contents.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return fileError(path, "cannot write: " + reason(errno));
    contents.remove_prefix(size_t(put));
  }
  int closed = ::close(file.fd);
  file.fd = -1;
  if (closed != 0)
    return fileError(path, "cannot write: " + reason(errno));
  return {};
}

void removeLink(const std::string &path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode))
    ::unlink(path.c_str()); // what fails here fails again when the file is written
}

Result<void> createFolder(const std::string &path) {
  for (size_t end = 1; end <= path.size(); ++end) {
    if (end < path.size() && path[end] != '/')
      continue;
    std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0777) == 0)
      continue;
    int code = errno;
    struct stat info;
    if (::stat(part.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      continue;
    return fileError(part, "cannot create folder: " +
                               (code == EEXIST ? "a file of that name is there" : reason(code)));
  }
  return {};
}

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string joinPath(const std::string &folder, const std::string &relative) {
  if (!relative.empty() && relative.front() == '/')
    return relative;
  if (folder.empty() || folder == ".")
    return relative;
  return folder.back() == '/' ? folder + relative : folder + "/" + relative;
}

} // namespace tlx
