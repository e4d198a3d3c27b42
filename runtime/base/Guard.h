//===- Guard.h - limits that a process obeys whatever it reads --------------===//
//
// A file can ask for any amount of work: a chain of a million operations, an
// attribute that is written in a line and printed in a year. A tool sets its
// limits once, and answers in time with one error and a documented exit code:
//
//   guardTool({seconds, bytes}, "kernel.ttir");
//
//   kernel.ttir: error: no answer within 60 s
//   hint: --timeout allows more
//
// A thread watches time and resident memory; what asks for more memory than the
// system has, or for more stack, ends in the same way. Recursion over input is
// bounded where it can be (SourceText.h, ParseFile.h): the guard is what is left
// when it was forgotten.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tlx {

struct GuardLimits {
  double seconds = 0; ///< 0: none
  int64_t bytes = 0;  ///< of resident memory; 0: none
};

enum class Limit : uint8_t { Time, Memory, Stack };

/// Three quarters of what this machine, or the control group that the process is
/// in, has.
int64_t defaultMemoryLimit();
/// MiB as given on a command line, or the default.
int64_t memoryLimit(std::optional<int64_t> mebibytes);

/// From now on `exceeded`, which must not return, is called when a limit is met:
/// in any thread, in a signal handler for the stack (of this thread).
void guardProcess(const GuardLimits &limits, void (*exceeded)(Limit));
/// The same, ending in an error about `file`: exit code 4, for the stack 2.
void guardTool(const GuardLimits &limits, const std::string &file);
/// The time that is allowed begins anew.
void restartGuardClock();

} // namespace tlx
