//===- Tf32.h - f32 with ten bits of mantissa, as tensor cores read it ----===//
#pragma once

#include <cstdint>

namespace tlx::sim {

/// Nearest, ties away from zero (cvt.rna.tf32); infinities and NaN stay.
inline uint32_t roundToTf32(uint32_t bits) {
  return (bits & 0x7F800000) == 0x7F800000 ? bits : (bits + 0x1000) & ~0x1FFFu;
}

} // namespace tlx::sim
