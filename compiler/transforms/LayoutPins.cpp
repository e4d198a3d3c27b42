#include "compiler/transforms/LayoutPins.h"
using namespace mlir;
namespace tlx {
LogicalResult agreeOnLayoutPins(ModuleOp module) { return success(); }
} // namespace tlx
