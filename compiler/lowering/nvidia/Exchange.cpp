#include "compiler/lowering/nvidia/Exchange.h"

using namespace mlir;
using tlx::layout::LinearLayout;

namespace tlx::nvidia {

/// Of one bank, and of all together.
constexpr unsigned kWordBytes = 4, kBankBytes = 128;

/// The elements in row-major order, the dimension along which the readers' registers
/// are consecutive last.
static LinearLayout rowMajor(const LinearLayout &from, const LinearLayout &to) {
  std::vector<std::string> order = to.outNames(); // fastest first
  auto run = [&](const std::string &dim) {
    int64_t length = 1;
    std::vector<std::vector<int32_t>> bases = to.bases(layout::kRegister);
    size_t column = llvm::find(to.outNames(), dim) - to.outNames().begin();
    while (llvm::any_of(bases, [&](const std::vector<int32_t> &basis) {
      for (size_t index = 0; index < basis.size(); ++index)
        if (basis[index] != (index == column ? length : 0))
          return false;
      return true;
    }))
      length *= 2;
    return length;
  };
  std::vector<std::string> names = to.outNames();
  std::sort(order.begin(), order.end(), [&](const std::string &a, const std::string &b) {
    if (run(a) != run(b))
      return run(a) > run(b);
    return llvm::find(names, a) > llvm::find(names, b);
  });
  LinearLayout result;
  for (const std::string &dim : order)
    result *= LinearLayout::identity1D(to.outSize(dim), layout::kOffset, dim);
  return result.transposeOuts(from.outNames());
}

/// The same elements, where offset bits from `low` on are flipped by `count` bits from
/// `high` on.
static LinearLayout permuted(const LinearLayout &shared, unsigned low, unsigned high,
                             unsigned count) {
  layout::Bases bases = shared.bases(layout::kOffset);
  for (unsigned bit = 0; bit < count; ++bit)
    for (auto [coordinate, flip] : llvm::zip(bases[high + bit], bases[low + bit]))
      coordinate ^= flip;
  std::vector<std::pair<std::string, int64_t>> outs;
  for (const LinearLayout::Dim &dim : shared.outs())
    outs.emplace_back(dim.name, dim.size());
  return LinearLayout::fromBases({{std::string(layout::kOffset), bases}}, outs);
}

/// The part of a layout within one CTA.
static LinearLayout withinCta(const LinearLayout &layout) {
  std::vector<std::string> ins = {std::string(layout::kRegister), std::string(layout::kLane),
                                  std::string(layout::kWarp)};
  return layout.sublayout(ins, layout.outNames());
}

bool crossesCtas(const LinearLayout &from, const LinearLayout &to) {
  auto at = [](const LinearLayout &layout, unsigned bit, const std::string &dim) {
    return bit < layout.inBits(layout::kBlock) ? layout.basis(layout::kBlock, bit, dim) : 0;
  };
  unsigned bits = std::max(from.inBits(layout::kBlock), to.inBits(layout::kBlock));
  for (unsigned bit = 0; bit < bits; ++bit)
    for (const std::string &dim : to.outNames())
      if (at(from, bit, dim) != at(to, bit, dim))
        return true;
  return false;
}

Exchange::Exchange(Emitter &e, const Movement &movement, Type element, int64_t offset)
    : e(e), element(element), place{e.add(e.scratch(), e.i32(offset)), e.i32(0)},
      from(withinCta(movement.from)), to(withinCta(movement.to)), shared(rowMajor(from, to)) {
  if (crossesCtas(movement.from, movement.to)) {
    from = movement.from;
    to = movement.to;
    ctas = std::max(from.inSize(layout::kBlock), to.inSize(layout::kBlock));
    return;
  }
  auto use = [&](const LinearLayout &layout) {
    return SharedAccess(e, from, layout, element).use(/*loads=*/false) +
           SharedAccess(e, to, layout, element).use(/*loads=*/true);
  };
  const LinearLayout plain = shared;
  const BankUse before = use(plain);
  BankUse best = before;
  unsigned bytes = SharedAccess(e, from, plain, element).bytes();
  unsigned bits = plain.inBits(layout::kOffset), line = layout::log2Exact(kBankBytes / bytes);
  unsigned word = layout::log2Exact(std::max(1u, kWordBytes / bytes));
  // Large pieces first: small ones cut accesses short.
  for (unsigned low = line; low-- > word;)
    for (unsigned high = line; high < bits; ++high) {
      if (best.passes == before.least && best.accesses == before.accesses)
        return;
      LinearLayout other = permuted(plain, low, high, std::min(line - low, bits - high));
      BankUse found = use(other);
      if (found.passes + found.accesses < best.passes + best.accesses) {
        best = found;
        shared = other;
      }
    }
}

void Exchange::store(const Registers &registers) {
  if (ctas > 1)
    storeEverywhere(registers, ctas);
  else
    SharedAccess(e, from, shared, element).store(place, registers);
}

void Exchange::storeEverywhere(const Registers &registers, int64_t count) {
  SharedAccess(e, from, shared, element).storeEverywhere(place, registers, count);
}

Registers Exchange::load() { return SharedAccess(e, to, shared, element).load(place); }

} // namespace tlx::nvidia
