//===- GemmProgram.h - a warp-specialised GEMM, written by hand -----------===//
//
// The structure of the Hopper GEMM of the tutorials: a persistent producer in
// the default region loads A (one slice for each consumer) and B into rings of
// `stages` buffers; `groups` consumers multiply and store their rows through
// shared memory. Effects are those that the compiler declares for these ops.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/program/Program.h"
#include "sim/timing/Launch.h"

namespace tlx::sim::test {

struct GemmConfig {
  int64_t m = 512, n = 512, k = 256;
  int64_t blockM = 128, blockN = 256, blockK = 64;
  int groups = 2, stages = 3;
  bool splitEpilogue = true; ///< C is stored in two halves
  int64_t groupM = 8;
  int64_t sms = 132;
  bool dropEmptyArrive = false; ///< a mistake: consumer 0 never frees A
};

Program gemmProgram(const GemmConfig &config);
/// Arguments A, B, C (descriptors), M, N, K; one CTA for each tile, at most `sms`.
TimingLaunch gemmLaunch(const GemmConfig &config);

} // namespace tlx::sim::test
