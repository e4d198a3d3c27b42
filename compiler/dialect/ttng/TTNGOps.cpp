// The generated definitions of dialect `ttng`'s ops.
#include "compiler/dialect/ttng/TTNG.h"
#include "compiler/dialect/ttng/TTNGDirectives.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/dialect/ttng/TTNGOps.cpp.inc"

namespace tlx::ttng {

void TTNGDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/ttng/TTNGOps.cpp.inc"
      >();
}

} // namespace tlx::ttng
