#include "compiler/layout/LinearLayout.h"
#include "compiler/layout/Fault.h"
#include "compiler/layout/Gf2.h"

#include <bit>

namespace tlx::layout {

namespace {

uint64_t lowMask(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

uint64_t field(uint64_t word, const LinearLayout::Dim &dim) {
  return word >> dim.first & lowMask(dim.bits);
}

} // namespace

void fault(const char *what) {
  std::fprintf(stderr, "internal error: layout: %s\n", what);
  std::abort();
}

std::string dimName(unsigned index) { return "dim" + std::to_string(index); }

std::vector<std::string> dimNames(unsigned rank) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < rank; ++i)
    names.push_back(dimName(i));
  return names;
}

bool isPowerOf2(int64_t value) { return value > 0 && std::has_single_bit(uint64_t(value)); }

unsigned log2Exact(int64_t value) {
  require(isPowerOf2(value), "a size is not a power of two");
  return unsigned(std::countr_zero(uint64_t(value)));
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

const LinearLayout::Dim *LinearLayout::findIn(std::string_view name) const {
  for (const Dim &d : inputs)
    if (d.name == name)
      return &d;
  return nullptr;
}

const LinearLayout::Dim *LinearLayout::findOut(std::string_view name) const {
  for (const Dim &d : outputs)
    if (d.name == name)
      return &d;
  return nullptr;
}

const LinearLayout::Dim &LinearLayout::in(std::string_view name) const {
  const Dim *d = findIn(name);
  require(d, "no such input dimension");
  return *d;
}

const LinearLayout::Dim &LinearLayout::out(std::string_view name) const {
  const Dim *d = findOut(name);
  require(d, "no such output dimension");
  return *d;
}

void LinearLayout::addIn(std::string_view name, unsigned bits) {
  require(!findIn(name), "an input dimension occurs twice");
  require(totalInBits() + bits < 64, "more than 63 input bits");
  inputs.push_back({std::string(name), bits, totalInBits()});
  columns.resize(columns.size() + bits, 0);
}

void LinearLayout::addOut(std::string_view name, unsigned bits) {
  require(!findOut(name), "an output dimension occurs twice");
  require(totalOutBits() + bits < 64, "more than 63 output bits");
  outputs.push_back({std::string(name), bits, totalOutBits()});
}

unsigned LinearLayout::totalOutBits() const {
  return outputs.empty() ? 0 : outputs.back().first + outputs.back().bits;
}

std::vector<std::string> LinearLayout::inNames() const {
  std::vector<std::string> names;
  for (const Dim &d : inputs)
    names.push_back(d.name);
  return names;
}

std::vector<std::string> LinearLayout::outNames() const {
  std::vector<std::string> names;
  for (const Dim &d : outputs)
    names.push_back(d.name);
  return names;
}

unsigned LinearLayout::inBits(std::string_view name) const {
  const Dim *d = findIn(name);
  return d ? d->bits : 0;
}

unsigned LinearLayout::outBits(std::string_view name) const {
  const Dim *d = findOut(name);
  return d ? d->bits : 0;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::identity1D(int64_t size, std::string_view in, std::string_view out) {
  return strided1D(size, 1, in, out);
}

LinearLayout LinearLayout::strided1D(int64_t size, int64_t stride, std::string_view in,
                                     std::string_view out) {
  const unsigned bits = log2Exact(size), shift = log2Exact(stride);
  LinearLayout l;
  l.addIn(in, bits);
  l.addOut(out, bits ? bits + shift : 0);
  for (unsigned b = 0; b < bits; ++b)
    l.columns[b] = uint64_t(1) << (b + shift);
  return l;
}

LinearLayout LinearLayout::zeros1D(int64_t size, std::string_view in, std::string_view out,
                                   int64_t outSize) {
  LinearLayout l;
  l.addIn(in, log2Exact(size));
  l.addOut(out, log2Exact(outSize));
  return l;
}

LinearLayout LinearLayout::identityND(std::string_view in, const std::vector<unsigned> &shape,
                                      const std::vector<unsigned> &order) {
  require(shape.size() == order.size(), "shape and order differ in rank");
  LinearLayout l;
  for (unsigned dim : order) {
    require(dim < shape.size(), "order names a dimension that does not exist");
    l *= identity1D(shape[dim], in, dimName(dim));
  }
  return l;
}

LinearLayout LinearLayout::fromBases(const std::vector<std::pair<std::string, Bases>> &bases,
                                     const std::vector<std::pair<std::string, int64_t>> &outs) {
  LinearLayout l;
  for (const auto &[name, size] : outs)
    l.addOut(name, log2Exact(size));
  for (const auto &[name, list] : bases) {
    const unsigned first = l.totalInBits();
    l.addIn(name, unsigned(list.size()));
    for (unsigned b = 0; b < list.size(); ++b) {
      require(list[b].size() == outs.size(), "a basis needs one value per output dimension");
      for (unsigned d = 0; d < outs.size(); ++d) {
        require(list[b][d] >= 0 && list[b][d] < outs[d].second,
                "a basis exceeds the size of its output dimension");
        l.columns[first + b] |= uint64_t(list[b][d]) << l.outputs[d].first;
      }
    }
  }
  return l;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::vector<int32_t> LinearLayout::basis(std::string_view name, unsigned bit) const {
  const Dim &d = in(name);
  require(bit < d.bits, "no such input bit");
  std::vector<int32_t> values;
  for (const Dim &o : outputs)
    values.push_back(int32_t(field(columns[d.first + bit], o)));
  return values;
}

int64_t LinearLayout::basis(std::string_view name, unsigned bit, std::string_view outName) const {
  const Dim &d = in(name);
  require(bit < d.bits, "no such input bit");
  return int64_t(field(columns[d.first + bit], out(outName)));
}

Bases LinearLayout::bases(std::string_view name) const {
  Bases list;
  for (unsigned b = 0; b < inBits(name); ++b)
    list.push_back(basis(name, b));
  return list;
}

std::vector<uint64_t> LinearLayout::packed(std::string_view name) const {
  const Dim *d = findIn(name);
  if (!d)
    return {};
  return {columns.begin() + d->first, columns.begin() + d->first + d->bits};
}

uint64_t LinearLayout::applyPacked(uint64_t word) const {
  require(word <= lowMask(totalInBits()), "an input exceeds its dimension");
  return gf2::multiply(columns, word);
}

uint64_t LinearLayout::packIn(const Coords &coords) const {
  uint64_t word = 0;
  for (const auto &[name, value] : coords) {
    const Dim &d = in(name);
    require(value >= 0 && uint64_t(value) <= lowMask(d.bits), "an input exceeds its dimension");
    word |= uint64_t(value) << d.first;
  }
  return word;
}

Coords LinearLayout::unpackOut(uint64_t word) const {
  Coords coords;
  for (const Dim &o : outputs)
    coords.emplace_back(o.name, int64_t(field(word, o)));
  return coords;
}

Coords LinearLayout::apply(const Coords &coords) const {
  return unpackOut(applyPacked(packIn(coords)));
}

int64_t LinearLayout::apply(const Coords &coords, std::string_view name) const {
  return int64_t(field(applyPacked(packIn(coords)), out(name)));
}

} // namespace tlx::layout
