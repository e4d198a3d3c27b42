//===- Tiles.h - one function per encoding, behind toLinearLayout ---------===//
//
// Private to compiler/layout. Each takes an encoding whose shape has already
// been checked to be powers of two, of at most 2^28 elements.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/layout/Convert.h"

namespace tlx::layout {

Result<LinearLayout> convert(const BlockedEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const LinearEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const SliceEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const DotOperandEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const NvidiaMmaEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const AmdMfmaEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const AmdWmmaEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const SwizzledSharedEncoding &e, const Shape &);
Result<LinearLayout> convert(const AmdRotatingSharedEncoding &e, const Shape &);
Result<LinearLayout> convert(const NvmmaSharedEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const PaddedSharedEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const SharedLinearEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const PartitionedSharedEncoding &e, const Shape &);
Result<LinearLayout> convert(const TensorMemoryEncoding &e, const Shape &shape);
Result<LinearLayout> convert(const TensorMemoryScalesEncoding &, const Shape &);

/// Operands of a dot, by the parent's family.
Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const BlockedEncoding &parent,
                                const Shape &);
Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const NvidiaMmaEncoding &parent,
                                const Shape &);
Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const AmdMfmaEncoding &parent,
                                const Shape &);
Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const AmdWmmaEncoding &parent,
                                const Shape &);

/// The bases of a dot's result CTA layout, for an operand: CTAs along the other
/// operand's dimension share it.
Bases operandCga(const Bases &cga, unsigned rank, unsigned opIdx);

/// The warps of a dot's result, for an operand: bases along the dimension that
/// the operand does not have become zero.
LinearLayout operandWarps(const std::vector<unsigned> &warpsPerCta,
                          const std::vector<unsigned> &order, unsigned kDim);

/// Error building: "'<encoding>' <what>".
Error bad(const char *encoding, const std::string &what);
/// Nothing, or the error: `list` has `rank` powers of two, whose product is at
/// most `limit`.
Result<void> checkSizes(const char *encoding, const char *field, const std::vector<unsigned> &list,
                        size_t rank, unsigned limit = 128);
/// Nothing, or the error: `order` is a permutation of 0 ... rank-1.
Result<void> checkOrder(const char *encoding, const std::vector<unsigned> &order, size_t rank);
/// Nothing, or the error: one value per dimension, below its size.
Result<void> checkBases(const char *encoding, const char *field, const Bases &bases,
                        const Shape &shape);
std::string toString(const Shape &shape);

/// dim<rank-1>, ..., dim0: the last dimension fastest.
std::vector<unsigned> rowMajorOrder(unsigned rank);

#define TLX_LAYOUT_TRY(expr)                                                                       \
  if (auto tried = (expr); !tried)                                                                 \
  return std::move(tried).error()

} // namespace tlx::layout
