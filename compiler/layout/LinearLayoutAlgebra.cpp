// Products, composition, inverses and quotients: LinearLayout.h states them.
#include "compiler/layout/Fault.h"
#include "compiler/layout/Gf2.h"
#include "compiler/layout/LinearLayout.h"

#include <algorithm>

namespace tlx::layout {

namespace {

using Dims = std::vector<LinearLayout::Dim>;

/// `word`'s fields under `from`, placed under the dimensions of the same name
/// in `to`.
uint64_t relabel(uint64_t word, const Dims &from, const Dims &to) {
  uint64_t result = 0;
  for (const LinearLayout::Dim &f : from)
    for (const LinearLayout::Dim &t : to)
      if (f.name == t.name)
        result |= (word >> f.first & ((uint64_t(1) << f.bits) - 1)) << t.first;
  return result;
}

bool sameNames(const Dims &a, const Dims &b) {
  if (a.size() != b.size())
    return false;
  return std::all_of(a.begin(), a.end(), [&](const LinearLayout::Dim &d) {
    return std::any_of(b.begin(), b.end(),
                       [&](const LinearLayout::Dim &e) { return e.name == d.name; });
  });
}

} // namespace

LinearLayout LinearLayout::operator*(const LinearLayout &other) const {
  LinearLayout l;
  for (const Dim &o : outputs)
    l.addOut(o.name, o.bits + other.outBits(o.name));
  for (const Dim &o : other.outputs)
    if (!hasOut(o.name))
      l.addOut(o.name, o.bits);

  // The bits of `other` go above those of this in every shared output.
  auto place = [&](const LinearLayout &part, const Dim &d, unsigned column, bool high) {
    for (unsigned b = 0; b < d.bits; ++b)
      for (const Dim &o : part.outputs) {
        const uint64_t value = part.columns[d.first + b] >> o.first & ((uint64_t(1) << o.bits) - 1);
        l.columns[column + b] |= value << (l.out(o.name).first + (high ? outBits(o.name) : 0));
      }
  };
  for (const Dim &d : inputs) {
    const unsigned first = l.totalInBits();
    l.addIn(d.name, d.bits + other.inBits(d.name));
    place(*this, d, first, false);
    if (const Dim *e = other.findIn(d.name))
      place(other, *e, first + d.bits, true);
  }
  for (const Dim &d : other.inputs) {
    if (hasIn(d.name))
      continue;
    const unsigned first = l.totalInBits();
    l.addIn(d.name, d.bits);
    place(other, d, first, true);
  }
  return l;
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  require(sameNames(outputs, outer.inputs),
          "compose: the outputs are not the inputs of the outer layout");
  for (const Dim &o : outputs)
    require(o.bits <= outer.inBits(o.name),
            "compose: an output exceeds the input of the outer layout");
  LinearLayout l;
  l.inputs = inputs;
  l.outputs = outer.outputs;
  for (uint64_t c : columns)
    l.columns.push_back(outer.applyPacked(relabel(c, outputs, outer.inputs)));
  return l;
}

LinearLayout LinearLayout::pseudoInverse() const {
  const gf2::Echelon echelon(columns);
  LinearLayout l;
  for (const Dim &d : inputs)
    l.addOut(d.name, d.bits);
  for (const Dim &o : outputs)
    l.addIn(o.name, o.bits);
  for (unsigned row = 0; row < l.totalInBits(); ++row)
    l.columns[row] = echelon.pseudoSolve(uint64_t(1) << row);
  return l;
}

std::optional<LinearLayout> LinearLayout::invert() const {
  if (!isBijective())
    return std::nullopt;
  return pseudoInverse();
}

std::optional<LinearLayout> LinearLayout::rightInverse() const {
  if (!isSurjective())
    return std::nullopt;
  return pseudoInverse();
}

std::optional<LinearLayout> LinearLayout::leftInverse() const {
  if (!isInjective())
    return std::nullopt;
  return pseudoInverse();
}

std::optional<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &outer) const {
  require(sameNames(outputs, outer.outputs), "invertAndCompose: the outputs differ");
  for (const Dim &o : outputs)
    if (o.bits > outer.outBits(o.name) &&
        !std::all_of(columns.begin(), columns.end(), [&](uint64_t c) {
          return (c >> o.first & ((uint64_t(1) << o.bits) - 1)) >> outer.outBits(o.name) == 0;
        }))
      return std::nullopt;
  const gf2::Echelon echelon(outer.columns);
  LinearLayout l;
  l.inputs = inputs;
  for (const Dim &d : outer.inputs)
    l.addOut(d.name, d.bits);
  for (uint64_t c : columns) {
    auto x = echelon.solve(relabel(c, outputs, outer.outputs));
    if (!x)
      return std::nullopt;
    l.columns.push_back(*x);
  }
  return l;
}

