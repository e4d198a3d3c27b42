//===- Fragment.h - which registers matrix instructions take -----------------===//
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/lowering/nvidia/Emitter.h"

namespace tlx::nvidia {

/// Register numbers of the first thread by row and column: the last two
/// dimensions of a layout. A leading one counts batches.
class Fragment {
public:
  explicit Fragment(const layout::LinearLayout &layout);
  int64_t at(int64_t row, int64_t column, int64_t batch = 0) const;
  /// Coordinates that the first thread holds, ascending.
  std::vector<int64_t> rows, columns, batches;

private:
  llvm::DenseMap<std::tuple<int64_t, int64_t, int64_t>, int64_t> held;
};

/// Neighbouring small elements as one 32-bit register.
Value packWord(Emitter &e, llvm::ArrayRef<Value> elements);
/// Pairs of 16-bit values as 32-bit registers, and back.
llvm::SmallVector<Value> pairUp(Emitter &e, llvm::ArrayRef<Value> halves);
llvm::SmallVector<Value> takeApart(Emitter &e, llvm::ArrayRef<Value> words, Type half);

} // namespace tlx::nvidia
