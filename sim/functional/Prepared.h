//===- Prepared.h - facts about a program that every cluster of a launch shares ------------===//
#pragma once

#include "sim/functional/TileMap.h"
#include "sim/functional/Value.h"
#include "sim/program/Program.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tlx::sim {

struct Exec;
/// Executes the value part of an instruction.
using Handler = void (*)(Exec &);

struct InstInfo {
  Handler handler = nullptr; ///< null: nothing but its effects
  bool async = false;        ///< takes effect at completion
  sync::Group group = sync::Group::None;
  bool commits = false; ///< its group is committed with it, as the hardware op does
  uint32_t dead = 0;    ///< bit i: operand i is not read again
};

class Prepared {
public:
  explicit Prepared(const Program &program);

  const Program &program;
  std::vector<InstInfo> insts;
  std::vector<uint64_t> deadMoves;   ///< by edge; bit i: the source of move i is not read again
  std::vector<Value> constants;      ///< by Constant index; immortal
  std::vector<int64_t> allocOffsets; ///< bytes, by allocation
  int64_t sharedBytes = 0;           ///< of a CTA
  bool usesTensorMemory = false;
  int64_t tensorBytesPerLane = 0;      ///< allocated without an offset of their own
  int64_t scratchBytes = 0;            ///< global scratch of a CTA
  std::vector<int64_t> scratchOffsets; ///< by pc; -1 elsewhere
  /// CTAs may influence each other through device memory: no parallel clusters.
  bool usesAtomics = false;
  bool usesClc = false;
  int32_t totalThreads = 0; ///< of a CTA, partitions included
  /// The allocation that a memory register leads back to; -1: unknown.
  std::vector<int32_t> allocationOf;

  /// The map of a memory type; built at first use, from any thread.
  const TileMap &map(TypeId type) const;

private:
  struct LazyMap {
    std::once_flag once;
    TileMap map;
  };
  mutable std::vector<std::unique_ptr<LazyMap>> maps;

  void placeAllocations();
  void traceAllocations();
  void findLastUses();
};

} // namespace tlx::sim
