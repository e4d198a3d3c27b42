//===- SubPartition.h - scheduler and pipes of a quarter of an SM ---------===//
//
// A sub-partition issues one warp instruction a cycle to one of its pipes; a
// pipe of L lanes takes a warp of W threads for W / L cycles. Tile operations
// come as `count` independent warp instructions, so that the first result is
// there after the latency while the others still queue. Waiting for a busy pipe
// does not hold up the task: a compiler puts other instructions in between.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/chips/Chip.h"
#include "sim/engine/Port.h"

#include <array>

namespace tlx::sim {

enum class Pipe : uint8_t { Fma, Alu, Mufu, Convert, Fp64, Shuffle, Lsu };
inline constexpr unsigned PipeCount = unsigned(Pipe::Lsu) + 1;

class SubPartition {
public:
  struct Spec {
    double clocksPerInst[PipeCount];
    Cycles latency[PipeCount];
    static Spec of(const Chip &chip);
  };
  struct Turn {
    Cycles start;     ///< the first issue slot is free
    Cycles issueDone; ///< the warps may issue something else
    Cycles pipeStart; ///< the pipe takes the first instruction
    Cycles pipeDone;  ///< the pipe is free
    Cycles ready;     ///< a dependent tile operation may start
  };

  explicit SubPartition(const Spec &spec);

  Turn query(Cycles now, Pipe pipe, int64_t count) const;
  Turn commit(Cycles now, Pipe pipe, int64_t count);
  /// Issue slots alone: scalar and control instructions.
  void issue(Cycles now, int64_t count) { slots.commit(now, count); }
  Cycles issueBusy() const { return slots.busy(); }
  Cycles pipeBusy(Pipe pipe) const { return pipes[unsigned(pipe)].busy(); }

private:
  Spec spec;
  Port slots;
  std::array<Port, PipeCount> pipes;
};

} // namespace tlx::sim
