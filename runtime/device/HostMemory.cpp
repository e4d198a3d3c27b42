//===- HostMemory.cpp -------------------------------------------------------===//
#include "runtime/device/HostMemory.h"

#include <cstring>

namespace tlx::device {

static constexpr Address gap = 1 << 20; // an access past an end hits nothing

Result<Address> HostMemory::allocate(size_t bytes) {
  HostBuffer buffer(bytes);
  if (!buffer.data())
    return Error("not enough memory for " + std::to_string(bytes) + " bytes");
  return adopt(std::move(buffer));
}

Result<Address> HostMemory::adopt(HostBuffer buffer) {
  if (!buffer.data())
    return Error("a buffer without memory");
  Address address = next;
  next = (address + buffer.size() + 2 * gap - 1) / gap * gap;
  allocations.emplace(address, std::move(buffer));
  return address;
}

Result<void> HostMemory::release(Address address) {
  if (allocations.erase(address) == 0)
    return Error("no allocation begins at this address");
  return {};
}

const uint8_t *HostMemory::find(Address address, size_t bytes) const {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  const auto &[start, buffer] = *std::prev(after);
  uint64_t offset = address - start;
  if (offset > buffer.size() || bytes > buffer.size() - offset)
    return nullptr;
  return buffer.data() + offset;
}

Result<uint8_t *> HostMemory::at(Address address, size_t bytes) {
  if (const uint8_t *found = find(address, bytes))
    return const_cast<uint8_t *>(found);
  return Error(std::to_string(bytes) + " bytes at this address are not within "
                                       "one allocation");
}

Result<void> HostMemory::write(Address to, const void *from, size_t bytes) {
  auto place = at(to, bytes);
  if (!place)
    return std::move(place).error();
  if (bytes)
    std::memcpy(*place, from, bytes);
  return {};
}

Result<void> HostMemory::read(Address from, void *to, size_t bytes) {
  auto place = at(from, bytes);
  if (!place)
    return std::move(place).error();
  if (bytes)
    std::memcpy(to, *place, bytes);
  return {};
}

} // namespace tlx::device
