//===- Fault.h - broken preconditions of the layout algebra ---------------===//
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tlx::layout {

/// Ends the program with a message: the caller broke a stated precondition.
[[noreturn]] void fault(const char *what);

inline void require(bool condition, const char *what) {
  if (!condition)
    fault(what);
}

} // namespace tlx::layout
