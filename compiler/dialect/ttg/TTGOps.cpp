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

// `local|global_read`, the address spaces that a barrier orders; `all` where it
// is all of them.
static ParseResult parseAddrSpaces(OpAsmParser &parser, AddrSpaceAttr &spaces) {
  AddrSpace all = AddrSpace::None;
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<AddrSpace> one = symbolizeAddrSpace(keyword);
    if (!one)
      return parser.emitError(loc, "expected an address space (none, local, global_read, "
                                   "global_write, tensor_read, tensor_write, all); got '")
             << keyword << "'";
    all = all | *one;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  spaces = AddrSpaceAttr::get(parser.getContext(), all);
  return success();
}

static void printAddrSpaces(OpAsmPrinter &printer, Operation *, AddrSpaceAttr spaces) {
  printer << (spaces.getValue() == AddrSpace::All ? "all" : stringifyAddrSpace(spaces.getValue()));
}

} // namespace tlx::ttg

using tlx::ttg::parseAddrSpaces;
using tlx::ttg::parseOffsetList;
using tlx::ttg::printAddrSpaces;
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
