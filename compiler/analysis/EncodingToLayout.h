//===- EncodingToLayout.h - from encoding attributes to linear layouts -----===//
//
// The bridge between the dialects, which only read and print encodings, and
// compiler/layout, which knows what they mean.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/ttg/TTG.h"
#include "compiler/layout/Convert.h"
#include "runtime/base/Result.h"

namespace tlx {

/// The plain description of an encoding; wrappers (user_layout,
/// no_verify_layout) are peeled. An Error names an encoding that is still a
/// placeholder.
Result<layout::EncodingPtr> describeEncoding(mlir::Attribute encoding);

/// Layout of a register tensor; an Error when it has no encoding yet.
Result<layout::LinearLayout> layoutOf(mlir::RankedTensorType type);

/// Layout of one buffer: the dimensions that the encoding covers, of the
/// allocation's shape.
Result<layout::LinearLayout> layoutOf(ttg::MemDescType type);

/// The same as bases: the encoding of a register layout.
mlir::Attribute encodingOf(mlir::MLIRContext *context, const layout::LinearLayout &registers);

/// How many trailing dimensions of `type` its encoding covers.
unsigned encodedRank(ttg::MemDescType type);

} // namespace tlx
