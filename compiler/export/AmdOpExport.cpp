// Operands and attributes of instructions: dialect amdg.
#include "compiler/export/Exporter.h"

namespace tlx {

bool Exporter::refineAmd(mlir::Operation *op, Form &form) { return false; }

} // namespace tlx
