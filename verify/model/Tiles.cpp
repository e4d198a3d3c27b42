#include "verify/model/Tiles.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace tlx::verify;

namespace {
/// How far two elements may be apart along one stride, in steps of it.
struct Steps {
  int64_t stride, least, most;
};

/// Whether steps from the `i`-th on, widest first, add up to `sum`.
bool addUp(const std::vector<Steps> &steps, size_t i, int64_t sum) {
  if (i == steps.size())
    return sum == 0;
  int64_t least = 0, most = 0; // of all that is narrower
  for (size_t j = i + 1; j < steps.size(); ++j) {
    least += steps[j].least * steps[j].stride;
    most += steps[j].most * steps[j].stride;
  }
  auto [stride, from, to] = steps[i];
  from = std::max(from, -floorDiv(most - sum, stride));
  to = std::min(to, floorDiv(sum - least, stride));
  for (int64_t step = from; step <= to; ++step)
    if (addUp(steps, i + 1, sum - step * stride))
      return true;
  return false;
}

/// The part of a form that is no number while the program runs, and the number; nothing
/// when two moments cannot be told apart by iteration numbers.
struct Split {
  std::vector<std::pair<int, int64_t>> rest;
  int64_t number = 0;
  uint32_t ords = 0;   ///< iterations that the rest depends on
  bool counts = false; ///< iteration numbers are in the number
};

std::optional<Split> split(const Linears &linears, const Place &place) {
  const LinForm &form = linears.form(place.form);
  Split out;
  out.number = form.c;
  for (auto [t, coef] : form.terms) {
    const LinTerm &term = linears.term(t);
    if (linears.isPrivate(t))
      return std::nullopt;
    if (term.kind == LinTerm::Ord) {
      size_t depth = static_cast<size_t>(term.value);
      out.number += coef * (depth <= place.n.size() ? place.n[depth - 1] : 0);
      out.counts = true;
      continue;
    }
    out.rest.emplace_back(t, coef);
    out.ords |= linears.facts(t).ords;
  }
  return out;
}

bool sameIterations(uint32_t ords, const Place &a, const Place &b) {
  for (size_t depth = 1; depth < 32; ++depth)
    if (ords >> depth & 1 &&
        (depth > a.n.size() || depth > b.n.size() || a.n[depth - 1] != b.n[depth - 1]))
      return false;
  return true;
}

/// All ranges have to meet; one that is apart is enough, unless memory at an unknown distance
/// may make up for it: row 64, and row 0 of what begins 64 rows on.
template <typename Judge>
Lie ofAll(const std::vector<Place> &a, const std::vector<Place> &b, Judge judge) {
  bool apart = false, open = false;
  for (size_t i = 0; i < a.size(); ++i) {
    Lie one = judge(a[i], b[i]);
    if (one == Lie::Unknown && a[i].isMemory)
      return one;
    apart |= one == Lie::Apart;
    open |= one == Lie::Unknown;
  }
  return apart ? Lie::Apart : open ? Lie::Unknown : Lie::Meet;
}
} // namespace

bool tlx::verify::meet(const std::vector<Extent> &a, const std::vector<Extent> &b, int64_t apart) {
  std::map<int64_t, Steps, std::greater<>> byStride;
  auto add = [&](const Extent &extent, bool first) {
    Steps &steps = byStride.try_emplace(extent.stride, Steps{extent.stride, 0, 0}).first->second;
    (first ? steps.most : steps.least) += (first ? 1 : -1) * (extent.size - 1);
  };
  for (const Extent &extent : a)
    add(extent, true);
  for (const Extent &extent : b)
    add(extent, false);
  std::vector<Steps> steps;
  for (const auto &[stride, one] : byStride)
    steps.push_back(one);
  return addUp(steps, 0, -apart);
}

Lie tlx::verify::lie(const Linears &linears, const std::vector<Place> &a,
                     const std::vector<Place> &b) {
  return ofAll(a, b, [&](const Place &x, const Place &y) {
    auto p = split(linears, x), q = split(linears, y);
    if (!p || !q || p->rest != q->rest || !sameIterations(p->ords, x, y))
      return Lie::Unknown;
    return meet(x.extents, y.extents, p->number - q->number) ? Lie::Meet : Lie::Apart;
  });
}

bool tlx::verify::coincide(const Linears &linears, const std::vector<Place> &a,
                           const std::vector<Place> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Place &x, const Place &y) {
    auto p = split(linears, x), q = split(linears, y);
    return p && q && p->rest == q->rest && p->number == q->number && x.extents == y.extents &&
           sameIterations(p->ords, x, y);
  });
}

Lie tlx::verify::everLie(const Linears &linears, const std::vector<Place> &a,
                         const std::vector<Place> &b) {
  return ofAll(a, b, [&](const Place &x, const Place &y) {
    auto p = split(linears, x), q = split(linears, y);
    if (!p || !q || p->rest != q->rest)
      return Lie::Unknown;
    bool meets = p->counts || q->counts || meet(x.extents, y.extents, p->number - q->number);
    return meets ? Lie::Meet : Lie::Apart;
  });
}

bool tlx::verify::dependOnIterations(const Linears &linears, const std::vector<Place> &places) {
  return std::any_of(places.begin(), places.end(), [&](const Place &place) {
    auto parts = split(linears, place);
    return parts && parts->ords;
  });
}
