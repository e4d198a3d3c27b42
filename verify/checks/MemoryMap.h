//===- MemoryMap.h - memory cut into cells --------------------------------===//
//
// All accesses of a program, over all slots, cut each physical space into
// elementary cells: bytes of shared memory, columns x lanes of tensor memory.
// Two accesses overlap exactly when they share a cell, whatever the buffers,
// views and aliases are called.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

class MemoryMap {
public:
  explicit MemoryMap(const Program &program);

  /// The cells of an access; null when the slot or rank does not exist.
  const std::vector<int> *cells(const Target &target, int64_t slot, int64_t rank);
  /// Flat index of a barrier; -1 when it does not exist.
  int barrier(int object, int64_t slot, int64_t rank) const;
  int numCells() const { return total; }
  int numBarriers() const { return totalBarriers; }
  /// For messages: "full[2]", with the rank when there are several.
  std::string barrierName(int flat) const;
  const BarrierArray &arrayOf(int flat) const { return program.barriers[owner[flat]]; }
  int rankOf(int flat) const;
  int cellRank(int cell) const { return cellRanks[cell]; }
  int spaceKind(int cell) const { return kinds[cell]; } ///< sync::Space

private:
  struct Grid {
    std::vector<int64_t> xs, ys;
    int first = 0;
    int ranks = 1;
  };
  const Program &program;
  std::map<int, Grid> grids; ///< by physical space
  std::map<std::tuple<int, int64_t, int64_t, int64_t, int64_t, int, int>, std::vector<int>> cache;
  std::vector<int> firstBarrier, owner;
  std::vector<char> kinds, cellRanks;
  int total = 0, totalBarriers = 0;
};

} // namespace tlx::verify
