// The generated definitions of dialect `ttg`'s ops.
#include "compiler/dialect/ttg/TTG.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace tlx::ttg {

// `[0, 64]`, the offsets of a subslice.
static ParseResult parseOffsetList(OpAsmParser &parser, DenseI32ArrayAttr &offsets) {
  SmallVector<int32_t> values;
  auto parseOne = [&]() { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  offsets = parser.getBuilder().getDenseI32ArrayAttr(values);
  return success();
}

static void printOffsetList(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr offsets) {
  printer << "[";
  llvm::interleaveComma(offsets.asArrayRef(), printer);
  printer << "]";
}

} // namespace tlx::ttg

using tlx::ttg::parseOffsetList;
using tlx::ttg::printOffsetList;

#define GET_OP_CLASSES
#include "compiler/dialect/ttg/TTGOps.cpp.inc"

namespace tlx::ttg {

void TTGDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/ttg/TTGOps.cpp.inc"
      >();
}

} // namespace tlx::ttg
