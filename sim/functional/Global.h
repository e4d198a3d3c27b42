//===- Global.h - element accesses to device memory, shared by several families ---===//
#pragma once

#include "sim/functional/Exec.h"

namespace tlx::sim {

/// Addresses of the elements of an access: a tensor of pointers, or a base and a tensor
/// of offsets in elements (AMD buffer operations).
struct Addresses {
  const Value &pointers; ///< one for all elements, or one each
  const Value *offsets = nullptr;
  int64_t elementBytes = 0; ///< of `offsets`
  size_t count = 0;

  uint64_t at(size_t i) const {
    const int64_t *base = pointers.data<int64_t>();
    uint64_t address = uint64_t(pointers.count() == 1 ? base[0] : base[i]);
    return offsets ? address + uint64_t(offsets->asInt(i) * elementBytes) : address;
  }
  /// One for each element, in `room` where they are not there yet.
  const uint64_t *all(std::vector<uint64_t> &room) const;
};

/// Masked-off elements are `other`, or zero. False when an address was out of range.
bool loadElements(Exec &exec, const Addresses &addresses, const Type &type, const Value *mask,
                  const Value *other, Value &result);
bool storeElements(Exec &exec, const Addresses &addresses, const Type &type, const Value &value,
                   const Value *mask);
/// Element by element, in order; the old values. `compare` makes it compare-and-swap.
Value atomicElements(Exec &exec, const Addresses &addresses, const Type &type, const Value &value,
                     const Value *mask, const Value *compare, Rmw kind);
/// One element: memory's `a` combined with `b`.
Value rmwElement(Rmw kind, const Type &type, const Value &a, const Value &b);

} // namespace tlx::sim
