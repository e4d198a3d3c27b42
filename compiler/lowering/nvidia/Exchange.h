//===- Exchange.h - elements change threads through scratch memory -----------===//
//
// Threads store what they have, meet, and load what they need. Elements lie in
// row-major order; pieces of 128 bytes are permuted by the bits behind them where
// threads would meet in the banks otherwise:
//
//   rows of 256 bytes, read by eight lanes with 16 bytes of eight rows each:
//   piece p of row r lies at p ^ (r % 8)
//
// Where the CTAs of a cluster hold other parts before and after, each has memory for
// the whole tile, and every CTA stores its elements in all of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/lowering/nvidia/Convert.h"
#include "compiler/lowering/nvidia/SharedAccess.h"

namespace tlx::nvidia {

/// Whether the CTAs of a cluster hold other parts of a tile before and after.
bool crossesCtas(const layout::LinearLayout &from, const layout::LinearLayout &to);

/// A movement's two halves, at an offset of the scratch memory; a barrier belongs
/// between them, one of the cluster where the movement crosses CTAs.
class Exchange {
public:
  Exchange(Emitter &e, const Movement &movement, Type element, int64_t offset);
  void store(const Registers &registers);
  /// What one CTA has, into the memory of `count`.
  void storeEverywhere(const Registers &registers, int64_t count);
  Registers load();

private:
  Emitter &e;
  Type element;
  Buffer place;
  int64_t ctas = 1;              ///< that get what is stored
  layout::LinearLayout from, to; ///< within the CTA where that is one
  layout::LinearLayout shared;
};

} // namespace tlx::nvidia
