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

#include <cstdint>
#include <vector>

namespace tlx::sim {

class L2Cache {
public:
  explicit L2Cache(int64_t capacityBytes);

  struct Outcome {
    bool hit;
    int64_t writtenBack; ///< dirty bytes that had to leave
    bool known;          ///< the side asked before, or wrote
  };
  /// Looks `address` up and makes it the most recently used; a miss brings
  /// `bytes` in. A write leaves the block dirty. `side` is the partition through
  /// which the request comes; a partition keeps what it has fetched from another.
  Outcome access(uint64_t address, int64_t bytes, bool write, int side = 0);

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
    uint32_t sides; ///< partitions that have it, as bits
  };

  int32_t bucketOf(uint64_t address) const;
  void unlink(int32_t index);
  void pushNewest(int32_t index);
  int64_t evictOldest();
  void grow();

  int64_t capacity, held = 0;
  std::vector<Block> blocks;
  std::vector<int32_t> buckets; ///< a power of two of them
  int32_t newest = -1, oldest = -1, freeList = -1;
};

} // namespace tlx::sim
