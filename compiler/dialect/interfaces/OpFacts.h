//===- OpFacts.h - what an op declares, in words ----------------------------===//
//
// Its effects on barriers and memory and its cost, as editors, `tlx-opt --effects`
// and the reference of operations show them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace tlx {

struct OpFacts {
  bool declared = true;             ///< false: it says nothing about its effects
  std::vector<std::string> effects; ///< such as "barrier-arrive, 2, elected"
  std::string cost;                 ///< such as "tensor core, 64 x 128 x 64, 16-bit operands"
};

OpFacts factsOf(mlir::Operation *op);

} // namespace tlx