/// Every dimension of `divisor` is one of `layout`, and no larger.
static bool covers(const LinearLayout &layout, const LinearLayout &divisor) {
  for (const auto &d : divisor.ins())
    if (!layout.hasIn(d.name) || layout.inBits(d.name) < d.bits)
      return false;
  for (const auto &o : divisor.outs())
    if (!layout.hasOut(o.name) || layout.outBits(o.name) < o.bits)
      return false;
  return true;
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &divisor) const {
  if (!covers(*this, divisor))
    return std::nullopt;
  LinearLayout l;
  for (const Dim &o : outputs)
    l.addOut(o.name, o.bits - divisor.outBits(o.name));
  for (const Dim &d : inputs) {
    const unsigned low = divisor.inBits(d.name);
    const std::vector<uint64_t> lowColumns = divisor.packed(d.name);
    for (unsigned b = 0; b < low; ++b)
      if (columns[d.first + b] != relabel(lowColumns[b], divisor.outputs, outputs))
        return std::nullopt;
    const unsigned first = l.totalInBits();
    l.addIn(d.name, d.bits - low);
    for (unsigned b = low; b < d.bits; ++b)
      for (const Dim &o : outputs) {
        const uint64_t value = columns[d.first + b] >> o.first & ((uint64_t(1) << o.bits) - 1);
        const unsigned shift = divisor.outBits(o.name);
        if (value & ((uint64_t(1) << shift) - 1))
          return std::nullopt;
        l.columns[first + b - low] |= value >> shift << l.out(o.name).first;
      }
  }
  return l;
}

std::optional<LinearLayout> LinearLayout::divideRight(const LinearLayout &divisor) const {
  if (!covers(*this, divisor))
    return std::nullopt;
  LinearLayout l;
  for (const Dim &o : outputs)
    l.addOut(o.name, o.bits - divisor.outBits(o.name));
  for (const Dim &d : inputs) {
    const unsigned keep = d.bits - divisor.inBits(d.name);
    const std::vector<uint64_t> highColumns = divisor.packed(d.name);
    const unsigned first = l.totalInBits();
    l.addIn(d.name, keep);
    for (unsigned b = 0; b < d.bits; ++b)
      for (const Dim &o : outputs) {
        const uint64_t value = columns[d.first + b] >> o.first & ((uint64_t(1) << o.bits) - 1);
        const Dim &rest = l.out(o.name);
        if (b < keep) {
          if (value >> rest.bits)
            return std::nullopt;
          l.columns[first + b] |= value << rest.first;
          continue;
        }
        uint64_t expected = 0;
        if (const Dim *e = divisor.findOut(o.name))
          expected = (highColumns[b - keep] >> e->first & ((uint64_t(1) << e->bits) - 1))
                     << rest.bits;
        if (value != expected)
          return std::nullopt;
      }
  }
  return l;
}

std::optional<LinearLayout> LinearLayout::quotient(const std::vector<std::string> &dims) const {
  std::vector<std::string> restIns, restOuts;
  auto named = [&](const std::string &name) {
    return std::find(dims.begin(), dims.end(), name) != dims.end();
  };
  for (const Dim &d : inputs)
    if (!named(d.name))
      restIns.push_back(d.name);
  for (const Dim &o : outputs)
    if (!named(o.name))
      restOuts.push_back(o.name);
  for (const std::string &name : dims) {
    if (!hasIn(name) || !hasOut(name) || inBits(name) != outBits(name))
      return std::nullopt;
    for (unsigned b = 0; b < inBits(name); ++b)
      if (columns[in(name).first + b] != uint64_t(1) << (out(name).first + b))
        return std::nullopt;
    if (!sublayoutIsZero(restIns, {name}))
      return std::nullopt;
  }
  return sublayout(restIns, restOuts);
}

unsigned LinearLayout::rank() const { return gf2::Echelon(columns).rank(); }

std::vector<std::pair<std::string, uint64_t>> LinearLayout::freeVariableMasks() const {
  const uint64_t free = gf2::Echelon(columns).freeColumns();
  std::vector<std::pair<std::string, uint64_t>> masks;
  for (const Dim &d : inputs)
    masks.emplace_back(d.name, free >> d.first & ((uint64_t(1) << d.bits) - 1));
  return masks;
}

uint64_t LinearLayout::freeVariableMask(std::string_view name) const {
  const uint64_t free = gf2::Echelon(columns).freeColumns();
  const Dim &d = in(name);
  return free >> d.first & ((uint64_t(1) << d.bits) - 1);
}

} // namespace tlx::layout
