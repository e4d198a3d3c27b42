// The generated definitions of dialect `tt`'s ops.
#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "compiler/dialect/tt/TTOps.cpp.inc"

namespace tlx::tt {

void TTDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/tt/TTOps.cpp.inc"
      >();
}

} // namespace tlx::tt
