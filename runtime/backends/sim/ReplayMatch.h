//===- ReplayMatch.h - operations of a trace in a program -----------------===//
//
// A trace names operations of the IR; a program has instructions. They are
// matched by opcode and source position, and told apart by the iterations of the
// enclosing loops.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Replay.h"
#include "sim/program/Program.h"

#include <vector>

namespace tlx::device {

/// Whether the instruction at `pc` is (part of) the operation.
bool matches(const sim::Program &program, sim::Pc pc, const replay::Operation &op);

/// Whether a location, or a call that it was inlined into, is `wanted`; any is where that is not
/// known.
bool liesAt(const sim::Program &program, sim::LocId loc, const SourceLocation &wanted);

/// Counts, for one task, the iterations of the loops it is in.
class LoopCounter {
public:
  explicit LoopCounter(const sim::Program &program)
      : program(program), counts(program.loops.size(), 0) {}

  /// The task is about to execute `pc`.
  void arrive(sim::Pc pc);
  /// Whether the iterations of the loops around `pc` end in those of an event;
  /// an event without iterations matches any.
  bool agrees(sim::Pc pc, const std::vector<int64_t> &iteration) const;

private:
  const sim::Program &program;
  std::vector<int64_t> counts; ///< by loop
  sim::Pc last = -1;
};

} // namespace tlx::device
