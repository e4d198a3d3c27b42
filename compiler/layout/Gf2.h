//===- Gf2.h - linear algebra on columns of bits --------------------------===//
//
// A matrix over GF(2) is a list of columns, each a 64-bit word whose bit r is
// row r. Elimination keeps the columns in order, so that of dependent columns
// the first are the independent ones: callers rely on it to leave high bits
// (copies, broadcasts) at zero.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tlx::layout::gf2 {

/// Reduced columns of a matrix, ready to solve M x = y.
class Echelon {
public:
  explicit Echelon(const std::vector<uint64_t> &columns);

  unsigned rank() const { return unsigned(pivots.size()); }
  /// Bit c set: column c depends on earlier columns.
  uint64_t freeColumns() const { return free; }
  /// x with M x = y and the free columns at 0; nothing if there is none.
  std::optional<uint64_t> solve(uint64_t y) const;
  /// A linear G with M G M = M: solve(y) for y in the image, 0 on the span of
  /// the rows that no pivot uses.
  uint64_t pseudoSolve(uint64_t y) const;

private:
  struct Pivot {
    unsigned row;      ///< the row only this reduced column is reduced by
    uint64_t value;    ///< reduced column
    uint64_t combined; ///< which original columns it is the sum of
  };
  std::vector<Pivot> pivots;
  uint64_t free = 0;
};

/// The sum of the columns selected by the bits of x.
uint64_t multiply(const std::vector<uint64_t> &columns, uint64_t x);

} // namespace tlx::layout::gf2
