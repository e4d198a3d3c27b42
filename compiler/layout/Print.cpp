#include "compiler/layout/Print.h"

#include <bit>

namespace tlx::layout {

namespace {

/// One mode of a CuTe layout.
struct Mode {
  int64_t size, stride;
};

/// The modes of one hardware dimension: runs of doubling strides, and of zeros.
/// Nothing when a basis is not a single bit.
std::optional<std::vector<Mode>> modes(const std::vector<uint64_t> &bases) {
  std::vector<Mode> result;
  for (uint64_t basis : bases) {
    if (basis && !std::has_single_bit(basis))
      return std::nullopt;
    const int64_t stride = int64_t(basis);
    if (!result.empty() && stride == result.back().stride * result.back().size)
      result.back().size *= 2;
    else
      result.push_back({2, stride});
  }
  return result;
}

std::string tuple(const std::vector<Mode> &list, int64_t Mode::*field) {
  if (list.empty())
    return field == &Mode::size ? "_1" : "_0";
  std::string text;
  for (const Mode &m : list)
    text += (text.empty() ? "_" : ",_") + std::to_string(m.*field);
  return list.size() == 1 ? text : "(" + text + ")";
}

std::string coordinates(const LinearLayout &layout, const std::string &in, unsigned bit) {
  std::string text = "(";
  for (int32_t v : layout.basis(in, bit))
    text += (text.size() > 1 ? ", " : "") + std::to_string(v);
  return text + ")";
}

/// swizzled_shared as `Swizzle<B,M,S> o shape:stride`, where that is the same
/// map: Swizzle xors bits M ... M+B-1 of an address with those S above.
std::optional<std::string> swizzle(const SwizzledSharedEncoding &e, const LinearLayout &layout,
                                   const Shape &shape) {
  if (e.maxPhase == 1 || shape.size() < 2 || e.vec > e.perPhase * shape[e.order[0]])
    return std::nullopt;
  std::vector<Mode> list(shape.size());
  std::vector<std::string> dims;
  int64_t stride = 1;
  for (unsigned d : e.order) {
    list[d] = {shape[d], stride};
    stride *= shape[d];
    dims.push_back(dimName(d));
  }
  const unsigned base = log2Exact(e.vec);
  const unsigned shift = log2Exact(e.perPhase * shape[e.order[0]]) - base;
  const std::vector<uint64_t> addresses = layout.transposeOuts(dims).packed(kOffset);
  for (unsigned b = 0; b < addresses.size(); ++b) {
    const uint64_t offset = uint64_t(1) << b;
    const uint64_t phase = offset >> (base + shift) & (e.maxPhase - 1);
    if ((offset ^ phase << base) != addresses[b])
      return std::nullopt;
  }
  return "Swizzle<" + std::to_string(log2Exact(e.maxPhase)) + "," + std::to_string(base) + "," +
         std::to_string(shift) + "> o " + tuple(list, &Mode::size) + ":" +
         tuple(list, &Mode::stride);
}

} // namespace

std::string toString(const LinearLayout &layout) {
  std::string text = "\n";
  for (const auto &in : layout.ins()) {
    if (in.bits == 0) {
      text += " - " + in.name + " is a size 1 dimension\n";
      continue;
    }
    for (unsigned b = 0; b < in.bits; ++b)
      text += std::string(b ? "   " : " - ") + in.name + "=" + std::to_string(int64_t(1) << b) +
              " -> " + coordinates(layout, in.name, b) + "\n";
  }
  text += "where out dims are: [";
  for (size_t i = 0; i < layout.outs().size(); ++i)
    text += (i ? ", " : "") + layout.outs()[i].name + " (size " +
            std::to_string(layout.outs()[i].size()) + ")";
  return text + "]\n";
}

std::optional<std::string> toCute(const LinearLayout &layout) {
  const LinearLayout index = layout.rowMajorOuts("index");
  if (!layout.hasIn(kRegister)) {
    // Everything but the offset must be a single index.
    for (const auto &in : index.ins())
      if (in.name != kOffset && in.bits)
        return std::nullopt;
    auto list = modes(index.packed(kOffset));
    if (!list)
      return std::nullopt;
    return tuple(*list, &Mode::size) + ":" + tuple(*list, &Mode::stride);
  }
  std::vector<Mode> thread;
  for (std::string_view dim : {kLane, kWarp, kBlock}) {
    auto part = modes(index.packed(dim));
    if (!part)
      return std::nullopt;
    thread.insert(thread.end(), part->begin(), part->end());
  }
  auto value = modes(index.packed(kRegister));
  if (!value)
    return std::nullopt;
  return "(" + tuple(thread, &Mode::size) + "," + tuple(*value, &Mode::size) + "):(" +
         tuple(thread, &Mode::stride) + "," + tuple(*value, &Mode::stride) + ")";
}

Result<std::optional<std::string>> toCute(const Encoding &encoding, const Shape &shape) {
  auto layout = toLinearLayout(encoding, shape);
  if (!layout)
    return std::move(layout).error();
  if (const auto *e = encoding.as<SwizzledSharedEncoding>())
    if (auto text = swizzle(*e, *layout, shape))
      return text;
  if (encoding.as<PaddedSharedEncoding>())
    return std::optional<std::string>();
  return toCute(*layout);
}

Result<std::string> dumpLayout(const Encoding &encoding, const Shape &shape) {
  auto cute = toCute(encoding, shape);
  if (!cute)
    return std::move(cute).error();
  if (*cute)
    return "cute: " + **cute + "\n";
  auto layout = toLinearLayout(encoding, shape);
  std::string text =
      "(not representable as a CuTe layout; linear layout follows)\n" + toString(*layout);
  if (const auto *e = encoding.as<PaddedSharedEncoding>())
    for (const auto &[interval, padding] : e->padding)
      text += "padded by " + std::to_string(padding) + " after every " + std::to_string(interval) +
              " elements\n";
  return text;
}

LayoutTable toTable(const LinearLayout &layout) {
  LayoutTable table;
  for (const auto &d : layout.ins())
    table.ins.push_back({d.name, d.bits, d.first});
  for (const auto &d : layout.outs())
    table.outs.push_back({d.name, d.bits, d.first});
  table.columns = layout.matrix();
  return table;
}

Result<LayoutTable> toTable(const Encoding &encoding, const Shape &shape) {
  auto layout = toLinearLayout(encoding, shape);
  if (!layout)
    return std::move(layout).error();
  LayoutTable table = toTable(*layout);
  if (const auto *e = encoding.as<PaddedSharedEncoding>())
    table.padding.assign(e->padding.begin(), e->padding.end());
  return table;
}

} // namespace tlx::layout
