//===- TensorCore.h - the tensor cores of one SM --------------------------===//
//
// The four (or two) cores of an SM work on one warp group's product at a time,
// in the order of issue. A product is cut into instructions (m64 nN k16 for
// wgmma); it lasts as long as its arithmetic or, if that is longer, as the
// shared-memory port needs to deliver the operands:
//
//   m64n256k16 f16, A and B in shared memory: max(2*64*256*16/4096, 10240/128)
//     = max(128, 80) = 128 cycles
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/chips/Chip.h"
#include "sim/engine/Port.h"

namespace tlx::sim {

/// What kind of numbers an MMA multiplies.
enum class MmaFormat : uint8_t { F16, Tf32, F8, F4, F64 };

class TensorCore {
public:
  struct Spec {
    double flopsPerClk[5]; ///< by MmaFormat
    double smemBytesPerClk;
    Cycles issue, tail;
    int queue;
    static Spec of(const Chip &chip);
  };

  /// One tile product, issued as `instructions` equal parts.
  struct Product {
    int64_t flops;
    int64_t smemBytes; ///< operands that come from shared memory
    int instructions;
    MmaFormat format;
    bool alsoTail = true;
  };
  struct Turn {
    Cycles start;     ///< first instruction begins
    Cycles issueDone; ///< the issuing warp may go on
    Cycles busyUntil; ///< the cores are free for the next product
    Cycles done;      ///< the accumulator can be read
  };

  explicit TensorCore(const Spec &spec) : spec(spec) {}

  /// False when the chip multiplies no such numbers.
  bool supports(MmaFormat format) const { return spec.flopsPerClk[int(format)] > 0; }
  /// Cycles that the product takes alone, tail excluded.
  Cycles duration(const Product &product) const;
  Turn query(Cycles now, const Product &product) const;
  Turn commit(Cycles now, const Product &product);
  Cycles busy() const { return busyCycles; }

private:
  Spec spec;
  Cycles freeAt = 0;
  Cycles busyCycles = 0;
};

} // namespace tlx::sim
