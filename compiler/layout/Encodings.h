//===- Encodings.h - what the encoding attributes say ---------------------===//
//
// One plain struct per encoding of the `ttg` and `ttng` dialects, with the
// fields of the attribute's syntax and nothing derived. The dialect fills them
// in from its attributes; Convert.h turns them into linear layouts. Wrappers
// (user_layout, no_verify_layout) are peeled before.
//
// Dimension orders list the fastest dimension first. `cga` holds the bases of
// the `block` dimension in units of the tile of one CTA, one per bit of the CTA
// number; a zero basis means that the CTAs share the data. Empty for one CTA.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/layout/LinearLayout.h"

#include <memory>
#include <variant>

namespace tlx::layout {

struct Encoding;
using EncodingPtr = std::shared_ptr<const Encoding>;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// #ttg.blocked
struct BlockedEncoding {
  std::vector<unsigned> sizePerThread, threadsPerWarp, warpsPerCta, order;
  Bases cga = {};
};

/// #ttg.linear and #ttg.generic_linear: the bases themselves.
struct LinearEncoding {
  Bases registers, lane, warp, block = {};
  /// generic_linear: only surjectivity is required of the bases.
  bool generic = false;
};

/// #ttg.slice: the parent without one dimension.
struct SliceEncoding {
  unsigned dim;
  EncodingPtr parent;
};

/// #ttg.dot_op: an operand of a dot whose result has the parent's layout.
struct DotOperandEncoding {
  unsigned opIdx; ///< 0: A (M x K), 1: B (K x N)
  EncodingPtr parent;
  unsigned kWidth = 0; ///< consecutive elements along K in a register; 0: none
};

/// #ttg.nvidia_mma: mma.sync (version 2, instr [16, 8]) and wgmma (version 3,
/// instr [16, n, k]).
struct NvidiaMmaEncoding {
  unsigned versionMajor, versionMinor;
  std::vector<unsigned> warpsPerCta, instrShape;
  Bases cga = {};
};

/// #ttg.amd_mfma: wave64 matrix cores; version 1 gfx908, 2 gfx90a, 3 gfx942,
/// 4 gfx950.
struct AmdMfmaEncoding {
  unsigned version;
  std::vector<unsigned> warpsPerCta, instrShape; ///< instrShape [M, N, K]
  bool isTransposed;
  std::vector<unsigned> tilesPerWarp = {}; ///< empty: all 1
  unsigned elementBitWidth = 32;           ///< of the accumulator
  Bases cga = {};
};

/// #ttg.amd_wmma: wave32 matrix cores; version 1 gfx11, 2 gfx12, 3 gfx1250.
struct AmdWmmaEncoding {
  unsigned version;
  bool isTransposed;
  /// How the instruction's tiles repeat, in units of one tile.
  Bases ctaRegisters, ctaWarps;
  std::vector<unsigned> instrShape = {16, 16, 16}; ///< [M, N, K]
  Bases cga = {};
};

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// #ttg.swizzled_shared: column ^= vec * ((row / perPhase) % maxPhase).
struct SwizzledSharedEncoding {
  unsigned vec, perPhase, maxPhase;
  std::vector<unsigned> order;
  Bases cga = {};
};

/// #ttg.amd_rotating_shared: as swizzled, the phase also rotated from one block
/// of perPhase * maxPhase rows to the next.
struct AmdRotatingSharedEncoding {
  unsigned vec, perPhase, maxPhase;
  std::vector<unsigned> order;
  Bases cga = {};
};

/// #ttg.nvmma_shared: what TMA writes and wgmma and tcgen05 read (PTX ISA,
/// "Swizzling modes").
struct NvmmaSharedEncoding {
  unsigned swizzlingByteWidth; ///< 0, 32, 64 or 128
  bool transposed;
  unsigned elementBitWidth;
  bool fp4Padded = false; ///< 8 bytes of data, then 8 bytes of padding
  unsigned rank = 2;
  Bases cga = {};
};

/// #ttg.padded_shared: a linear part, then after every interval elements some
/// padding.
struct PaddedSharedEncoding {
  std::vector<std::pair<unsigned, unsigned>> padding; ///< interval, padding
  Bases offset, block = {};

  /// The order/shape spelling: the linear part is the identity.
  static PaddedSharedEncoding identity(std::vector<std::pair<unsigned, unsigned>> padding,
                                       const std::vector<unsigned> &order,
                                       const std::vector<unsigned> &shape);
};

/// #ttg.shared_linear: the bases themselves.
struct SharedLinearEncoding {
  Bases offset, block = {};
  unsigned alignment = 16; ///< bytes
};

/// #ttg.partitioned_shared (gfx1250): pieces along one dimension, dealt out to
/// physical partitions.
struct PartitionedSharedEncoding {
  unsigned numPartitions, numGroups, partitionDim;
  EncodingPtr partitionLayout;
};

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

enum class TensorMemoryCtaMode { Default, TwoCtaLhs, TwoCtaRhs };

/// #ttng.tensor_memory_encoding
struct TensorMemoryEncoding {
  unsigned blockM, blockN;
  unsigned colStride = 1; ///< columns from one element to the next
  bool twoCtas = false;
  TensorMemoryCtaMode ctaMode = TensorMemoryCtaMode::Default;
  bool fp4Padded = false;
  Bases cga = {};
};

/// #ttng.tensor_memory_scales_encoding
struct TensorMemoryScalesEncoding {
  bool kThenMn = false; ///< order of the repeats; default M, then K
  Bases cga = {};
};

struct Encoding {
  std::variant<BlockedEncoding, LinearEncoding, SliceEncoding, DotOperandEncoding,
               NvidiaMmaEncoding, AmdMfmaEncoding, AmdWmmaEncoding, SwizzledSharedEncoding,
               AmdRotatingSharedEncoding, NvmmaSharedEncoding, PaddedSharedEncoding,
               SharedLinearEncoding, PartitionedSharedEncoding, TensorMemoryEncoding,
               TensorMemoryScalesEncoding>
      kind;

  template <typename T> Encoding(T kind) : kind(std::move(kind)) {}
  template <typename T> const T *as() const { return std::get_if<T>(&kind); }
};

/// For parents: makeEncoding(BlockedEncoding{...}).
template <typename T> EncodingPtr makeEncoding(T kind) {
  return std::make_shared<const Encoding>(std::move(kind));
}

/// The attribute's name, "blocked" for #ttg.blocked.
const char *name(const Encoding &encoding);

enum class Storage { Registers, Shared, TensorMemory };
Storage storage(const Encoding &encoding);

} // namespace tlx::layout
