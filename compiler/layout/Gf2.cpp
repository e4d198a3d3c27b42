#include "compiler/layout/Gf2.h"

#include <bit>

namespace tlx::layout::gf2 {

Echelon::Echelon(const std::vector<uint64_t> &columns) {
  for (unsigned c = 0; c < columns.size(); ++c) {
    uint64_t value = columns[c];
    uint64_t combined = uint64_t(1) << c;
    for (const Pivot &p : pivots)
      if (value >> p.row & 1) {
        value ^= p.value;
        combined ^= p.combined;
      }
    if (value == 0)
      free |= uint64_t(1) << c;
    else
      pivots.push_back({unsigned(std::countr_zero(value)), value, combined});
  }
}

std::optional<uint64_t> Echelon::solve(uint64_t y) const {
  // In the order of creation: a reduced column is zero in the pivot rows of the
  // earlier ones, so no earlier row comes back.
  uint64_t x = 0;
  for (const Pivot &p : pivots)
    if (y >> p.row & 1) {
      y ^= p.value;
      x ^= p.combined;
    }
  if (y != 0)
    return std::nullopt;
  return x;
}

uint64_t Echelon::pseudoSolve(uint64_t y) const {
  // The pivots restricted to the pivot rows are triangular with ones on the
  // diagonal: any y has one solution there, and the other rows do not count.
  uint64_t rows = 0;
  for (const Pivot &p : pivots)
    rows |= uint64_t(1) << p.row;
  y &= rows;
  uint64_t x = 0;
  for (const Pivot &p : pivots)
    if (y >> p.row & 1) {
      y ^= p.value;
      x ^= p.combined;
    }
  return x;
}

uint64_t multiply(const std::vector<uint64_t> &columns, uint64_t x) {
  uint64_t y = 0;
  for (; x; x &= x - 1)
    y ^= columns[std::countr_zero(x)];
  return y;
}

} // namespace tlx::layout::gf2
