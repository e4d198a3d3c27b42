//===- Descriptor.h - boxes of a tensor in device memory -------------------===//
//
// A TMA box is a list of rows along the innermost dimension. Rows, and parts of rows,
// outside the tensor read as the fill value and are not written.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Exec.h"

#include <vector>

namespace tlx::sim {

/// Row-major raw elements of a box of `block` elements at `coords`, with the descriptor's fill
/// outside the tensor.
bool readBox(Exec &exec, const DescRef &desc, const Shape &block,
             const std::vector<int64_t> &coords, std::vector<char> &raw, sync::Proxy proxy);
bool writeBox(Exec &exec, const DescRef &desc, const Shape &block,
              const std::vector<int64_t> &coords, const char *raw, sync::Proxy proxy,
              ReduceKind reduce = ReduceKind::None);

/// A descriptor in device memory (128 bytes), in a format of our own.
void packDescriptor(const DescRef &desc, char *bytes);
bool unpackDescriptor(const char *bytes, DescRef &desc);
/// Operand 0's descriptor as it is now, for elements of the operand's type. False: device
/// memory holds none where it should be, and a finding says so.
bool currentDescriptor(Exec &exec, DescRef &desc);

} // namespace tlx::sim
