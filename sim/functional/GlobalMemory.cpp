//===- GlobalMemory.cpp - device memory of a launch --------------------------------------===//
#include "sim/functional/GlobalMemory.h"

#include <algorithm>
#include <cstring>

namespace tlx::sim {

uint64_t GlobalMemory::add(std::string name, void *data, uint64_t bytes) {
  uint64_t address = nextAddress;
  place(std::move(name), address, data, bytes);
  return address;
}

void GlobalMemory::place(std::string name, uint64_t address, void *data, uint64_t bytes) {
  auto behind =
      std::upper_bound(list.begin(), list.end(), address,
                       [](uint64_t a, const Region &region) { return a < region.address; });
  list.insert(behind, {std::move(name), address, bytes, static_cast<char *>(data)});
  constexpr uint64_t gap = uint64_t(1) << 20;
  nextAddress = std::max(nextAddress, (address + bytes + 2 * gap - 1) / gap * gap);
}

uint64_t GlobalMemory::allocate(std::string name, uint64_t bytes) {
  owned.push_back(std::make_unique<char[]>(bytes));
  return add(std::move(name), owned.back().get(), bytes);
}

GlobalMemory GlobalMemory::copy() const {
  GlobalMemory made;
  for (const Region &region : list) {
    made.owned.push_back(std::make_unique_for_overwrite<char[]>(region.bytes));
    char *bytes = made.owned.back().get();
    std::memcpy(bytes, region.data, region.bytes);
    made.place(region.name, region.address, bytes, region.bytes);
  }
  return made;
}

const GlobalMemory::Region *GlobalMemory::nearest(uint64_t address) const {
  auto it = std::upper_bound(list.begin(), list.end(), address,
                             [](uint64_t a, const Region &region) { return a < region.address; });
  return it == list.begin() ? nullptr : &*std::prev(it);
}

const GlobalMemory::Region *GlobalMemory::regionOf(uint64_t address) const {
  const Region *region = nearest(address);
  return region && address < region->address + region->bytes ? region : nullptr;
}

} // namespace tlx::sim
