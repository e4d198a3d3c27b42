//===- HostMemory.h - device memory that is host memory -------------------===//
//
// Allocations under made-up addresses, the same in every run, with gaps between
// them: for backends that have no memory of their own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/HostBuffer.h"
#include "runtime/base/Result.h"
#include "runtime/device/Device.h"

#include <map>

namespace tlx::device {

class HostMemory {
public:
  Result<Address> allocate(size_t bytes);
  Result<Address> adopt(HostBuffer buffer);
  Result<void> release(Address address);
  /// The bytes at an address, or an error unless all of them are in one
  /// allocation.
  Result<uint8_t *> at(Address address, size_t bytes);
  Result<void> write(Address to, const void *from, size_t bytes);
  Result<void> read(Address from, void *to, size_t bytes);
  const uint8_t *find(Address address, size_t bytes) const;
  /// Every allocation: first address and buffer.
  std::map<Address, HostBuffer> &buffers() { return allocations; }

private:
  std::map<Address, HostBuffer> allocations;
  Address next = Address(1) << 40;
};

/// A device with such memory.
class HostMemoryDevice : public Device {
public:
  Result<Address> allocate(size_t bytes) override { return memory.allocate(bytes); }
  Result<Address> adopt(HostBuffer buffer) override { return memory.adopt(std::move(buffer)); }
  Result<void> release(Address address) override { return memory.release(address); }
  Result<void> write(Address to, const void *from, size_t bytes) override {
    return memory.write(to, from, bytes);
  }
  Result<void> read(Address from, void *to, size_t bytes) override {
    return memory.read(from, to, bytes);
  }
  const uint8_t *view(Address address, size_t bytes) const override {
    return memory.find(address, bytes);
  }

protected:
  HostMemory memory;
};

} // namespace tlx::device
