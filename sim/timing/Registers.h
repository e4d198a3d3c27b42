//===- Registers.h - how many registers a task's tiles need ---------------===//
//
// A kernel whose code spills runs several times slower than its tiles say, and
// the model has no machine code to see it in. It can see which tiles are alive
// at once: their bytes, spread over the task's threads, are registers that no
// compiler can save. Values that are computed again for nothing (constants,
// splats, ranges, addresses) do not count, nor do tiles that elementwise code
// makes and uses up: it goes on element by element and never holds them whole.
//
//   tensor<64x256xf32> in a task of 4 warps: 64 * 256 / 128 = 128 registers
//
// For occupancy, addresses of what a loop loads count as well.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/program/Program.h"
#include "sim/timing/Work.h"

#include <string>
#include <vector>

namespace tlx::sim {

/// Registers of a thread that an instruction moves to and from memory. Where more
/// are alive than fit, an operand or result is in memory by the share that does not.
struct Spill {
  Pc pc;
  int stored, loaded;
};

struct RegisterEstimate {
  std::string task;
  int warps = 0;
  int tiles = 0;       ///< registers of a thread that live tiles take at most
  int launch = 0;      ///< the same with addresses of what loops load
  int available = 0;   ///< for a thread of the task
  LocId location = -1; ///< where most are alive
  std::vector<Spill> spills;
  /// Beside tiles a thread needs addresses, counters and temporaries.
  bool willSpill() const;
};

/// One estimate for the kernel's own task and each partition. `work` is what each instruction
/// asks for, `totalWarps` what a CTA launches, `registers` an SM's.
std::vector<RegisterEstimate> estimateRegisters(const Program &program,
                                                const std::vector<Work> &work, int totalWarps,
                                                int64_t registers, int warpSize);

/// Registers of every thread at the launch that these tasks lead a compiler to:
/// the neediest task's, in steps of 8, at most what each may have.
int launchRegisters(const std::vector<RegisterEstimate> &tasks);

} // namespace tlx::sim
