#include "sim/units/sm/SubPartition.h"

namespace tlx::sim {

SubPartition::Spec SubPartition::Spec::of(const Chip &chip) {
  Spec spec;
  double warp = chip[Param::SmWarpSize];
  auto set = [&](Pipe pipe, Param lanes, Cycles latency) {
    spec.clocksPerInst[unsigned(pipe)] = warp / chip[lanes];
    spec.latency[unsigned(pipe)] = latency;
  };
  set(Pipe::Fma, Param::PipeFmaLanes, chip.cycles(Param::PipeFmaLatency));
  set(Pipe::Alu, Param::PipeAluLanes, chip.cycles(Param::PipeAluLatency));
  set(Pipe::Mufu, Param::PipeMufuLanes, chip.cycles(Param::PipeMufuLatency));
  set(Pipe::Convert, Param::PipeCvtLanes, chip.cycles(Param::PipeCvtLatency));
  set(Pipe::Fp64, Param::PipeFp64Lanes, chip.cycles(Param::PipeFp64Latency));
  set(Pipe::Shuffle, Param::PipeShuffleLanes, chip.cycles(Param::PipeShuffleLatency));
  set(Pipe::Lsu, Param::PipeLsuLanes, 0);
  return spec;
}

SubPartition::SubPartition(const Spec &spec) : spec(spec), slots(1) {
  for (unsigned i = 0; i < PipeCount; ++i)
    pipes[i] = Port(1 / spec.clocksPerInst[i]);
}

SubPartition::Turn SubPartition::query(Cycles now, Pipe pipe, int64_t count) const {
  SubPartition copy = *this;
  return copy.commit(now, pipe, count);
}

SubPartition::Turn SubPartition::commit(Cycles now, Pipe pipe, int64_t count) {
  // Who waits for a pipe leaves the issue slots in between to others.
  Port::Turn slot = slots.commit(now, count);
  Port::Turn work = pipes[unsigned(pipe)].commit(slot.start, count);
  Turn turn{slot.start, slot.done, work.start, work.done, 0};
  // A consumer of equally many instructions may follow one latency behind, but
  // cannot overtake the producer's last instruction.
  Cycles latency = spec.latency[unsigned(pipe)];
  turn.ready = std::max(turn.pipeStart + latency, turn.pipeDone + latency - count);
  return turn;
}

} // namespace tlx::sim
