#include "sim/units/tensor_core/TensorCore.h"

#include <algorithm>
#include <cmath>

namespace tlx::sim {

TensorCore::Spec TensorCore::Spec::of(const Chip &chip) {
  Spec spec;
  spec.flopsPerClk[int(MmaFormat::F16)] = chip[Param::MmaF16Flops];
  spec.flopsPerClk[int(MmaFormat::Tf32)] = chip[Param::MmaTf32Flops];
  spec.flopsPerClk[int(MmaFormat::F8)] = chip[Param::MmaF8Flops];
  spec.flopsPerClk[int(MmaFormat::F4)] = chip[Param::MmaF4Flops];
  spec.flopsPerClk[int(MmaFormat::F64)] = chip[Param::MmaF64Flops];
  spec.smemBytesPerClk = chip[Param::SmemBytesPerClk];
  spec.issue = chip.cycles(Param::MmaIssue);
  spec.tail = chip.cycles(Param::MmaTail);
  spec.queue = int(chip.integer(Param::MmaQueue));
  return spec;
}

Cycles TensorCore::duration(const Product &product) const {
  double math = product.flops / spec.flopsPerClk[int(product.format)];
  double operands = product.smemBytes / spec.smemBytesPerClk;
  return std::max<Cycles>(1, Cycles(std::ceil(std::max(math, operands) - 1e-9)));
}

TensorCore::Turn TensorCore::query(Cycles now, const Product &product) const {
  Turn turn;
  turn.start = std::max(now + spec.issue, freeAt);
  Cycles length = duration(product);
  turn.busyUntil = turn.start + length;
  turn.done = turn.busyUntil + (product.alsoTail ? spec.tail : 0);
  // The last instruction is admitted when at most `queue` - 1 are before it.
  turn.issueDone = now + spec.issue * product.instructions;
  int waitFor = product.instructions - spec.queue;
  if (waitFor > 0)
    turn.issueDone = std::max(turn.issueDone, turn.start + length * waitFor / product.instructions);
  return turn;
}

TensorCore::Turn TensorCore::commit(Cycles now, const Product &product) {
  Turn turn = query(now, product);
  freeAt = turn.busyUntil;
  busyCycles += turn.busyUntil - turn.start;
  return turn;
}

} // namespace tlx::sim
