// The generated definitions of dialect `tt`'s ops.
#include "compiler/dialect/tt/TT.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace tlx::tt {

// `, rbits = %r : tensor<8xi32>, rounding = rs`: both parts are optional.
static ParseResult parseRounding(OpAsmParser &parser,
                                 std::optional<OpAsmParser::UnresolvedOperand> &rbits,
                                 Type &rbitsType, RoundingModeAttr &rounding) {
  if (parser.parseOptionalComma())
    return success();
  if (succeeded(parser.parseOptionalKeyword("rbits"))) {
    rbits.emplace();
    if (parser.parseEqual() || parser.parseOperand(*rbits) || parser.parseColonType(rbitsType))
      return failure();
    if (parser.parseOptionalComma())
      return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  StringRef mode;
  if (parser.parseKeyword("rounding") || parser.parseEqual() || parser.parseKeyword(&mode))
    return failure();
  std::optional<RoundingMode> value = symbolizeRoundingMode(mode);
  if (!value)
    return parser.emitError(loc, "rounding must be rtz, rtne or rs; got ") << mode;
  rounding = RoundingModeAttr::get(parser.getContext(), *value);
  return success();
}

static void printRounding(OpAsmPrinter &printer, Operation *, Value rbits, Type rbitsType,
                          RoundingModeAttr rounding) {
  if (rbits)
    printer << ", rbits = " << rbits << " : " << rbitsType;
  if (rounding)
    printer << ", rounding = " << stringifyRoundingMode(rounding.getValue());
}

} // namespace tlx::tt

using tlx::tt::parseRounding;
using tlx::tt::printRounding;

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
