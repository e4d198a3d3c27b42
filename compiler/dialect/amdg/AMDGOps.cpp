// The generated definitions of dialect `amdg`'s ops.
#include "compiler/dialect/amdg/AMDG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "compiler/dialect/amdg/AMDGOps.cpp.inc"

namespace tlx::amdg {

void AMDGDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/amdg/AMDGOps.cpp.inc"
      >();
}

} // namespace tlx::amdg
