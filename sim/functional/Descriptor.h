//===- Descriptor.h - boxes of a tensor in device memory
//------------------------------------------------------===//
//
// A TMA box is a list of rows along the innermost dimension. Rows, and parts of rows,
// outside the tensor read as the fill value and are not written.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Exec.h"

#include <vector>

namespace tlx::sim {

struct BoxRow {
  uint64_t address = 0; ///< of the first element inside the tensor
  int64_t first = 0;    ///< elements of the row before it
  int64_t count = 0;    ///< elements inside; 0: none
};

/// The rows of a box of `block` elements at `coords`, outermost first.
std::vector<BoxRow> boxRows(const DescRef &desc, const Shape &block,
                            const std::vector<int64_t> &coords);

/// Row-major raw elements of a box, with the descriptor's fill outside the tensor.
bool readBox(Exec &exec, const DescRef &desc, const Shape &block,
             const std::vector<int64_t> &coords, std::vector<char> &raw, sync::Proxy proxy);
bool writeBox(Exec &exec, const DescRef &desc, const Shape &block,
              const std::vector<int64_t> &coords, const char *raw, sync::Proxy proxy,
              ReduceKind reduce = ReduceKind::None);

/// What an asynchronous instruction will move, for whoever times it: the device
/// memory it touches and its bytes. Called at issue.
void describeAsync(Exec &exec, std::vector<ByteRange> &global, int64_t &bytes);

/// A descriptor in device memory (128 bytes), in a format of our own.
void packDescriptor(const DescRef &desc, char *bytes);
bool unpackDescriptor(const char *bytes, DescRef &desc);
/// Operand 0's descriptor as it is now, for elements of the operand's type. False: device
/// memory holds none where it should be, and a finding says so unless `quiet`.
bool currentDescriptor(Exec &exec, DescRef &desc, bool quiet = false);

} // namespace tlx::sim
