//===- GlobalMemory.h - device memory of a launch ----------------------------------------===//
//
// Regions of host memory under device addresses. Addresses that are not chosen are the
// same in every run: the first region lies at 2^40, each next one behind a gap, so that
// an access past an end hits nothing. Regions are added before the launch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tlx::sim {

class GlobalMemory {
public:
  struct Region {
    std::string name;
    uint64_t address = 0;
    uint64_t bytes = 0;
    char *data = nullptr;
  };

  /// Borrows `data`; returns the device address (512-byte aligned).
  uint64_t add(std::string name, void *data, uint64_t bytes);
  /// Borrows `data` under an address where nothing is yet.
  void place(std::string name, uint64_t address, void *data, uint64_t bytes);
  /// Memory of its own, zero at first.
  uint64_t allocate(std::string name, uint64_t bytes);

  /// The same regions with bytes of their own.
  GlobalMemory copy() const;

  /// The bytes at an address, or null unless all of [address, address + bytes)
  /// lies in one region.
  char *find(uint64_t address, uint64_t bytes) const {
    const Region *region = regionOf(address);
    if (!region || address + bytes > region->address + region->bytes)
      return nullptr;
    return region->data + (address - region->address);
  }
  /// The region that holds an address, or null.
  const Region *regionOf(uint64_t address) const;
  /// The region that ends last before or holds an address: for messages.
  const Region *nearest(uint64_t address) const;
  const std::vector<Region> &regions() const { return list; }

private:
  std::vector<Region> list; // by address
  std::vector<std::unique_ptr<char[]>> owned;
  uint64_t nextAddress = uint64_t(1) << 40;
};

} // namespace tlx::sim
