#include "sim/units/sm/SharedMemoryPort.h"

#include <algorithm>

namespace tlx::sim {

Port::Turn SharedMemoryPort::commit(Cycles now, int64_t bytes) {
  Cycles start = std::max(now, freeAt);
  Port::Turn alone = port.commit(start, bytes);
  while (!products.empty() && products.front().end <= start)
    products.pop_front();
  Cycles at = alone.start, needed = alone.done - alone.start;
  for (const Product &product : products) {
    if (at + needed <= product.begin)
      break;
    if (product.begin > at) {
      needed -= product.begin - at;
      at = product.begin;
    }
    Cycles served = std::min(needed, (product.end - at) * product.left / Whole);
    needed -= served;
    if (needed == 0) {
      at += served * Whole / product.left;
      break;
    }
    at = product.end;
  }
  freeAt = at + needed;
  return {alone.start, freeAt};
}

void SharedMemoryPort::takeFirst(Cycles begin, Cycles end, int64_t bytes) {
  Cycles taken = port.duration(bytes);
  operandCycles += taken;
  if (taken == 0 || end <= begin)
    return;
  if (products.size() == 64) // so many are not in flight
    products.pop_front();
  products.push_back({begin, end, std::max(Least, Whole - Whole * taken / (end - begin))});
}

} // namespace tlx::sim
