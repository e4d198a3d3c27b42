//===- Queries.h - what a layout costs and allows -------------------------===//
//
// Questions that lowerings and the simulator ask of a register layout and a
// shared-memory layout together: at which element of shared memory a register
// lies, how many elements one access can take, and how many passes over the
// banks it needs.
//
// Shared memory has 32 banks of 4 bytes; one pass ("wavefront") serves one
// 4-byte word of each bank, to any number of lanes. A warp's access of w bytes
// per lane is split into groups of lanes of at most 128 bytes, at least one pass
// each (CUDA C++ Programming Guide, "Shared Memory"; the profiler counts the
// same as l1tex__data_pipe_lsu_wavefronts_mem_shared).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/layout/Convert.h"

namespace tlx::layout {

/// The banks of one kind of shared memory.
struct BankModel {
  unsigned banks = 32;
  unsigned bankBytes = 4;
  /// Bytes that one pass moves at most.
  unsigned passBytes() const { return banks * bankBytes; }
};

/// (register, lane, warp, block) -> (offset[, partition], block): where each
/// register's element lies. CTAs stay in their own shared memory wherever the
/// element is there. An Error when a register's element is not in shared memory
/// or the tensors differ in shape.
Result<LinearLayout> registersToShared(const LinearLayout &registers, const LinearLayout &shared);

/// The register bits that step through 1, 2, 4, ... consecutive elements of
/// `offset` while no other bit of the layout does: one access can take
/// 2^size() elements, registers of any numbers. `toShared` is
/// registersToShared; maxBits is the widest access (128 on NVIDIA and AMD).
std::vector<unsigned> vectorRegisterBits(const LinearLayout &toShared, unsigned elementBits,
                                         unsigned maxBits = 128);

/// 2^vectorRegisterBits: the elements of one access, aligned to its size.
unsigned maxVectorElements(const LinearLayout &toShared, unsigned elementBits,
                           unsigned maxBits = 128);
/// The same under padding, which must not come in the middle of an access.
unsigned maxVectorElements(const LinearLayout &toShared, const PaddedSharedEncoding &padding,
                           unsigned elementBits, unsigned maxBits = 128);

/// The same for a tensor in global memory whose elements along `order[0]` are
/// consecutive and start aligned; what pointers, strides and masks allow is the
/// caller's to cap.
unsigned maxVectorElements(const LinearLayout &registers, const std::vector<unsigned> &order,
                           unsigned elementBits, unsigned maxBits = 128);

/// What one instruction of a warp costs.
struct BankCost {
  unsigned wavefronts; ///< passes of the worst instruction
  unsigned ideal;      ///< passes if no two words met in a bank
  /// Extra passes for each that is needed: what fbtriton calls the number of
  /// bank conflicts.
  unsigned conflicts() const { return wavefronts / ideal - 1; }
  bool operator==(const BankCost &) const = default;
};

/// Loads or stores of `vector` elements per lane (a power of two as
/// maxVectorElements gives). Lanes that ask for the same word share it; all
/// instructions of a linear layout cost the same.
BankCost bankCost(const LinearLayout &toShared, unsigned elementBits, unsigned vector,
                  const BankModel &banks = {});

/// The same where the linear offset is padded: the worst instruction counts.
BankCost bankCost(const LinearLayout &toShared, const PaddedSharedEncoding &padding,
                  unsigned elementBits, unsigned vector, const BankModel &banks = {});

/// How far elements have to move to convert one register layout into another.
/// Copies in the source count: the nearest is taken.
enum class Conversion {
  None,      ///< every register already holds its element
  Registers, ///< within threads: renaming
  Lanes,     ///< within warps: shuffles
  Warps,     ///< within the CTA: shared memory
  Blocks,    ///< between CTAs of the cluster
};

/// An Error when the tensors differ in shape.
Result<Conversion> conversionKind(const LinearLayout &from, const LinearLayout &to);

} // namespace tlx::layout
