//===- MemoryMap.h - memory cut into cells --------------------------------===//
//
// All accesses of a program, over all slots, cut each physical space into
// elementary pieces: bytes of shared memory, columns x lanes of tensor memory.
// Pieces that the same accesses touch are one cell, so a swizzled half of a tile
// is one cell however many bytes apart its parts lie. Two accesses overlap
// exactly when they share a cell, whatever the buffers, views and aliases are
// called.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Program.h"

namespace tlx::verify {

class MemoryMap {
public:
  explicit MemoryMap(const Program &program);

  /// The cells of an access, whose target is one of the program's; null when the
  /// slot or rank does not exist.
  const std::vector<int> *cells(const Target &target, int64_t slot, int64_t rank) const;
  /// Whether the access reaches the cell in some slot and CTA.
  bool mayTouch(const Target &target, int cell) const;
  /// Flat index of a barrier; -1 when it does not exist.
  int barrier(int object, int64_t slot, int64_t rank) const;
  int numCells() const { return total; }
  int numBarriers() const { return totalBarriers; }
  /// For messages: "full[2]", with the rank when there are several.
  std::string barrierName(int flat) const;
  const BarrierArray &arrayOf(int flat) const { return program.barriers[owner[flat]]; }
  int rankOf(int flat) const;
  int slotOf(int flat) const { return (flat - firstBarrier[owner[flat]]) % arrayOf(flat).slots; }
  int cellRank(int cell) const { return cellRanks[cell]; }
  int spaceKind(int cell) const { return kinds[cell]; } ///< sync::Space
  bool startsBlank(int cell) const { return blanks[cell]; }
  /// Buffers of one form, at one place, are names of the same; others on that memory are not.
  int16_t formOf(int buffer) const { return forms[buffer]; }
  /// The cells that an mbarrier takes up.
  const std::vector<int> &barrierCells(int flat) const { return cellsOfBarrier[flat]; }
  const std::vector<int> &barriersAt(int cell) const { return barriersOfCell[cell]; }

private:
  /// What one kind of access touches: a buffer, a slot and parts of it.
  using Pattern = std::tuple<int, int64_t, std::vector<Rect>>;
  struct Grid {
    sync::Space where = sync::Space::Shared;
    int ranks = 1;
    bool blank = false;
    struct Access {
      std::vector<Rect> places;
      std::vector<const Target *> targets; ///< that access like this
    };
    std::map<Pattern, Access> accesses;
  };
  void cut(const Grid &grid);

  const Program &program;
  /// By rank, of each access in the program.
  std::map<std::pair<const Target *, int64_t>, std::vector<std::vector<int>>> cellsOf;
  std::vector<int> firstBarrier, owner;
  std::vector<std::vector<int>> cellsOfBarrier, barriersOfCell;
  std::vector<char> kinds, cellRanks, blanks;
  std::vector<int16_t> forms;
  int total = 0, totalBarriers = 0;
};

} // namespace tlx::verify
