#include "compiler/layout/TensorMemoryAccess.h"
#include "compiler/layout/Gf2.h"
#include "compiler/layout/Tiles.h"

#include <algorithm>
#include <array>

namespace tlx::layout {

namespace {

using Basis = std::vector<int32_t>;

bool isZero(const Basis &basis) {
  return std::all_of(basis.begin(), basis.end(), [](int32_t v) { return !v; });
}

/// How an atom deals out one 32-bit column after the other, in units of the
/// columns' bits: `registers` first, then lanes; -1 is the row 8 below.
struct AtomShape {
  std::vector<int> registers, lanes;
};

constexpr int kRow8 = -1, kRow1 = -2, kRow2 = -3, kRow4 = -4;

AtomShape shapeOf(TensorMemoryAtom atom) {
  switch (atom) {
  case TensorMemoryAtom::Lanes16x64b: return {{}, {kRow8, 0, kRow1, kRow2, kRow4}};
  case TensorMemoryAtom::Lanes16x128b: return {{kRow8}, {0, 1, kRow1, kRow2, kRow4}};
  case TensorMemoryAtom::Lanes16x256b: return {{0, kRow8}, {1, 2, kRow1, kRow2, kRow4}};
  case TensorMemoryAtom::Lanes32x32b: break;
  }
  return {{}, {kRow1, kRow2, kRow4, kRow8}};
}

} // namespace

const char *name(TensorMemoryAtom atom) {
  constexpr std::array names = {"32x32b", "16x64b", "16x128b", "16x256b"};
  return names[size_t(atom)];
}

Result<LinearLayout> tensorMemoryRegisters(const TensorMemoryEncoding &encoding, const Shape &shape,
                                           unsigned elementBits, unsigned warps,
                                           TensorMemoryAtom atom) {
  const char *what = "tensor_memory_encoding";
  if (!isPowerOf2(warps) || warps < 4 || warps > 128)
    return bad(what,
               "is accessed by 4 or a larger power of two of warps; got " + std::to_string(warps));
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return bad(what,
               "is accessed in elements of 8, 16 or 32 bits; got " + std::to_string(elementBits));
  auto memory = toLinearLayout(encoding, shape);
  if (!memory)
    return memory;

  const Bases rows = memory->bases(kRow);
  Bases columns = memory->bases(kCol);
  std::erase_if(columns, isZero); // what colStride leaves empty
  // Elements that share 32 bits stay in one register.
  const unsigned packed = log2Exact(32 / elementBits);
  const AtomShape form = shapeOf(atom);
  size_t used = 0; // column bits that packing and the atom take
  auto pick = [&](int which) {
    switch (which) {
    case kRow1: return rows[0];
    case kRow2: return rows[1];
    case kRow4: return rows[2];
    case kRow8: return rows[3];
    default:
      used = std::max(used, size_t(packed + unsigned(which) + 1));
      return packed + unsigned(which) < columns.size() ? columns[packed + unsigned(which)]
                                                       : Basis{0, 0};
    }
  };

  const bool all32 = atom == TensorMemoryAtom::Lanes32x32b;
  const size_t packedBits = std::min<size_t>(packed, columns.size());
  Bases registers(columns.begin(), columns.begin() + long(packedBits));
  Bases lanes;
  for (int which : form.registers)
    registers.push_back(pick(which));
  for (int which : form.lanes)
    lanes.push_back(pick(which));
  if (used > columns.size())
    return bad(what, std::string("is too narrow for ") + name(atom) + ": " +
                         std::to_string(int64_t(1) << columns.size()) + " columns");
  const size_t fixed = registers.size();
  registers.insert(registers.end(), columns.begin() + long(std::max(used, packedBits)),
                   columns.end());

  // Warps beyond four: first the other 16 lanes, then the highest columns.
  const Basis &row16 = rows[4];
  const unsigned more = log2Exact(warps / 4);
  Bases extra;
  if (!all32 && !isZero(row16))
    (more > 0 ? extra : registers).push_back(row16);
  const size_t taken = std::min<size_t>(more - extra.size(), registers.size() - fixed);
  extra.insert(extra.end(), registers.end() - long(taken), registers.end());
  registers.resize(registers.size() - taken);
  extra.resize(more, Basis{0, 0});
  if (all32) {
    // Where lanes 16 to 31 hold nothing, they take the next columns.
    Basis last = row16;
    if (isZero(row16) && registers.size() > fixed) {
      last = registers.back();
      registers.pop_back();
    }
    lanes.push_back(last);
  }

  Bases warpBases = {rows[5], rows[6]};
  warpBases.insert(warpBases.end(), extra.begin(), extra.end());
  std::vector<std::pair<std::string, int64_t>> outs;
  for (const auto &o : memory->outs())
    outs.emplace_back(o.name, o.size());
  return LinearLayout::fromBases({{std::string(kRegister), registers},
                                  {std::string(kLane), lanes},
                                  {std::string(kWarp), warpBases},
                                  {std::string(kBlock), memory->bases(kBlock)}},
                                 outs);
}

Result<LinearLayout> registersToTensorMemory(const LinearLayout &registers,
                                             const LinearLayout &tensorMemory) {
  if (registers.outs() != tensorMemory.outs())
    return Error("the register layout and the tensor-memory layout describe "
                 "tensors of different shapes");
  if (registers.inBits(kWarp) < 2 || tensorMemory.inBits(kRow) != 7)
    return Error("tensor memory is accessed by at least 4 warps");
  if (registers.bases(kBlock) != tensorMemory.bases(kBlock))
    return Error("the register layout gives elements to other CTAs than the "
                 "tensor-memory layout");

  // Warp w must find all of its elements among the lanes from 32 (w mod 4) on.
  // The two warp bits pick row bits 5 and 6; the rest is solved without them.
  const std::vector<uint64_t> rows = tensorMemory.packed(kRow);
  std::vector<uint64_t> reachable(rows.begin(), rows.begin() + 5);
  const std::vector<uint64_t> columns = tensorMemory.packed(kCol);
  reachable.insert(reachable.end(), columns.begin(), columns.end());
  const gf2::Echelon echelon(reachable);
  const unsigned columnBits = tensorMemory.inBits(kCol);

  std::vector<std::pair<std::string, Bases>> ins;
  for (std::string_view dim : {kRegister, kLane, kWarp, kBlock}) {
    ins.emplace_back(dim, Bases());
    const std::vector<uint64_t> words = registers.packed(dim);
    for (unsigned b = 0; b < words.size(); ++b) {
      Basis basis(3, 0);
      uint64_t word = words[b];
      if (dim == kBlock) {
        basis[2] = int32_t(1) << b;
        word = 0;
      }
      if (dim == kWarp && b < 2) {
        basis[0] = 32 << b;
        word ^= rows[5 + b];
      }
      const auto x = echelon.solve(word);
      if (!x)
        return Error("a warp's registers hold elements outside of the 32 lanes "
                     "of tensor memory that it can reach");
      basis[0] |= int32_t(*x & 31);
      basis[1] |= int32_t(*x >> 5);
      ins.back().second.push_back(std::move(basis));
    }
  }
  return LinearLayout::fromBases(ins, {{std::string(kRow), 128},
                                       {std::string(kCol), int64_t(1) << columnBits},
                                       {std::string(kBlock), tensorMemory.inSize(kBlock)}});
}

} // namespace tlx::layout
