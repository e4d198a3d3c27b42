//===- Parallel.h - work on several threads ---------------------------------===//
#pragma once

#include <cstddef>
#include <functional>

namespace tlx::sim {

/// Calls `body` with each number of [first, last) on at most `threads` threads (0: all there are);
/// returns when all calls have.
void inParallel(size_t first, size_t last, int threads, const std::function<void(size_t)> &body);

} // namespace tlx::sim
