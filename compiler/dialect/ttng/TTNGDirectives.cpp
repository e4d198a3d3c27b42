#include "compiler/dialect/ttng/TTNGDirectives.h"

#include "compiler/dialect/ttng/TTNG.h"

using namespace mlir;

namespace tlx::ttng {

ParseResult parseToken(OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &dep,
                       Type &token) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  token = ttg::AsyncTokenType::get(parser.getContext());
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult given = parser.parseOptionalOperand(operand);
  if (given.has_value()) {
    if (failed(*given))
      return failure();
    dep = operand;
  }
  return parser.parseRSquare();
}

void printToken(OpAsmPrinter &printer, Operation *, Value dep, Type token) {
  if (!token && !dep)
    return;
  printer << "[";
  if (dep)
    printer << dep;
  printer << "]";
}

ParseResult parseBarriersAndPreds(OpAsmParser &parser,
                                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &barriers,
                                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &preds) {
  while (succeeded(parser.parseOptionalComma())) {
    if (parser.parseOperand(barriers.emplace_back()) || parser.parseLSquare() ||
        parser.parseOperand(preds.emplace_back()) || parser.parseRSquare())
      return failure();
  }
  return success();
}

void printBarriersAndPreds(OpAsmPrinter &printer, Operation *, OperandRange barriers,
                           OperandRange preds) {
  for (auto [barrier, pred] : llvm::zip(barriers, preds))
    printer << ", " << barrier << "[" << pred << "]";
}

} // namespace tlx::ttng
