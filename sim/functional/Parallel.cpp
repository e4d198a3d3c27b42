//===- Parallel.cpp ---------------------------------------------------------===//
//
// ThreadSanitizer does not see into TBB's library, so it is told what TBB
// promises: a call sees what was before all of them, and what follows sees them
// all. Nothing orders one call and another.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/Parallel.h"

#include <optional>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#else
static void __tsan_acquire(void *) {} // NOLINT
static void __tsan_release(void *) {} // NOLINT
#endif

namespace tlx::sim {

void inParallel(size_t first, size_t last, int threads, const std::function<void(size_t)> &body) {
  std::optional<tbb::global_control> limit;
  if (threads > 0)
    limit.emplace(tbb::global_control::max_allowed_parallelism, size_t(threads));
  char before, after;
  __tsan_release(&before);
  tbb::parallel_for(first, last, [&](size_t i) {
    __tsan_acquire(&before);
    body(i);
    __tsan_release(&after);
  });
  __tsan_acquire(&after);
}

} // namespace tlx::sim
