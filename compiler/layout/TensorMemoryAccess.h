//===- TensorMemoryAccess.h - registers of tcgen05.ld and tcgen05.st ------===//
//
// A warp reaches 32 of tensor memory's 128 lanes: warp w of a warp group those
// from 32 (w mod 4) on (PTX ISA, "tcgen05: Access restrictions"). One
// instruction moves an atom, lanes x bits, repeated along the columns; the atom
// fixes which thread gets what ("Matrix fragments and their register layout").
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/layout/Convert.h"

namespace tlx::layout {

enum class TensorMemoryAtom {
  Lanes32x32b, ///< thread t: lane t, consecutive columns
  Lanes16x64b,
  Lanes16x128b,
  Lanes16x256b, ///< as the accumulator of mma.sync and wgmma
};

/// The name in PTX: "32x32b", ...
const char *name(TensorMemoryAtom atom);

/// (register, lane, warp, block) -> (dim0, dim1): the layout in which `warps`
/// warps (4, or a larger power of two) hold a buffer with the fewest
/// instructions. Warps beyond four share the lanes and split the columns; of
/// the 16-lane atoms also the two halves of a warp's lanes.
Result<LinearLayout> tensorMemoryRegisters(const TensorMemoryEncoding &encoding, const Shape &shape,
                                           unsigned elementBits, unsigned warps,
                                           TensorMemoryAtom atom);

/// (register, lane, warp, block) -> (row, col, block): where each register's
/// element lies. `tensorMemory` is toLinearLayout of the buffer. An Error when
/// an element is not there, or a warp would have to reach lanes of another.
Result<LinearLayout> registersToTensorMemory(const LinearLayout &registers,
                                             const LinearLayout &tensorMemory);

} // namespace tlx::layout
