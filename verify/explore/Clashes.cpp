//===- Clashes.cpp - which accesses may not meet --------------------------===//

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
