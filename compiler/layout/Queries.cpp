#include "compiler/layout/Queries.h"
#include "compiler/layout/Fault.h"
#include "compiler/layout/Gf2.h"

#include <algorithm>
#include <map>
#include <set>

namespace tlx::layout {

namespace {

bool sameTensor(const LinearLayout &a, const LinearLayout &b) { return a.outs() == b.outs(); }

/// The bases of `block` agree: every CTA looks at its own part, or all at the
/// same copy.
bool blocksAgree(const LinearLayout &a, const LinearLayout &b) {
  return a.bases(kBlock) == b.bases(kBlock);
}

std::vector<std::string> without(std::vector<std::string> names, std::string_view name) {
  std::erase(names, name);
  return names;
}

/// x -> y for two layouts of the same tensor, `block` staying what it is where
/// that is possible.
std::optional<LinearLayout> between(const LinearLayout &from, const LinearLayout &to) {
  if (!from.hasIn(kBlock) || !to.hasIn(kBlock) || !blocksAgree(from, to))
    return from.invertAndCompose(to);
  // Within a CTA; then each block index on its own.
  const auto inner =
      from.sublayout(without(from.inNames(), kBlock), from.outNames())
          .invertAndCompose(to.sublayout(without(to.inNames(), kBlock), to.outNames()));
  if (!inner)
    return from.invertAndCompose(to);
  return *inner * LinearLayout::identity1D(from.inSize(kBlock), kBlock, kBlock);
}

/// Passes of one access, given the first element of each lane's vector.
BankCost passes(const std::vector<int64_t> &lanes, unsigned elementBits, unsigned vector,
                const BankModel &banks) {
  const unsigned bytes = std::max(1u, elementBits * vector / 8);
  // Lanes of one group together fill at most one pass.
  const size_t group = std::clamp<size_t>(banks.passBytes() / bytes, 1, lanes.size());
  BankCost cost{0, 0};
  for (size_t first = 0; first < lanes.size(); first += group) {
    std::map<int64_t, std::set<int64_t>> words; // bank -> words
    for (size_t l = first; l < std::min(first + group, lanes.size()); ++l) {
      const int64_t begin = lanes[l] * int64_t(elementBits) / 8;
      for (int64_t byte = begin; byte < begin + int64_t(bytes);
           byte += banks.bankBytes - byte % banks.bankBytes) {
        const int64_t word = byte / banks.bankBytes;
        words[word % banks.banks].insert(word);
      }
    }
    size_t worst = 1;
    for (const auto &[bank, set] : words)
      worst = std::max(worst, set.size());
    cost.wavefronts += unsigned(worst);
    cost.ideal += std::max(1u, unsigned(bytes / banks.passBytes()));
  }
  return cost;
}

/// The worst of the instructions that start at the given packed inputs.
template <typename Physical>
BankCost worstCost(const LinearLayout &toShared, unsigned elementBits, unsigned vector,
                   const BankModel &banks, const std::vector<uint64_t> &starts, Physical physical) {
  require(isPowerOf2(vector), "bankCost: the vector is not a power of two");
  require(banks.banks > 0 && banks.bankBytes > 0, "bankCost: no banks");
  const LinearLayout offsets = toShared.sublayout(toShared.inNames(), {std::string(kOffset)});
  BankCost worst{0, 1};
  for (uint64_t start : starts) {
    std::vector<int64_t> first;
    for (int64_t lane = 0; lane < toShared.inSize(kLane); ++lane) {
      uint64_t in = start;
      if (lane)
        in |= offsets.packIn({{std::string(kLane), lane}});
      first.push_back(physical(int64_t(offsets.applyPacked(in))));
    }
    const BankCost cost = passes(first, elementBits, vector, banks);
    if (cost.wavefronts > worst.wavefronts)
      worst = cost;
  }
  return worst;
}

} // namespace

Result<LinearLayout> registersToShared(const LinearLayout &registers, const LinearLayout &shared) {
  if (!sameTensor(registers, shared))
    return Error("the register layout and the shared-memory layout describe "
                 "tensors of different shapes");
  auto l = between(registers, shared);
  if (!l)
    return Error("the shared-memory layout does not hold every element of the "
                 "register layout");
  return *l;
}

std::vector<unsigned> vectorRegisterBits(const LinearLayout &toShared, unsigned elementBits,
                                         unsigned maxBits) {
  const LinearLayout offsets = toShared.sublayout(toShared.inNames(), {std::string(kOffset)});
  const LinearLayout rest = toShared.dropOut(kOffset);
  std::vector<unsigned> bits;
  for (uint64_t step = 1; 2 * step * elementBits <= maxBits; step *= 2) {
    // Exactly one bit of the layout touches this bit of the offset: a register
    // bit that does nothing else.
    std::optional<unsigned> found;
    bool alone = true;
    for (const auto &in : offsets.ins())
      for (unsigned b = 0; b < in.bits; ++b) {
        const uint64_t offset = offsets.matrix()[in.first + b];
        if (!(offset & step))
          continue;
        alone &=
            !found && in.name == kRegister && offset == step && rest.matrix()[in.first + b] == 0;
        found = b;
      }
    if (!found || !alone)
      break;
    bits.push_back(*found);
  }
  return bits;
}

unsigned maxVectorElements(const LinearLayout &toShared, unsigned elementBits, unsigned maxBits) {
  return 1u << vectorRegisterBits(toShared, elementBits, maxBits).size();
}

unsigned maxVectorElements(const LinearLayout &toShared, const PaddedSharedEncoding &padding,
                           unsigned elementBits, unsigned maxBits) {
  unsigned vector = maxVectorElements(toShared, elementBits, maxBits);
  for (const auto &[interval, pad] : padding.padding)
    while (vector > 1 && (interval % vector || pad % vector))
      vector /= 2;
  return vector;
}

unsigned maxVectorElements(const LinearLayout &registers, const std::vector<unsigned> &order,
                           unsigned elementBits, unsigned maxBits) {
  require(order.size() == registers.outs().size(),
          "maxVectorElements: order and layout differ in rank");
  std::vector<std::string> dims;
  for (unsigned d : order)
    dims.push_back(dimName(d));
  const LinearLayout linear =
      registers.transposeOuts(dims).reshapeOuts({{std::string(kOffset), registers.totalOutSize()}});
  if (order.empty())
    return 1;
  return unsigned(std::min<int64_t>(maxVectorElements(linear, elementBits, maxBits),
                                    registers.outSize(dims[0])));
}

BankCost bankCost(const LinearLayout &toShared, unsigned elementBits, unsigned vector,
                  const BankModel &banks) {
  // Another register or warp shifts all lanes by the same exclusive or: words
  // and banks are renamed, and nothing else changes.
  return worstCost(toShared, elementBits, vector, banks, {0}, [](int64_t o) { return o; });
}

BankCost bankCost(const LinearLayout &toShared, const PaddedSharedEncoding &padding,
                  unsigned elementBits, unsigned vector, const BankModel &banks) {
  // Padding is not linear: every register that starts an access, every warp.
  const unsigned count = unsigned(log2Exact(vector));
  std::vector<unsigned> within = vectorRegisterBits(toShared, elementBits, elementBits * vector);
  require(within.size() == count, "bankCost: the layout does not allow this vector");
  std::vector<uint64_t> starts = {0};
  for (const auto &in : toShared.ins()) {
    if (in.name != kRegister && in.name != kWarp)
      continue;
    for (unsigned b = 0; b < in.bits; ++b) {
      if (in.name == kRegister && std::find(within.begin(), within.end(), b) != within.end())
        continue;
      const size_t n = starts.size();
      for (size_t i = 0; i < n; ++i)
        starts.push_back(starts[i] | uint64_t(1) << (in.first + b));
    }
  }
  return worstCost(toShared, elementBits, vector, banks, starts,
                   [&](int64_t o) { return paddedOffset(padding, o); });
}

Result<Conversion> conversionKind(const LinearLayout &from, const LinearLayout &to) {
  if (!sameTensor(from, to))
    return Error("the two register layouts describe tensors of different "
                 "shapes");
  // A conversion stays within the n innermost layers when for every hardware
  // index of the result some index of the source that differs in those layers
  // only holds the element: the difference of the two layouts, taken over the
  // outer layers, must be in the span of the source's inner ones.
  const std::string_view layers[] = {kRegister, kLane, kWarp, kBlock};
  if (from == to)
    return Conversion::None;
  for (unsigned n = 1; n <= 4; ++n) {
    std::vector<uint64_t> inner, wanted;
    bool possible = true;
    for (unsigned i = 0; i < 4; ++i) {
      const std::vector<uint64_t> f = from.packed(layers[i]);
      std::vector<uint64_t> t = to.packed(layers[i]);
      if (i < n) {
        inner.insert(inner.end(), f.begin(), f.end());
      } else {
        possible &= f.size() == t.size();
        for (size_t b = 0; possible && b < t.size(); ++b)
          t[b] ^= f[b];
      }
      wanted.insert(wanted.end(), t.begin(), t.end());
    }
    const gf2::Echelon echelon(inner);
    if (possible && std::all_of(wanted.begin(), wanted.end(),
                                [&](uint64_t w) { return echelon.solve(w).has_value(); }))
      return Conversion(n);
  }
  return Error("the source layout does not hold every element");
}

} // namespace tlx::layout
