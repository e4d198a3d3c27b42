#include "verify/checks/MemoryMap.h"

#include <algorithm>

using namespace tlx::verify;

namespace {
struct Rect {
  int64_t x0, x1, y0, y1;
};

/// Where an access to `slot` of a buffer lies in its space.
Rect rectOf(const Buffer &buffer, const Target &target, int64_t slot) {
  int64_t start = buffer.base + slot * buffer.stride;
  return {start + target.x0, start + (target.x1 ? target.x1 : buffer.stride), target.y0,
          target.y1 ? target.y1 : buffer.lanes};
}
} // namespace

MemoryMap::MemoryMap(const Program &program) : program(program) {
  for (const BarrierArray &array : program.barriers) {
    firstBarrier.push_back(totalBarriers);
    totalBarriers += array.slots * array.ranks;
    owner.resize(totalBarriers, static_cast<int>(firstBarrier.size()) - 1);
  }
  for (const Event &event : program.events)
    for (const Effect &effect : event.effects) {
      if (effect.kind != sync::Kind::Read && effect.kind != sync::Kind::Write)
        continue;
      const Buffer &buffer = program.buffers[effect.target.object];
      Grid &grid = grids[buffer.space];
      grid.ranks = std::max(grid.ranks, buffer.ranks);
      for (int slot = 0; slot < buffer.slots; ++slot) {
        Rect rect = rectOf(buffer, effect.target, slot);
        grid.xs.insert(grid.xs.end(), {rect.x0, rect.x1});
        grid.ys.insert(grid.ys.end(), {rect.y0, rect.y1});
      }
      std::sort(grid.xs.begin(), grid.xs.end());
      grid.xs.erase(std::unique(grid.xs.begin(), grid.xs.end()), grid.xs.end());
      std::sort(grid.ys.begin(), grid.ys.end());
      grid.ys.erase(std::unique(grid.ys.begin(), grid.ys.end()), grid.ys.end());
    }
  std::map<int, sync::Space> where;
  for (const Buffer &buffer : program.buffers)
    where[buffer.space] = buffer.where;
  for (auto &[space, grid] : grids) {
    grid.first = total;
    total += static_cast<int>((grid.xs.size() - 1) * (grid.ys.size() - 1)) * grid.ranks;
    kinds.resize(total, static_cast<char>(where[space]));
    int each = (total - grid.first) / std::max(grid.ranks, 1);
    for (int cell = grid.first; cell < total; ++cell)
      cellRanks.push_back(static_cast<char>(each ? (cell - grid.first) / each : 0));
  }
}

const std::vector<int> *MemoryMap::cells(const Target &target, int64_t slot, int64_t rank) {
  const Buffer &buffer = program.buffers[target.object];
  if (slot < 0 || slot >= buffer.slots || rank < 0 || rank >= buffer.ranks)
    return nullptr;
  auto key = std::make_tuple(target.object, slot, rank, target.x0, target.x1, target.y0, target.y1);
  auto [it, isNew] = cache.try_emplace(key);
  if (!isNew)
    return &it->second;
  const Grid &grid = grids[buffer.space];
  Rect rect = rectOf(buffer, target, slot);
  int columns = static_cast<int>(grid.xs.size()) - 1, rows = static_cast<int>(grid.ys.size()) - 1;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      if (grid.xs[x] >= rect.x0 && grid.xs[x + 1] <= rect.x1 && grid.ys[y] >= rect.y0 &&
          grid.ys[y + 1] <= rect.y1)
        it->second.push_back(grid.first + (static_cast<int>(rank) * rows + y) * columns + x);
  return &it->second;
}

int MemoryMap::barrier(int object, int64_t slot, int64_t rank) const {
  const BarrierArray &array = program.barriers[object];
  if (slot < 0 || slot >= array.slots || rank < 0 || rank >= array.ranks)
    return -1;
  return firstBarrier[object] + static_cast<int>(rank * array.slots + slot);
}

int MemoryMap::rankOf(int flat) const {
  int object = owner[flat];
  return (flat - firstBarrier[object]) / program.barriers[object].slots;
}

std::string MemoryMap::barrierName(int flat) const {
  int object = owner[flat];
  const BarrierArray &array = program.barriers[object];
  int index = flat - firstBarrier[object];
  std::string text = array.name;
  if (array.kind == BarrierKind::Named)
    return text + " " + std::to_string(index % array.slots);
  if (array.slots > 1)
    text += "[" + std::to_string(index % array.slots) + "]";
  if (array.ranks > 1)
    text += "@cta" + std::to_string(index / array.slots);
  return text;
}
