//===- L2Cache.h - what the second-level cache holds ----------------------===//
//
// Contents only, no time. The cache is kept in blocks of the size in which it
// is asked (a TMA box, a tile row), found by the address of their first byte,
// and replaced least recently used first. A GEMM of 8192 cubed asks for a
// hundred million lines but for a million boxes; kernels ask for one piece of
// memory in one shape, so boxes tell hits from misses as well as lines do.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tlx::sim {

class L2Cache {
public:
  explicit L2Cache(int64_t capacityBytes, int partitions = 1);

  struct Outcome {
    bool hit = true;
    int64_t writtenBack = 0; ///< dirty bytes that had to leave
    int64_t copied = 0;      ///< bytes fetched from other partitions
  };
  /// Looks `address` up and makes it the most recently used; a miss brings
  /// `bytes` in. A write leaves the block dirty. `side` is the partition through
  /// which the request comes. The lines of a block are at home in all partitions
  /// alike; a partition keeps what it has read from others, until it is written.
  Outcome access(uint64_t address, int64_t bytes, bool write, int side = 0);

  /// From now on a launch like this one came before: each block that becomes dirty
  /// drives out one that it left.
  void assumeDirty() { dirtyBefore = true; }

  /// Of so many bytes, those that are at home in other partitions than the one asked.
  int64_t foreign(int64_t bytes) const { return bytes * (partitions - 1) / partitions; }

  /// Dirty bytes still held.
  int64_t dirtyBytes() const;
  int64_t heldBytes() const { return held; }

private:
  struct Block {
    uint64_t address;
    int64_t bytes;
    int32_t newer, older; ///< recency list
    int32_t next;         ///< bucket chain
    bool dirty;
    uint32_t sides; ///< partitions that have copies of all of it, as bits
  };

  int32_t bucketOf(uint64_t address) const;
  void unlink(int32_t index);
  void pushNewest(int32_t index);
  int64_t evictOldest();
  int32_t insert(uint64_t address);
  void grow();

  int64_t roomOf(const Block &block) const {
    return block.bytes + foreign(block.bytes) * std::popcount(block.sides);
  }

  int64_t capacity, held = 0;
  int partitions;
  bool dirtyBefore = false;
  std::vector<Block> blocks;
  std::vector<int32_t> buckets; ///< a power of two of them
  int32_t newest = -1, oldest = -1, freeList = -1;
};

} // namespace tlx::sim
