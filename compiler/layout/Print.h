//===- Print.h - layouts for people, and as plain tables ------------------===//
//
// tlx.dump_layout prints a layout in CuTe notation, `shape:stride`, `_n` for a
// number known at compile time: a register tensor as a map from (thread, value)
// to the row-major index of the element, a buffer as a map from offset to that
// index. A layout whose bases are not single bits of the index has no such form
// (but for swizzled_shared, which CuTe can name) and is printed as its bases:
//
//    - register=1 -> (0, 1)
//    - lane=1 -> (1, 0)
//      lane=2 -> (2, 0)
//    - block is a size 1 dimension
//   where out dims are: [dim0 (size 4), dim1 (size 2)]
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/layout/Convert.h"

namespace tlx::layout {

/// The bases, line by line, as above; ends with a line break.
std::string toString(const LinearLayout &layout);

/// CuTe notation of a layout; nothing when it has none. Hardware dimensions
/// `register` ... `block` make a thread-value layout, others a plain one.
std::optional<std::string> toCute(const LinearLayout &layout);

/// CuTe notation of an encoding on a shape; also names XOR swizzles.
Result<std::optional<std::string>> toCute(const Encoding &encoding, const Shape &shape);

/// What tlx.dump_layout prints below the type: `cute: ...`, or a line that says
/// why not and the bases.
Result<std::string> dumpLayout(const Encoding &encoding, const Shape &shape);

/// A layout as plain data, for readers that must not know this library: the
/// coordinate of an input is the exclusive or of the columns of its set bits.
struct LayoutTable {
  struct Dim {
    std::string name;
    uint32_t bits;  ///< log2 of the size
    uint32_t first; ///< inputs: first column; outputs: lowest bit in a column
  };
  std::vector<Dim> ins, outs;
  std::vector<uint64_t> columns; ///< one packed output per input bit
  /// Shared memory only: after every `first` elements, `second` more.
  std::vector<std::pair<uint32_t, uint32_t>> padding;
};

LayoutTable toTable(const LinearLayout &layout);
Result<LayoutTable> toTable(const Encoding &encoding, const Shape &shape);

} // namespace tlx::layout
