//===- HopperLimits.h - what a multiprocessor of Hopper has ----------------===//
//
// The simulator's tables of chips have the same numbers (HopperLimitsTest compares them,
// Blackwell's too); the compiler does not depend on the simulator.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tlx::hopper {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0.
constexpr int64_t kWarpSize = 32;
constexpr int64_t kRegisters = 64 * 1024; ///< of a multiprocessor; one CTA may have them all
constexpr int64_t kThreadRegisters = 255;
constexpr int64_t kWarps = 64, kCtaWarps = 32;
constexpr int64_t kCtas = 32;
constexpr int64_t kSharedBytes = 228 * 1024, kCtaSharedBytes = 227 * 1024;
constexpr int64_t kReservedBytes = 1024; ///< of shared memory, for each CTA

// PTX ISA, "setmaxnreg".
constexpr int64_t kFewestRegistersSet = 24, kMostRegistersSet = 256;

} // namespace tlx::hopper
