//===- SharedMemoryPort.h - who moves data through shared memory ----------===//
//
// Loads, stores, asynchronous copies and exchanges between lanes are served in
// turn. The tensor cores' operands go first: while a product runs it takes its
// part of the port, and the others share what it leaves.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/engine/Port.h"

#include <deque>

namespace tlx::sim {

class SharedMemoryPort {
public:
  explicit SharedMemoryPort(double bytesPerClk = 128) : port(bytesPerClk) {}

  Port::Turn commit(Cycles now, int64_t bytes);
  /// A product's operands, from `begin` to `end`. Products come in order.
  void takeFirst(Cycles begin, Cycles end, int64_t bytes);

  Cycles busy() const { return port.busy() + operandCycles; }
  /// Cycles that `bytes` take alone.
  Cycles duration(int64_t bytes) const { return port.duration(bytes); }

private:
  struct Product {
    Cycles begin, end;
    int64_t left; ///< of Whole: what the others have meanwhile
  };
  static constexpr int64_t Whole = 1024;
  /// Even where operands could fill the port (sim/validation: wgmma.besideMoved, n 64).
  static constexpr int64_t Least = Whole / 40;

  Port port;
  Cycles freeAt = 0, operandCycles = 0;
  std::deque<Product> products;
};

} // namespace tlx::sim
