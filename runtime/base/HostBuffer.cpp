//===- HostBuffer.cpp -------------------------------------------------------===//
#include "runtime/base/HostBuffer.h"

#include <algorithm>
#include <sys/mman.h>

namespace tlx {

/// At least something to point to: a kernel may be handed an empty tensor.
static size_t mappedSize(size_t size) { return std::max<size_t>(size, 1); }

HostBuffer::HostBuffer(size_t size) {
  void *got = ::mmap(nullptr, mappedSize(size), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    return;
  memory = static_cast<uint8_t *>(got);
  bytes = size;
}

HostBuffer::~HostBuffer() {
  if (memory)
    ::munmap(memory, mappedSize(bytes));
}

} // namespace tlx
