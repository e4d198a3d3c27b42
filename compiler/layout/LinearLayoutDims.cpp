// Rearranging, selecting and resizing dimensions: LinearLayout.h states them.
#include "compiler/layout/Fault.h"
#include "compiler/layout/LinearLayout.h"

#include <algorithm>

namespace tlx::layout {

namespace {

uint64_t mask(const LinearLayout::Dim &dim) { return (uint64_t(1) << dim.bits) - 1; }

uint64_t field(uint64_t word, const LinearLayout::Dim &dim) {
  return word >> dim.first & mask(dim);
}

} // namespace

LinearLayout LinearLayout::transposeIns(const std::vector<std::string> &order) const {
  require(order.size() == inputs.size(), "not a permutation of the inputs");
  return sublayout(order, outNames());
}

LinearLayout LinearLayout::transposeOuts(const std::vector<std::string> &order) const {
  require(order.size() == outputs.size(), "not a permutation of the outputs");
  return sublayout(inNames(), order);
}

LinearLayout LinearLayout::permuteOuts(const std::vector<unsigned> &order) const {
  LinearLayout result = *this;
  for (unsigned dim = 0; dim < order.size(); ++dim)
    result = result.renameOut(dimName(dim), "to" + std::to_string(order[dim]));
  for (unsigned dim = 0; dim < order.size(); ++dim)
    result = result.renameOut("to" + std::to_string(dim), dimName(dim));
  return result.transposeOuts(dimNames(order.size()));
}

LinearLayout
LinearLayout::reshapeIns(const std::vector<std::pair<std::string, int64_t>> &dims) const {
  LinearLayout l;
  l.outputs = outputs;
  for (const auto &[name, size] : dims)
    l.addIn(name, log2Exact(size));
  require(l.totalInBits() == totalInBits(), "reshape changes the input size");
  l.columns = columns;
  return l;
}

LinearLayout
LinearLayout::reshapeOuts(const std::vector<std::pair<std::string, int64_t>> &dims) const {
  LinearLayout l;
  l.inputs = inputs;
  l.columns = columns;
  for (const auto &[name, size] : dims)
    l.addOut(name, log2Exact(size));
  require(l.totalOutBits() == totalOutBits(), "reshape changes the output size");
  return l;
}

LinearLayout LinearLayout::renameIn(std::string_view from, std::string_view to) const {
  require(from == to || !findIn(to), "an input dimension occurs twice");
  LinearLayout l = *this;
  l.inputs[size_t(&in(from)-inputs.data())].name = to;
  return l;
}

LinearLayout LinearLayout::renameOut(std::string_view from, std::string_view to) const {
  require(from == to || !findOut(to), "an output dimension occurs twice");
  LinearLayout l = *this;
  l.outputs[size_t(&out(from) - outputs.data())].name = to;
  return l;
}

LinearLayout LinearLayout::rowMajorOuts(std::string_view name) const {
  std::vector<std::string> order = outNames();
  std::reverse(order.begin(), order.end());
  return transposeOuts(order).reshapeOuts({{std::string(name), totalOutSize()}});
}

LinearLayout LinearLayout::sublayout(const std::vector<std::string> &inNames,
                                     const std::vector<std::string> &outNames) const {
  LinearLayout l;
  for (const std::string &name : outNames)
    l.addOut(name, out(name).bits);
  for (const std::string &name : inNames) {
    const Dim &from = in(name);
    const unsigned first = l.totalInBits();
    l.addIn(name, from.bits);
    for (unsigned b = 0; b < from.bits; ++b)
      for (const Dim &to : l.outputs)
        l.columns[first + b] |= field(columns[from.first + b], out(to.name)) << to.first;
  }
  return l;
}

bool LinearLayout::sublayoutIsZero(const std::vector<std::string> &inNames,
                                   const std::vector<std::string> &outNames) const {
  const LinearLayout part = sublayout(inNames, outNames);
  return std::all_of(part.columns.begin(), part.columns.end(), [](uint64_t c) { return c == 0; });
}

LinearLayout LinearLayout::dropOut(std::string_view name) const {
  out(name);
  std::vector<std::string> keep;
  for (const Dim &o : outputs)
    if (o.name != name)
      keep.push_back(o.name);
  return sublayout(inNames(), keep);
}

LinearLayout LinearLayout::removeZeroBases(std::string_view name) const {
  in(name);
  LinearLayout l;
  l.outputs = outputs;
  for (const Dim &d : inputs) {
    std::vector<uint64_t> keep = packed(d.name);
    if (d.name == name)
      std::erase(keep, 0);
    const unsigned first = l.totalInBits();
    l.addIn(d.name, unsigned(keep.size()));
    std::copy(keep.begin(), keep.end(), l.columns.begin() + first);
  }
  return l;
}

LinearLayout LinearLayout::truncateIn(std::string_view name, unsigned bits) const {
  require(bits <= in(name).bits, "truncateIn only shrinks");
  LinearLayout l;
  l.outputs = outputs;
  for (const Dim &d : inputs) {
    std::vector<uint64_t> keep = packed(d.name);
    if (d.name == name)
      keep.resize(bits);
    const unsigned first = l.totalInBits();
    l.addIn(d.name, unsigned(keep.size()));
    std::copy(keep.begin(), keep.end(), l.columns.begin() + first);
  }
  return l;
}

LinearLayout LinearLayout::resizeOut(std::string_view name, unsigned bits) const {
  out(name);
  LinearLayout l;
  l.inputs = inputs;
  l.columns.assign(columns.size(), 0);
  for (const Dim &o : outputs) {
    l.addOut(o.name, o.name == name ? bits : o.bits);
    const Dim &to = l.outputs.back();
    for (size_t c = 0; c < columns.size(); ++c) {
      const uint64_t value = field(columns[c], o);
      if (value <= mask(to))
        l.columns[c] |= value << to.first;
    }
  }
  return l;
}

} // namespace tlx::layout
