#include "sim/units/memory/L2Cache.h"

#include <algorithm>

namespace tlx::sim {

L2Cache::L2Cache(int64_t capacityBytes, int partitions)
    : capacity(capacityBytes), partitions(partitions), buckets(1024, -1) {}

int32_t L2Cache::bucketOf(uint64_t address) const {
  uint64_t mixed = (address >> 4) * 0x9E3779B97F4A7C15ull;
  return int32_t((mixed >> 32) & (buckets.size() - 1));
}

void L2Cache::unlink(int32_t index) {
  Block &block = blocks[index];
  (block.newer < 0 ? newest : blocks[block.newer].older) = block.older;
  (block.older < 0 ? oldest : blocks[block.older].newer) = block.newer;
}

void L2Cache::pushNewest(int32_t index) {
  blocks[index].newer = -1;
  blocks[index].older = newest;
  if (newest >= 0)
    blocks[newest].newer = index;
  newest = index;
  if (oldest < 0)
    oldest = index;
}

int64_t L2Cache::evictOldest() {
  int32_t index = oldest;
  Block &block = blocks[index];
  unlink(index);
  int32_t *link = &buckets[bucketOf(block.address)];
  while (*link != index)
    link = &blocks[*link].next;
  *link = block.next;
  block.next = freeList;
  freeList = index;
  held -= roomOf(block);
  return block.dirty && !dirtyBefore ? block.bytes : 0;
}

void L2Cache::grow() {
  buckets.assign(buckets.size() * 4, -1);
  for (int32_t i = newest; i >= 0; i = blocks[i].older) {
    int32_t bucket = bucketOf(blocks[i].address);
    blocks[i].next = buckets[bucket];
    buckets[bucket] = i;
  }
}

L2Cache::Outcome L2Cache::access(uint64_t address, int64_t bytes, bool write, int side) {
  uint32_t bit = uint32_t(1) << (side & 31);
  Outcome outcome;
  int32_t index = buckets[bucketOf(address)];
  while (index >= 0 && blocks[index].address != address)
    index = blocks[index].next;
  if (index >= 0) {
    if (index != newest) {
      unlink(index);
      pushNewest(index);
    }
    outcome.hit = bytes <= blocks[index].bytes;
    held -= roomOf(blocks[index]);
  } else {
    outcome.hit = false;
    index = insert(address);
  }
  Block &block = blocks[index];
  block.bytes = std::max(block.bytes, bytes);
  if (dirtyBefore && write && !block.dirty)
    outcome.writtenBack += bytes;
  block.dirty |= write;
  if (write) {
    block.sides = 0;
  } else if (!(block.sides & bit)) {
    outcome.copied = foreign(bytes);
    block.sides |= bit;
  }
  held += roomOf(block);
  while (held > capacity && oldest != index)
    outcome.writtenBack += evictOldest();
  return outcome;
}

/// A block without bytes, the newest one.
int32_t L2Cache::insert(uint64_t address) {
  int32_t index = freeList;
  if (index >= 0) {
    freeList = blocks[index].next;
  } else {
    index = int32_t(blocks.size());
    blocks.emplace_back();
    if (blocks.size() > buckets.size() * 2)
      grow();
  }
  int32_t bucket = bucketOf(address);
  blocks[index] = {address, 0, -1, -1, buckets[bucket], false, 0};
  buckets[bucket] = index;
  pushNewest(index);
  return index;
}

int64_t L2Cache::dirtyBytes() const {
  int64_t bytes = 0;
  for (int32_t i = newest; i >= 0; i = blocks[i].older)
    bytes += blocks[i].dirty ? blocks[i].bytes : 0;
  return bytes;
}

} // namespace tlx::sim
