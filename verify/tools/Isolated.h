//===- Isolated.h - a file verified in a process of its own ---------------===//
//
// Whatever a kernel does to the verifier, the verdicts on the others are given:
// a child process reads and proves one file and writes its verdict into a pipe.
// A child that meets its limit of time or memory is UNKNOWN(timeout) or
// UNKNOWN(memory); one that dies is an internal fault of that file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/tools/VerifyFile.h"

#include <sys/types.h>

namespace tlx::verify {

class Isolated {
public:
  /// Starts a child; errors of the system become its verdict.
  Isolated(std::string path, const VerifyRequest &request, int64_t memoryBytes);
  Isolated(const Isolated &) = delete;
  Isolated &operator=(const Isolated &) = delete;
  ~Isolated();

  /// Becomes readable when there is something to receive.
  int descriptor() const { return pipe; }
  /// Reads what has come; false at the end, when the verdict is complete.
  bool receive();
  /// Asks the child to come to an end with what it knows.
  void interrupt();
  /// Ends a child that did not come to an end when it was asked to.
  void end();
  /// After the end.
  FileVerdict verdict();

private:
  FileVerdict without(int status) const;

  std::string path, text;
  double timeoutSeconds;
  int64_t memoryBytes;
  pid_t child = -1;
  bool ended = false;
  int pipe = -1;
};

} // namespace tlx::verify
