//===- Tiles.h - how tiles of global memory lie to each other --------------===//
//
// A tile is a product of ranges (Program.h). Sizes and arguments are unknown, so
// where a range begins is a form, and two tiles are compared only where the
// difference of their beginnings is a number:
//
//   64 * pid + 64 + [0, 64)   and   64 * pid + [0, 64)      lie apart
//   f(tile) + [0, 64)         and   f(tile) + [0, 64)       meet in one iteration
//
// Of two iterations f may give anything. What is not known is said, never guessed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Linear.h"

namespace tlx::verify {

/// A range at one moment of the run.
struct Place {
  LinId form = -1;
  std::vector<int64_t> n; ///< iteration numbers of the loops around the access
  std::vector<Extent> extents;
  bool isMemory = false; ///< see Range
};

enum class Lie : uint8_t { Apart, Meet, Unknown };

/// How two tiles of one tensor lie.
Lie lie(const Linears &linears, const std::vector<Place> &a, const std::vector<Place> &b);

/// Whether they are the same elements for certain.
bool coincide(const Linears &linears, const std::vector<Place> &a, const std::vector<Place> &b);

/// How they may lie in whatever iterations. Meet: in some.
Lie everLie(const Linears &linears, const std::vector<Place> &a, const std::vector<Place> &b);

/// Whether where a tile lies in another iteration is not known.
bool dependOnIterations(const Linears &linears, const std::vector<Place> &places);

} // namespace tlx::verify
