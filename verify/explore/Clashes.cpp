//===- Clashes.cpp - which accesses meet ----------------------------------===//

#include "verify/explore/World.h"

#include <algorithm>

using namespace tlx::verify;
using tlx::sync::Group;

bool Region::clashes(const Region &o) const {
  if (space != o.space || rank != o.rank || (frees && o.frees) || (commutes && o.commutes) ||
      !(write || o.write))
    return false;
  // One value twice, or what CTAs have computed together.
  if (write && o.write && (value == NoExpr || o.value == NoExpr ? by != o.by : value == o.value))
    return false;
  for (size_t axis = 0; axis < tile.size() && axis < o.tile.size(); ++axis)
    if (!meet(tile[axis].second, o.tile[axis].second, tile[axis].first - o.tile[axis].first))
      return false;
  return place.x0 < o.place.x1 && o.place.x0 < place.x1 && place.y0 < o.place.y1 &&
         o.place.y0 < place.y1;
}

bool tlx::verify::onePipe(Group group) { return group == Group::Tcgen05 || group == Group::Wgmma; }

bool tlx::verify::landInOrder(const Program &program, int a, int b) {
  auto share = [&](int event) {
    uint32_t of = 0;
    for (const Effect &effect : program.events[event].effects)
      of = std::max(of, effect.share);
    return of;
  };
  return a >= 0 && b >= 0 && share(a) && share(a) == share(b);
}

static bool sameMemory(const Region &a, const Region &b) {
  return a.space == b.space && a.rank == b.rank && a.place.x0 < b.place.x1 &&
         b.place.x0 < a.place.x1 && a.place.y0 < b.place.y1 && b.place.y0 < a.place.y1;
}

/// Whether `filled`, from the given one on, has all of the region.
static bool isFilled(const std::vector<Region> &filled, size_t from, const Region &region) {
  auto it = std::find_if(filled.begin() + static_cast<long>(from), filled.end(),
                         [&](const Region &part) { return sameMemory(part, region); });
  if (it == filled.end())
    return false;
  // What is left on its four sides.
  Rect all = region.place, in = it->place;
  in = {std::max(all.x0, in.x0), std::min(all.x1, in.x1), std::max(all.y0, in.y0),
        std::min(all.y1, in.y1)};
  for (Rect rest : {Rect{all.x0, in.x0, all.y0, all.y1}, Rect{in.x1, all.x1, all.y0, all.y1},
                    Rect{in.x0, in.x1, all.y0, in.y0}, Rect{in.x0, in.x1, in.y1, all.y1}}) {
    Region piece = region;
    piece.place = rest;
    bool empty = rest.x0 >= rest.x1 || rest.y0 >= rest.y1;
    if (!empty && !isFilled(filled, static_cast<size_t>(it - filled.begin()) + 1, piece))
      return false;
  }
  return true;
}

bool Interpreter::transfer(World &w, int t, int event, const std::vector<Region> &regions) {
  static const std::vector<Region> nothing;
  if (!watchesReads)
    return true;
  auto isKnown = [&](const Region &region) {
    return !region.counts || isFilled(w.filled ? *w.filled : nothing, 0, region);
  };
  for (const Region &region : regions)
    if (!region.write && !isKnown(region)) {
      fail("unwritten", "this reads what nothing has written", t, event);
      return false;
    }
  for (const Region &region : regions)
    if (region.write && !isKnown(region)) {
      auto more = std::make_shared<std::vector<Region>>(w.filled ? *w.filled : nothing);
      more->push_back(region);
      w.filled = std::move(more);
    }
  return true;
}

/// Memory that is allocated holds nothing.
void Interpreter::blank(World &w, const std::vector<Region> &regions) {
  if (!w.filled)
    return;
  auto fewer = std::make_shared<std::vector<Region>>(*w.filled);
  std::erase_if(*fewer, [&](const Region &part) {
    return std::any_of(regions.begin(), regions.end(),
                       [&](const Region &region) { return sameMemory(part, region); });
  });
  w.filled = std::move(fewer);
}
