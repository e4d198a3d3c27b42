//===- HostBuffer.h - large zeroed memory ---------------------------------===//
//
// What kernels' storage is kept in on the host. Pages that nobody touches cost
// nothing, so that time can be predicted for sizes whose data nobody computes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tlx {

/// Zeroed memory, aligned to a page.
class HostBuffer {
public:
  HostBuffer() = default;
  /// data() is null when the system has no more memory; never for size 0.
  explicit HostBuffer(size_t size);
  HostBuffer(HostBuffer &&other) noexcept { swap(other); }
  HostBuffer &operator=(HostBuffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~HostBuffer();

  uint8_t *data() { return memory; }
  const uint8_t *data() const { return memory; }
  size_t size() const { return bytes; }
  std::string_view view() const { return {reinterpret_cast<const char *>(memory), bytes}; }

private:
  void swap(HostBuffer &other) {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
  }
  uint8_t *memory = nullptr;
  size_t bytes = 0;
};

} // namespace tlx
