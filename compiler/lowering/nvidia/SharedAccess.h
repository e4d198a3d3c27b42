//===- SharedAccess.h - registers to and from shared memory ------------------===//
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia {

/// Instructions of a warp, their passes over the banks of shared memory, and what those
/// would be if no two words met.
struct BankUse {
  int64_t accesses, passes, least;
  BankUse operator+(const BankUse &other) const {
    return {accesses + other.accesses, passes + other.passes, least + other.least};
  }
};

/// Moves the registers of a tile to or from a buffer, as wide as both layouts
/// allow. `registers`: (register, lane, warp[, block]) to coordinates; `shared`:
/// offset[, block] to the same coordinates.
class SharedAccess {
public:
  SharedAccess(Emitter &e, const layout::LinearLayout &registers,
               const layout::LinearLayout &shared, Type element);

  /// Accesses take together only registers that differ in the first of `bits`, in
  /// this order.
  void limit(llvm::ArrayRef<unsigned> bits);
  Registers load(Buffer buffer);
  void store(Buffer buffer, const Registers &registers);
  /// Into the buffer that each of the cluster's first `ctas` CTAs has at this place.
  void storeEverywhere(Buffer buffer, const Registers &registers, int64_t ctas);
  /// For each access: its address and the numbers of its registers, in order.
  void each(Buffer buffer,
            llvm::function_ref<void(Value address, llvm::ArrayRef<int64_t> registers)> f);

  /// Of an element.
  unsigned bytes() const { return memory.getIntOrFloatBitWidth() / 8; }
  /// What one warp's loads or stores of the tile take.
  BankUse use(bool loads) const;

private:
  /// How a tile's registers are moved by matrices of 8 x 8 elements.
  struct Matrices {
    layout::LinearLayout places;      ///< of rows: (register, lane, warp) to offset
    unsigned pairBit = 0;             ///< the register bit that tells a word's elements apart
    llvm::SmallVector<unsigned> bits; ///< those that tell an instruction's matrices apart
    uint64_t taken = 0;               ///< all of these
    bool transposed = false;
  };
  /// Nothing: the registers do not lie so.
  std::optional<Matrices> matrices(bool transposed) const;
  /// For each instruction: the lane's row, and the first register of each word.
  void eachInstruction(const Matrices &matrices, Buffer buffer,
                       llvm::function_ref<void(Value pointer, llvm::ArrayRef<int64_t> words)> f);
  /// With stmatrix; false: it cannot be, and nothing was done.
  bool storeMatrices(Buffer buffer, const Registers &registers);
  std::optional<Registers> loadMatrices(Buffer buffer);
  /// What stands in memory for a register.
  Value toMemory(Value register_);
  Value fromMemory(Value stored);

  Emitter &e;
  layout::LinearLayout toShared;
  Type element, memory;
  std::vector<unsigned> vector; ///< register bits of one access
};

} // namespace tlx::nvidia
